#include "shoal/key.hpp"

#include <bit>

namespace shoal {

KeyLayout::KeyLayout(std::span<const Label> cardinalities) : bits_{0} {
    for (const Label labels : cardinalities) {
        const unsigned bits = labels > 1 ? static_cast<unsigned>(std::bit_width(labels - 1)) : 0;
        if (bits_.back() + bits > 63) bits_.push_back(0);
        fields_.push_back({static_cast<unsigned>(bits_.size() - 1), bits_.back(), bits});
        bits_.back() += bits;
    }
    words_ = static_cast<unsigned>(bits_.size());
}

}  // namespace shoal
