// What a search minimises, as data. A measure is a sum over columns that depends on the levels alone,
// plus a term of the class sizes, plus what suppressed rows cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "shoal/hierarchies.hpp"
#include "shoal/loops.hpp"

namespace shoal {

enum class ClassTerm : std::uint8_t {
    none,
    squares,       // sum of n^2 over all classes
    kept_squares,  // sum of n^2 over kept classes, and `rows` for each suppressed row
    mean_size,     // rows per class, divided by `divisor`
    logs,          // `constant` and `scale` times the sum of n ln n over all classes, beside the columns
    minority,      // rows that lack the value of `attribute` most frequent in their class, and suppressed rows
};

// How the costs of columns come together.
enum class Aggregate : std::uint8_t {
    mean,    // their weighted sum
    max,     // the largest
    ranked,  // the largest counts half, the next a quarter, and so on
};

struct Objective {
    ClassTerm term = ClassTerm::none;
    double rows = 0;
    double divisor = 1;
    double constant = 0;
    double scale = 1;
    std::size_t attribute = 0;
    Aggregate aggregate = Aggregate::mean;
    // Columns are in the caller's order here, and sums run in it, so that every implementation rounds alike.
    // weights[column] times level_costs[column][level], the cost of all cells, is the column's share.
    std::vector<double> weights;
    std::vector<std::vector<double>> level_costs;
    // label_costs[column][level][label] is the cost of one cell. Where given, a suppressed cell costs 1
    // instead and the score is not monotone; where empty, suppression does not count.
    std::vector<std::vector<std::vector<double>>> label_costs;

    bool counts_suppressed_cells() const noexcept { return !label_costs.empty(); }
    bool monotone() const noexcept {
        return label_costs.empty() && term != ClassTerm::kept_squares && term != ClassTerm::minority;
    }
    bool looks_at_contents() const noexcept { return term == ClassTerm::minority; }
    // The levels alone give the lower bound.
    bool separable() const noexcept { return term == ClassTerm::none; }
    Detail detail() const noexcept;
};

// A node's place among all nodes: score, then lattice level, then mean relative level, then the level
// vector in column order.
struct Rank {
    double score = 0;  // canonical
    unsigned height = 0;
    double relative = 0;
    Node levels;       // as the user counts them, in the caller's column order
    double value = 0;  // the score as computed, for showing it; it takes no part in the order
    friend bool operator<(const Rank& a, const Rank& b) noexcept {
        return std::tie(a.score, a.height, a.relative, a.levels.level) <
               std::tie(b.score, b.height, b.relative, b.levels.level);
    }
};

// Scores that differ by rounding only must tie: 40 bits (12 digits) are kept, whole numbers stay exact.
double canonical(double score) noexcept;

}  // namespace shoal
