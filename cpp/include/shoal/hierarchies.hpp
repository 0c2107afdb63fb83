// The quasi-identifiers as the search sees them: how many labels each level has, and how labels map to
// the labels of a higher level. Codes are in leaf order, so every map is non-decreasing and the
// codes under one label are neighbours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/stop.hpp"

namespace shoal {

using Label = std::uint32_t;
constexpr std::size_t max_columns = 64;

// One level per column.
struct Node {
    std::array<std::uint8_t, max_columns> level{};

    std::uint8_t& operator[](std::size_t column) noexcept { return level[column]; }
    std::uint8_t operator[](std::size_t column) const noexcept { return level[column]; }
    friend bool operator==(const Node&, const Node&) = default;
};

class Hierarchies {
public:
    // maps[column][level][code] is the label of a code at a level; level 0 is the code itself.
    // Throws std::invalid_argument where a map is not non-decreasing, has gaps or is not nested.
    Hierarchies(const std::vector<std::vector<std::vector<Label>>>& maps, const Stop& stop);

    std::size_t columns() const noexcept { return columns_.size(); }
    unsigned levels(std::size_t column) const noexcept { return columns_[column].levels; }
    Label labels(std::size_t column, unsigned level) const noexcept { return columns_[column].labels[level]; }
    // The map from the labels of one level to those of another at or above it.
    std::span<const Label> step(std::size_t column, unsigned from, unsigned to) const noexcept {
        return columns_[column].steps[from * columns_[column].levels + to];
    }

private:
    struct Column {
        unsigned levels = 0;
        std::vector<Label> labels;
        std::vector<std::vector<Label>> steps;
    };
    std::vector<Column> columns_;
};

}  // namespace shoal
