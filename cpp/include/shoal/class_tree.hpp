// Finds the class that a tuple costs the least to join, without a look at most of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shoal/class_set.hpp"

namespace shoal {

class ClassTree {
public:
    // Of the given classes as they are now. For a few searches it is not worth growing.
    ClassTree(const Tuples& tuples, const CellCoster& coster, const ClassSet& classes,
              std::vector<std::uint32_t> numbers, std::size_t searches);

    struct Joined {
        Cost growth;
        std::uint32_t number;
        auto operator<=>(const Joined&) const = default;
    };
    // The class whose total cost grows the least with a tuple, if it grows less than `limit`; number is no_class otherwise.
    // With `covering`, of those whose labels cover the tuple already, at the same cost of a row.
    template <bool covering>
    Joined nearest(std::uint32_t tuple, std::uint32_t except, Cost limit) const;
    // All that grow less, the least first.
    template <bool covering>
    void within(std::uint32_t tuple, std::uint32_t except, Cost limit, std::vector<Joined>& found) const;

private:
    // What all classes of a branch have in common, in one column.
    struct Range {
        Label smallest, largest;  // of the labels that stand for their cells
        std::int32_t least_cost, most_cost;
    };
    struct Branch {
        std::uint32_t first, end;  // its classes
        std::uint32_t child;       // the first of two, or 0
        Cost least_rows;
    };
    static constexpr std::size_t leaf_size = 8;
    static constexpr std::size_t few_searches = 40;

    void order_columns(const ClassSet& classes);
    void fill(std::uint32_t branch, const ClassSet& classes);
    void cut(std::uint32_t branch, const ClassSet& classes);
    template <bool covering>
    Cost bound(std::uint32_t branch, const Label* labels, Cost rows, Cost limit) const noexcept;
    template <bool covering, class Visit>
    void visit(std::uint32_t tuple, std::uint32_t except, Cost& limit, Visit visit) const;

    const Tuples& tuples_;
    const CellCoster& coster_;
    std::vector<std::size_t> order_;  // of the columns
    std::vector<std::uint32_t> numbers_;
    std::vector<Branch> branches_;
    std::vector<Range> ranges_;  // [branch][column], in this order
    std::vector<Cell> cells_;    // [class][column], likewise, in the order of numbers_
    std::vector<Cost> rows_;
    std::vector<Cost> costs_;
};

}  // namespace shoal
