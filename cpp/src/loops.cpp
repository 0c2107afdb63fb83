// Compiled once per instruction set, with SHOAL_INSTRUCTION_SET naming the namespace: see CMakeLists.txt.
#include "shoal/loops.hpp"

#include <type_traits>

namespace shoal::SHOAL_INSTRUCTION_SET {

namespace {

// Of a count of 16 bits in 32, which vectorizes better.
template <class Count>
inline auto square(Count n) {
    using Wide = std::conditional_t<sizeof(Count) == 2, std::uint32_t, std::uint64_t>;
    return static_cast<Wide>(n) * static_cast<Wide>(n);
}

template <class Count, Detail detail>
Tally tally_as(const Count* counts, std::size_t size, Count k) {
    // All rows together fit a Count, so may partial sums of rows.
    Count failing = 0;
    Count classes = 0;
    std::uint64_t squares = 0;
    std::uint64_t failing_squares = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const Count n = counts[i];
        const Count lost = n < k ? n : 0;
        failing += lost;
        if constexpr (detail != Detail::rows) squares += square(n);
        if constexpr (detail == Detail::all) {
            failing_squares += square(lost);
            classes += n != 0;
        }
    }
    return {classes, squares, failing, failing_squares};
}

template <class Count>
Tally tally(const Count* counts, std::size_t size, Count k, Detail detail) {
    switch (detail) {
        case Detail::rows: return tally_as<Count, Detail::rows>(counts, size, k);
        case Detail::squares: return tally_as<Count, Detail::squares>(counts, size, k);
        default: return tally_as<Count, Detail::all>(counts, size, k);
    }
}

// A fixed `inner` lets the compiler unroll the short slices of the first axes.
template <class Count, std::size_t fixed>
void merge_slices(const Count* __restrict source, Count* __restrict target, const std::uint32_t* step,
                  std::size_t from, std::size_t to, std::size_t inner, std::size_t outer) {
    if constexpr (fixed > 0) inner = fixed;
    for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t a = 0; a < from; ++a) {
            Count* const slice = target + step[a] * inner;
            if (a == 0 || step[a] != step[a - 1]) {
                for (std::size_t i = 0; i < inner; ++i) slice[i] = source[i];
            } else {
                for (std::size_t i = 0; i < inner; ++i) slice[i] += source[i];
            }
            source += inner;
        }
        target += to * inner;
    }
}

template <class Count>
void merge(const Count* source, Count* target, const std::uint32_t* step, std::size_t from, std::size_t to,
           std::size_t inner, std::size_t outer) {
    switch (inner) {
        case 1: return merge_slices<Count, 1>(source, target, step, from, to, inner, outer);
        case 2: return merge_slices<Count, 2>(source, target, step, from, to, inner, outer);
        case 4: return merge_slices<Count, 4>(source, target, step, from, to, inner, outer);
        default: return merge_slices<Count, 0>(source, target, step, from, to, inner, outer);
    }
}

}  // namespace

extern const Loops<std::uint16_t> loops16;
extern const Loops<std::uint32_t> loops32;
extern const Loops<std::uint64_t> loops64;
const Loops<std::uint16_t> loops16{tally<std::uint16_t>, merge<std::uint16_t>};
const Loops<std::uint32_t> loops32{tally<std::uint32_t>, merge<std::uint32_t>};
const Loops<std::uint64_t> loops64{tally<std::uint64_t>, merge<std::uint64_t>};

}  // namespace shoal::SHOAL_INSTRUCTION_SET
