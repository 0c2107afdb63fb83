// Classes of tuples that change: what they cost, and what they would cost with a tuple more or fewer.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "shoal/cell_costs.hpp"
#include "shoal/tuple_classes.hpp"

namespace shoal {

class ClassSet {
public:
    ClassSet(const Tuples& tuples, const CellCoster& coster)
        : tuples_(tuples), coster_(coster), class_of_(tuples.size(), no_class) {}

    // Classes keep their number; one without tuples is none.
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(classes_.size()); }
    std::span<const std::uint32_t> tuples(std::uint32_t number) const noexcept { return classes_[number].tuples; }
    std::uint64_t rows(std::uint32_t number) const noexcept { return classes_[number].rows; }
    // Of a row.
    Cost cost(std::uint32_t number) const noexcept { return classes_[number].cost; }
    Cost total_cost(std::uint32_t number) const noexcept {
        return static_cast<Cost>(classes_[number].rows) * classes_[number].cost;
    }
    std::span<const Cell> cells(std::uint32_t number) const noexcept {
        return std::span(cells_).subspan(number * coster_.columns(), coster_.columns());
    }
    std::uint32_t class_of(std::uint32_t tuple) const noexcept { return class_of_[tuple]; }

    std::uint32_t add(std::span<const std::uint32_t> tuples);
    // Other tuples for a class without.
    void refill(std::uint32_t number, std::span<const std::uint32_t> tuples);
    // How much all rows together cost more once a tuple is in a class too.
    Cost growth(std::uint32_t number, std::uint32_t tuple) const noexcept;
    // Whether the class has room for a tuple at the same cost.
    bool covers(std::uint32_t number, std::uint32_t tuple) const noexcept;
    void join(std::uint32_t number, std::uint32_t tuple);
    void leave(std::uint32_t tuple);
    // Put all tuples of one class into another.
    void merge(std::uint32_t from, std::uint32_t into);
    // The tuples are in no class any more.
    void clear(std::uint32_t number);
    // The tuples are in other classes by now.
    void forget(std::uint32_t number) { classes_[number] = Class{}; }

    // What tuples would have as a class, and cost a row.
    std::vector<Cell> cells_of(std::span<const std::uint32_t> tuples) const;
    Cost cost_of(std::span<const std::uint32_t> tuples) const noexcept;
    Cost cost_together(std::uint32_t a, std::uint32_t b) const noexcept;
    // What the class of each tuple would cost a row without the tuple, in the order of tuples(number).
    void costs_without(std::uint32_t number, std::vector<Cost>& costs) const;

    // A class before others join it.
    struct Saved {
        std::uint32_t number;
        std::size_t tuples;
        std::uint64_t rows;
        Cost cost;
        std::vector<Cell> cells;
    };
    Saved saved(std::uint32_t number) const;
    // Those that joined since go back to the class that they came from, whose list still has them.
    void restore(const Saved& saved, std::uint32_t came_from);

private:
    struct Class {
        std::vector<std::uint32_t> tuples;
        std::uint64_t rows = 0;
        Cost cost = 0;
    };
    void measure(std::uint32_t number);

    const Tuples& tuples_;
    const CellCoster& coster_;
    std::vector<Class> classes_;
    std::vector<Cell> cells_;  // [class][column]
    std::vector<std::uint32_t> class_of_;
};

}  // namespace shoal
