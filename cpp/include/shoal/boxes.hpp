// Tuples as records of neighbouring lanes, and the smallest and largest labels of groups of them: a compiler makes
// vector instructions of the loops.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "shoal/hierarchies.hpp"

namespace shoal {

// Columns that are compared at once.
constexpr std::size_t lanes = 8;

// Labels of neighbouring columns.
template <class Lane>
struct Block {
    std::array<Lane, lanes> lane;
};

// The smallest and the largest label of each column in groups of tuples.
template <class Lane>
struct Boxes {
    std::vector<Block<Lane>> low, high;  // [group * width + block]
    std::size_t width = 0;

    void clear(std::size_t groups, std::size_t blocks) {
        Block<Lane> most, least{};
        most.lane.fill(std::numeric_limits<Lane>::max());
        width = blocks;
        low.assign(groups * width, most);
        high.assign(groups * width, least);
    }
    void add(std::size_t group, const Block<Lane>* other_low, const Block<Lane>* other_high) noexcept {
        for (std::size_t i = 0; i < width; ++i) {
            Block<Lane>& to_low = low[group * width + i];
            Block<Lane>& to_high = high[group * width + i];
            const Block<Lane> a = to_low, b = other_low[i], c = to_high, d = other_high[i];
            Block<Lane> smallest, largest;
            for (std::size_t j = 0; j < lanes; ++j) smallest.lane[j] = std::min(a.lane[j], b.lane[j]);
            for (std::size_t j = 0; j < lanes; ++j) largest.lane[j] = std::max(c.lane[j], d.lane[j]);
            to_low = smallest;
            to_high = largest;
        }
    }
    void add(std::size_t group, const Boxes& other, std::size_t from) noexcept {
        add(group, other.low.data() + from * width, other.high.data() + from * width);
    }
    Label first(std::size_t group, std::size_t column) const noexcept {
        return static_cast<Label>(low[group * width + column / lanes].lane[column % lanes]);
    }
    Label last(std::size_t group, std::size_t column) const noexcept {
        return static_cast<Label>(high[group * width + column / lanes].lane[column % lanes]);
    }
};

// Tuples in an order that changes, with the rows of each and its number.
template <class Lane>
struct Records {
    std::size_t width = 0;             // blocks of a record
    std::vector<Block<Lane>> labels;   // [record * width + block]
    std::vector<std::uint64_t> rows;   // [record]
    std::vector<std::uint32_t> entry;  // [record]

    Label label(std::size_t record, std::size_t column) const noexcept {
        return static_cast<Label>(labels[record * width + column / lanes].lane[column % lanes]);
    }
    // Widens a box so that it has a record.
    void add_to(Boxes<Lane>& boxes, std::size_t group, std::size_t record) const noexcept {
        const Block<Lane>* const own = labels.data() + record * width;
        boxes.add(group, own, own);
    }
};

}  // namespace shoal
