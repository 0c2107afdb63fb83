#include "shoal/lattice.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace shoal {

Lattice::Lattice(const Hierarchies& hierarchies) : columns_(hierarchies.columns()), strides_(columns_) {
    for (std::size_t column = 0; column < columns_; ++column) {
        levels_.push_back(hierarchies.levels(column));
        top_[column] = static_cast<std::uint8_t>(levels_[column] - 1);
    }
    order_.resize(columns_);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    // The longest axis is the contiguous one: tagging and scanning run along it.
    std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return levels_[a] < levels_[b]; });
    for (std::size_t depth = columns_; depth-- > 0;) {
        strides_[order_[depth]] = size_;
        // Beyond what a search can keep the size is just too large; checking single nodes needs none.
        size_ = size_ > max_nodes / levels_[order_[depth]] ? max_nodes + 1 : size_ * levels_[order_[depth]];
    }
}

Node Lattice::node(std::size_t index) const noexcept {
    Node node;
    for (const std::size_t column : order_) {
        node[column] = static_cast<std::uint8_t>(index / strides_[column]);
        index %= strides_[column];
    }
    return node;
}

TagMap::TagMap(const Lattice& lattice, const Stop& stop) : lattice_(lattice), stop_(stop) {
    if (lattice.size() > max_nodes) throw std::length_error("the lattice is too large");
    tags_ = std::vector<std::atomic<std::uint8_t>>(lattice.size());
}

std::size_t TagMap::set(std::size_t index, std::uint8_t tags) noexcept {
    const std::uint8_t had = tags_[index].load(std::memory_order_relaxed);
    if ((had | tags) != had) tags_[index].fetch_or(tags, std::memory_order_relaxed);
    return had == 0;
}

std::size_t TagMap::tag(const Node& node, std::uint8_t tags) noexcept { return set(lattice_.index(node), tags); }

std::size_t TagMap::tag_generalizations(const Node& node, std::uint8_t tags) {
    return tag_up(node, tags, 0, lattice_.index(node));
}

std::size_t TagMap::tag_specializations(const Node& node, std::uint8_t tags) {
    return tag_down(node, tags, 0, lattice_.index(node));
}

// `base` is the index of the lowest node of what is left to tag. Where it has the tags already, so have
// all its generalizations.
std::size_t TagMap::tag_up(const Node& node, std::uint8_t tags, std::size_t depth, std::size_t base) {
    const std::size_t column = lattice_.order()[depth];
    const std::size_t stride = lattice_.stride(column);
    const bool last = depth + 1 == lattice_.columns();
    std::size_t count = 0;
    for (unsigned level = node[column]; level < lattice_.levels(column); ++level, base += stride) {
        if ((at(base) & tags) == tags) break;
        poll(stride);
        count += last ? set(base, tags) : tag_up(node, tags, depth + 1, base);
    }
    return count;
}

std::size_t TagMap::tag_down(const Node& node, std::uint8_t tags, std::size_t depth, std::size_t base) {
    const std::size_t column = lattice_.order()[depth];
    const std::size_t stride = lattice_.stride(column);
    const bool last = depth + 1 == lattice_.columns();
    std::size_t count = 0;
    for (unsigned left = node[column] + 1U; left > 0; --left, base -= stride) {
        if ((at(base) & tags) == tags) break;
        poll(stride);
        count += last ? set(base, tags) : tag_down(node, tags, depth + 1, base);
    }
    return count;
}

std::size_t TagMap::shrink(Box& box) const {
    Box found{box.high, box.low};
    const std::size_t undecided = find(box, found, 0, lattice_.index(box.low));
    if (undecided > 0) box = found;
    return undecided;
}

std::size_t TagMap::find(const Box& box, Box& found, std::size_t depth, std::size_t base) const {
    const std::size_t column = lattice_.order()[depth];
    const std::size_t stride = lattice_.stride(column);
    const bool last = depth + 1 == lattice_.columns();
    std::size_t count = 0;
    for (unsigned level = box.low[column]; level <= box.high[column]; ++level, base += stride) {
        poll(stride);
        const std::size_t here = last ? at(base) == 0 : find(box, found, depth + 1, base);
        if (here == 0) continue;
        count += here;
        found.low[column] = std::min(found.low[column], static_cast<std::uint8_t>(level));
        found.high[column] = std::max(found.high[column], static_cast<std::uint8_t>(level));
    }
    return count;
}

}  // namespace shoal
