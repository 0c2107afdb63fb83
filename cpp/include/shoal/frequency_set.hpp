// A frequency set: the classes of a node with their row counts. Small domains are a dense array of
// counts (mixed radix, first column fastest); others are packed keys with counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/buffer.hpp"
#include "shoal/histograms.hpp"
#include "shoal/key.hpp"
#include "shoal/stop.hpp"

namespace shoal {

template <int Words, class Count>
struct FrequencySet {
    Node node;
    bool dense = false;
    // Sparse only: the keys are sorted by the columns from this one on, so equal ones stand in runs.
    std::size_t sorted_from = 0;
    std::size_t size = 0;       // tuples or cells in use; the buffers may be larger
    Buffer<Key<Words>> keys;    // sparse only
    Buffer<Count> counts;
    Contents<Words, Count> contents;  // where a requirement or a measure looks at it

    FrequencySet copy(Arena& arena) const;
    // Of what is in use; the buffers may be larger.
    std::size_t used_bytes() const noexcept { return size * ((dense ? 0 : sizeof(Key<Words>)) + sizeof(Count)); }
};

// Cells of the dense array of a node, or `limit` + 1 where there are more than `limit`.
std::size_t dense_cells(const Hierarchies& hierarchies, const Node& node, std::size_t limit);

// The zero-level frequency set F0: rows packed and radix-sorted, equal neighbours counted.
// codes[column][row] are level-0 labels; `weights`, where given, count for each row instead of 1.
template <int Words, class Count>
FrequencySet<Words, Count> group_rows(std::span<const std::span<const Label>> codes, std::span<const Count> weights,
                                      const KeyLayout& layout, Arena& arena, const Stop& stop);

// F0 with the rows in its order: which row stands at each place, and in which tuple. Weights may be 0 here.
template <int Words, class Count>
struct SortedRows {
    FrequencySet<Words, Count> set;
    std::vector<std::uint32_t> row;
    std::vector<std::uint32_t> tuple;
};
template <int Words, class Count>
SortedRows<Words, Count> sort_rows(std::span<const std::span<const Label>> codes, std::span<const Count> weights,
                                   const KeyLayout& layout, Arena& arena, const Stop& stop);

// Number the distinct tuples of the rows in the order of their keys: the tuple of each row, and the rows of
// each tuple.
struct RowIndex {
    std::vector<std::uint32_t> tuple;
    std::vector<std::uint64_t> counts;
};
RowIndex index_rows(std::span<const std::span<const Label>> codes, std::span<const Label> cardinalities,
                    const Stop& stop);

}  // namespace shoal
