// The subset property: rows in too small classes of a few columns are in too small classes of all columns.
// So levels that fail for a single column, or for a pair, fail in every node that has them or lower ones.
#pragma once

#include <vector>

#include "shoal/evaluate.hpp"

namespace shoal {

// Per column, the lowest level that does not fail by itself; the number of levels where all do.
template <int Words, class Count>
std::vector<unsigned> lowest_feasible_levels(const Table<Words, Count>& table, const Requirement& requirement,
                                             const Stop& stop);

// Maximal failing nodes, each with all columns but two at the top. `set` is sparse or dense, at or below
// every node of interest.
template <int Words, class Count>
std::vector<Node> failing_pairs(const Table<Words, Count>& table, const FrequencySet<Words, Count>& set,
                                const Requirement& requirement, const Stop& stop);

}  // namespace shoal
