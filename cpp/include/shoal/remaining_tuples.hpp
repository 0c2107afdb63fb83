// Tuples that wait for a class, grouped at any node of the lattice: thousands of times, so every step counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/cheapest_first.hpp"
#include "shoal/tuple_classes.hpp"

namespace shoal {

// One level per column, whatever their number.
using Levels = std::vector<std::uint8_t>;

class RemainingTuples {
public:
    RemainingTuples(const Tuples& tuples, std::uint64_t least_rows);

    std::size_t size() const noexcept { return ids_.size(); }
    std::span<const std::uint32_t> ids() const noexcept { return ids_; }
    // Keep the tuples that are not taken, by their number among all.
    void keep_unless(std::span<const std::uint8_t> taken);

    // Memory for grouping, one for each thread.
    struct Scratch {
        std::vector<std::uint32_t> hashes, candidates, slots, group_of, first, ends;
        std::vector<std::uint8_t> sketch;
        std::vector<std::uint64_t> rows;
    };
    // All groups of equal labels at the given levels that have `least_rows` or more, in the order of their first tuples.
    void group(const Levels& levels, Scratch& scratch, TupleGroups& groups) const;

private:
    // Some columns whose labels are numbered together.
    struct Part {
        std::vector<std::size_t> columns;
        std::vector<unsigned> levels;       // of each
        std::size_t codes = 1;              // of all together, at the lowest levels
        std::vector<std::uint32_t> labels;  // [levels][code], numbered likewise
    };
    template <class Code>
    void group_codes(const std::vector<std::vector<Code>>& codes, const Levels& levels, Scratch& scratch,
                     TupleGroups& groups) const;
    void fill(Part& part, const Tuples& tuples);

    std::uint64_t least_rows_;
    unsigned enough_;  // in the sketch, where counts are scaled to a byte
    std::vector<Part> parts_;
    std::vector<std::vector<std::uint16_t>> narrow_;  // [part][tuple], or
    std::vector<std::vector<std::uint32_t>> wide_;    // where a part has more codes
    std::vector<std::uint8_t> weights_;
    std::vector<std::uint64_t> rows_;
    std::vector<std::uint32_t> ids_;
};

}  // namespace shoal
