// What the cells of a class cost, found in a few steps.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/tuple_classes.hpp"

namespace shoal {

// A cell of a class: the level of its label, a label of the lowest level that it covers, and its cost.
struct Cell {
    Label label = 0;
    std::int32_t level = 0;
    std::int32_t cost = 0;
};

// A label is taken to cost at least as much as every label that it covers. So a class that grows never costs less.
class CellCoster {
public:
    explicit CellCoster(const Tuples& tuples);

    std::size_t columns() const noexcept { return columns_.size(); }
    // As Tuples::common_level, in constant time.
    unsigned common_level(std::size_t column, Label a, Label b) const noexcept {
        if (a == b) return 0;
        if (a > b) std::swap(a, b);
        const Column& of = columns_[column];
        const unsigned width = static_cast<unsigned>(std::bit_width(b - a)) - 1;
        const std::uint8_t* const row = of.between.data() + std::size_t{width} * of.values;
        return std::max(row[a], row[b - (Label{1} << width)]);
    }
    std::int32_t cost(std::size_t column, unsigned level, Label label) const noexcept {
        const Column& of = columns_[column];
        return of.costs[std::size_t{level} * of.values + label];
    }
    std::int32_t common_cost(std::size_t column, Label a, Label b) const noexcept {
        return cost(column, common_level(column, a, b), a);
    }
    Cell cell(std::size_t column, Label smallest, Label largest) const noexcept {
        const unsigned level = common_level(column, smallest, largest);
        return {smallest, static_cast<std::int32_t>(level), cost(column, level, smallest)};
    }
    // What the cell costs once it covers another label too.
    std::int32_t joined_cost(std::size_t column, const Cell& cell, Label label) const noexcept {
        const unsigned level = common_level(column, cell.label, label);
        return static_cast<std::int32_t>(level) <= cell.level ? cell.cost : cost(column, level, label);
    }
    // The lowest cost of a label of a level.
    std::int32_t least_cost(std::size_t column, unsigned level) const noexcept {
        return columns_[column].least[level];
    }

private:
    struct Column {
        std::size_t values = 0;
        // [width * values + label]: the level that covers 2^width + 1 labels from this one on.
        std::vector<std::uint8_t> between;
        std::vector<std::int32_t> costs;  // [level * values + label], and `no_label` above the last level
        std::vector<std::int32_t> least;  // [level]
    };
    std::vector<Column> columns_;
};

}  // namespace shoal
