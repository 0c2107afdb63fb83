// Classes that are not one level per column: every tuple of F0 is put into a class, and the labels of a class are the
// lowest ones that cover its tuples. How tuples are put together is in mondrian.hpp and cheapest_classes.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "shoal/hierarchies.hpp"
#include "shoal/stop.hpp"

namespace shoal {

// What a cell costs, in whole numbers: sums do not depend on the order of rows, nor on threads.
using Cost = std::int64_t;
// All cells of a row together cost at most this.
constexpr Cost full_cost = Cost{1} << 28;
// More than a cell can cost: of tuples that no allowed label covers together. It can be multiplied by all rows of a table.
constexpr Cost no_label = Cost{1} << 30;

using CellCosts = std::vector<std::vector<std::vector<Cost>>>;

// What ranges cost, in a column whose classes are printed as ranges: from label a to label b it is last[b] - first[a].
struct RangeCosts {
    std::vector<Cost> first, last;  // [label], at the lowest level; both empty where labels are those of the hierarchy
};

// The tuples of F0, column by column. Labels of a column that belong together are neighbours (hierarchies.hpp), so the
// smallest and the largest label of a class tell which label covers it.
struct Tuples {
    const Hierarchies& hierarchies;
    std::vector<std::vector<Label>> labels;                // [column][tuple], at the lowest level
    std::vector<std::uint64_t> rows;                       // [tuple]
    CellCosts costs;                                       // [column][level][label], of one cell
    std::vector<RangeCosts> ranges;                        // [column]
    std::vector<std::size_t> place;                        // [column] in the caller's order

    std::size_t size() const noexcept { return rows.size(); }
    std::size_t columns() const noexcept { return labels.size(); }

    // The lowest level with one label for two labels of the lowest level, or the number of levels if there is none.
    unsigned common_level(std::size_t column, Label a, Label b) const noexcept {
        const unsigned levels = hierarchies.levels(column);
        unsigned level = 0;
        while (level < levels && hierarchies.step(column, 0, level)[a] != hierarchies.step(column, 0, level)[b]) ++level;
        return level;
    }
    bool has_ranges(std::size_t column) const noexcept { return !ranges[column].first.empty(); }
    // What a cell of a column costs in a class whose smallest label is a and whose largest is b.
    Cost common_cost(std::size_t column, Label a, Label b) const noexcept {
        const unsigned level = common_level(column, a, b);
        const Cost node =
            level < hierarchies.levels(column) ? costs[column][level][hierarchies.step(column, 0, level)[a]] : no_label;
        if (a == b || !has_ranges(column)) return node;
        return std::min(node, ranges[column].last[b] - ranges[column].first[a]);
    }
};

// Says which groups of tuples may be released as classes. For one thread.
class GroupTests {
public:
    virtual ~GroupTests() = default;
    // Whether a group passes by its rows alone, which must be `least_rows()` or more.
    virtual bool rows_only() const noexcept = 0;
    virtual std::uint64_t least_rows() const noexcept = 0;
    // Group g has the tuples from starts[g] to starts[g + 1]. The answer holds until the next call: 1 for what passes.
    virtual std::span<const std::uint8_t> run(std::span<const std::uint32_t> tuples,
                                              std::span<const std::uint32_t> starts) = 0;
    bool passes(std::span<const std::uint32_t> tuples) {
        const std::uint32_t starts[] = {0, static_cast<std::uint32_t>(tuples.size())};
        return run(tuples, starts)[0] != 0;
    }
};

// Makes the tests of one thread.
using MakeTests = std::function<std::unique_ptr<GroupTests>()>;

// The class of every tuple, numbered from 0 without gaps; `no_class` for tuples that no class could take.
constexpr std::uint32_t no_class = std::numeric_limits<std::uint32_t>::max();
struct TupleClasses {
    std::vector<std::uint32_t> class_of;
    std::uint32_t classes = 0;
};

}  // namespace shoal
