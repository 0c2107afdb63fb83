// The lattice of nodes, and what is known of each. What a check tells of one node holds for all its
// generalizations or all its specializations; tagging writes that down.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "shoal/hierarchies.hpp"
#include "shoal/stop.hpp"

namespace shoal {

// All nodes from `low` to `high`, both included.
struct Box {
    Node low;
    Node high;
};

// Tags of a node; an untagged node is undecided.
enum Tag : std::uint8_t {
    satisfies = 1,
    fails = 2,
    dominated = 4,  // cannot beat the best node found
    scored = 8,     // its own score was computed
    checked = 16,   // its own frequency set was computed
};

// A search keeps a byte per node.
constexpr std::size_t max_nodes = std::size_t{1} << 28;

class Lattice {
public:
    explicit Lattice(const Hierarchies& hierarchies);

    std::size_t columns() const noexcept { return columns_; }
    // More than `max_nodes` where there are more.
    std::size_t size() const noexcept { return size_; }
    unsigned levels(std::size_t column) const noexcept { return levels_[column]; }
    std::size_t stride(std::size_t column) const noexcept { return strides_[column]; }
    const Node& top() const noexcept { return top_; }

    std::size_t index(const Node& node) const noexcept {
        std::size_t index = 0;
        for (std::size_t column = 0; column < columns_; ++column) index += strides_[column] * node[column];
        return index;
    }
    Node node(std::size_t index) const noexcept;

    // Columns by falling stride; the last one is contiguous.
    const std::vector<std::size_t>& order() const noexcept { return order_; }

private:
    std::size_t columns_;
    std::size_t size_ = 1;
    std::vector<unsigned> levels_;
    std::vector<std::size_t> strides_;
    std::vector<std::size_t> order_;
    Node top_;
};

// One byte per node. Threads share it: tags are only ever added, and one that comes late costs a check,
// never a wrong answer.
class TagMap {
public:
    TagMap(const Lattice& lattice, const Stop& stop);

    std::uint8_t at(std::size_t index) const noexcept { return tags_[index].load(std::memory_order_relaxed); }
    std::uint8_t at(const Node& node) const noexcept { return at(lattice_.index(node)); }

    // Each returns how many nodes were undecided before.
    std::size_t tag(const Node& node, std::uint8_t tags) noexcept;
    std::size_t tag_generalizations(const Node& node, std::uint8_t tags);
    std::size_t tag_specializations(const Node& node, std::uint8_t tags);

    // Shrink a box to the smallest one around its undecided nodes; returns how many there are.
    std::size_t shrink(Box& box) const;

private:
    std::size_t tag_up(const Node& node, std::uint8_t tags, std::size_t depth, std::size_t base);
    std::size_t tag_down(const Node& node, std::uint8_t tags, std::size_t depth, std::size_t base);
    std::size_t set(std::size_t index, std::uint8_t tags) noexcept;
    std::size_t find(const Box& box, Box& found, std::size_t depth, std::size_t base) const;
    // Within one step of a long stride there may be as many nodes.
    void poll(std::size_t stride) const {
        if (stride >= polled_piece) stop_.poll();
    }

    const Lattice& lattice_;
    const Stop& stop_;
    std::vector<std::atomic<std::uint8_t>> tags_;
};

}  // namespace shoal
