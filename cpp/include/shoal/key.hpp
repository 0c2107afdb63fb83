// A tuple of labels packed into bit fields of one or more 64-bit words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/hierarchies.hpp"

namespace shoal {

template <int Words>
struct Key {
    std::array<std::uint64_t, Words> word;
    friend bool operator==(const Key& a, const Key& b) noexcept {
        std::uint64_t differs = 0;
        for (int w = 0; w < Words; ++w) differs |= a.word[w] ^ b.word[w];
        return differs == 0;
    }
};

// Multiplicative hash; the high bits are the good ones.
template <int Words>
inline std::uint64_t hash(const Key<Words>& key, std::uint64_t multiplier) noexcept {
    std::uint64_t h = key.word[0] * multiplier;
    for (int w = 1; w < Words; ++w) h = ((h ^ (h >> 29)) + key.word[w]) * multiplier;
    return h;
}

struct Field {
    unsigned word;
    unsigned shift;
    unsigned bits;
};

// Where each column sits. A column never straddles two words; the first column has the low bits.
class KeyLayout {
public:
    // One number of distinct values per column.
    explicit KeyLayout(std::span<const Label> cardinalities);

    unsigned words() const noexcept { return words_; }
    const Field& field(std::size_t column) const noexcept { return fields_[column]; }
    // Number of bits used in a word.
    unsigned bits(unsigned word) const noexcept { return bits_[word]; }

    template <int Words>
    Label label(const Key<Words>& key, std::size_t column) const noexcept {
        const Field& f = fields_[column];
        return static_cast<Label>((key.word[f.word] >> f.shift) & ((std::uint64_t{1} << f.bits) - 1));
    }

private:
    std::vector<Field> fields_;
    std::vector<unsigned> bits_;
    unsigned words_ = 1;
};

}  // namespace shoal
