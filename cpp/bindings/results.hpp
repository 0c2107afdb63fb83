// What calls return to Python.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shoal/coded_table.hpp"

namespace shoal {

// Of a search.
struct SearchOutcome {
    std::optional<std::vector<unsigned>> levels;  // of the best node, if any satisfies
    std::optional<double> score;
    std::uint64_t suppressed_rows = 0;
    std::uint64_t classes = 0;
    std::size_t checked = 0;
    std::size_t tagged_satisfying = 0;
    std::size_t tagged_failing = 0;
    std::uint64_t rollups = 0;
    std::uint64_t scans = 0;
    std::uint64_t touched = 0;
    std::size_t columns = 0;
    std::optional<std::vector<std::uint8_t>> satisfying;  // [node * columns + column], where all nodes were decided
};

// Of nodes that were judged, one entry each.
struct Evaluations {
    std::vector<std::uint64_t> suppressed_rows;
    std::vector<std::uint64_t> classes;
    std::vector<double> scores;
};

// Of the classes of a node, one entry each.
struct ClassCounts {
    std::size_t columns = 0;
    std::vector<Label> labels;  // [class * columns + column]
    std::vector<std::uint64_t> rows;
};

}  // namespace shoal
