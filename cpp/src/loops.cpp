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

template <class Count, std::size_t fixed>
void add_rows_of(const Count* __restrict rows, const std::uint32_t* places, std::size_t size, std::size_t width,
                 Count* __restrict target) {
    if constexpr (fixed > 0) width = fixed;
    const auto add = [&](std::size_t i) {
        const Count* const source = rows + i * width;
        Count* const row = target + places[i] * width;
        for (std::size_t cell = 0; cell < width; ++cell) row[cell] = static_cast<Count>(row[cell] + source[cell]);
    };
    // In four streams: neighbours often go to the same row, and adding to it twice in a row stalls.
    const std::size_t quarter = size / 4;
    for (std::size_t i = 0; i < quarter; ++i) {
        add(i);
        add(i + quarter);
        add(i + 2 * quarter);
        add(i + 3 * quarter);
    }
    for (std::size_t i = 4 * quarter; i < size; ++i) add(i);
}

template <class Count>
void add_rows(const Count* rows, const std::uint32_t* places, std::size_t size, std::size_t width, Count* target) {
    switch (width) {
        case 1: return add_rows_of<Count, 1>(rows, places, size, width, target);
        case 2: return add_rows_of<Count, 2>(rows, places, size, width, target);
        case 4: return add_rows_of<Count, 4>(rows, places, size, width, target);
        case 8: return add_rows_of<Count, 8>(rows, places, size, width, target);
        case 16: return add_rows_of<Count, 16>(rows, places, size, width, target);
        case 32: return add_rows_of<Count, 32>(rows, places, size, width, target);
        default: return add_rows_of<Count, 0>(rows, places, size, width, target);
    }
}

template <class Count, std::size_t fixed>
struct Occur {
    std::size_t least;
    bool operator()(const Count* row, std::size_t width, double) const {
        if constexpr (fixed > 0) width = fixed;
        // Counted in 32 bits: of a sum of truth values in 16, unrolled, GCC 12 makes a wrong one.
        std::uint32_t found = 0;
        for (std::size_t i = 0; i < width; ++i) found += row[i] != 0;
        return found >= least;
    }
};

template <class Count, std::size_t fixed>
struct Between {
    const double* lower;
    const double* upper;
    bool operator()(const Count* row, std::size_t width, double people) const {
        if constexpr (fixed > 0) width = fixed;
        std::uint64_t outside = 0;
        for (std::size_t i = 0; i < width; ++i) {
            const double count = static_cast<double>(row[i]);
            outside |= static_cast<std::uint64_t>(count > upper[i] * people) |
                       static_cast<std::uint64_t>(count < lower[i] * people);
        }
        return outside == 0;
    }
};

// In four sums, which the compiler may keep in one register. Where the products are exact so is any order.
template <class Count, std::size_t fixed>
struct Excess {
    double total;
    const double* totals;
    double operator()(const Count* row, std::size_t width, double people) const {
        if constexpr (fixed > 0) width = fixed;
        constexpr std::size_t lanes = 4;
        double sums[lanes] = {0, 0, 0, 0};
        for (std::size_t i = 0; i < width; i += lanes) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                if constexpr (fixed == 0) {
                    if (i + lane >= width) break;
                }
                const double beyond = static_cast<double>(row[i + lane]) * total - totals[i + lane] * people;
                sums[lane] += beyond > 0 ? beyond : 0;
            }
        }
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
};

template <class Count, class Test, class Result>
void test_rows(const Rows<Count>& rows, const Test& test, Result* results) {
    for (std::size_t i = 0; i < rows.size; ++i) {
        const std::size_t c = rows.classes[i];
        results[i] = test(rows.cells + c * rows.width, rows.width, rows.people[c]);
    }
}

template <class Count>
void occur(const Rows<Count>& rows, std::size_t least, std::uint8_t* meets) {
    if (rows.width == 16) return test_rows(rows, Occur<Count, 16>{least}, meets);
    test_rows(rows, Occur<Count, 0>{least}, meets);
}

template <class Count>
void between(const Rows<Count>& rows, const double* lower, const double* upper, std::uint8_t* meets) {
    if (rows.width == 16) return test_rows(rows, Between<Count, 16>{lower, upper}, meets);
    test_rows(rows, Between<Count, 0>{lower, upper}, meets);
}

template <class Count>
void excess(const Rows<Count>& rows, double total, const double* totals, double* found) {
    if (rows.width == 16) return test_rows(rows, Excess<Count, 16>{total, totals}, found);
    test_rows(rows, Excess<Count, 0>{total, totals}, found);
}

template <class Count>
void largest(const Rows<Count>& rows, Count* found) {
    for (std::size_t i = 0; i < rows.size; ++i) {
        const Count* const row = rows.cells + rows.classes[i] * rows.width;
        Count most = 0;
        for (std::size_t cell = 0; cell < rows.width; ++cell) most = row[cell] > most ? row[cell] : most;
        found[i] = most;
    }
}

template <class Count>
constexpr Loops<Count> all_loops{tally<Count>, merge<Count>,   add_rows<Count>, occur<Count>,
                                 between<Count>, excess<Count>, largest<Count>};

}  // namespace

extern const Loops<std::uint16_t> loops16;
extern const Loops<std::uint32_t> loops32;
extern const Loops<std::uint64_t> loops64;
const Loops<std::uint16_t> loops16 = all_loops<std::uint16_t>;
const Loops<std::uint32_t> loops32 = all_loops<std::uint32_t>;
const Loops<std::uint64_t> loops64 = all_loops<std::uint64_t>;

}  // namespace shoal::SHOAL_INSTRUCTION_SET
