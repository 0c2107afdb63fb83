// The ways to cut a part of a table into halves: at the median of a column, or through each bucket of sensitive values at
// the bucket's own median, so that both halves keep the mix of these values.
// To halve buckets is what BUREL does (J. Cao, P. Karras, PVLDB 2012), and the distributed Incognito framework (IEEE
// International Congress on Big Data 2017). To try it where no other cut of a Mondrian passes is ours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/boxes.hpp"
#include "shoal/part_queue.hpp"
#include "shoal/stop.hpp"
#include "shoal/tuple_classes.hpp"

namespace shoal {

struct HalvingCut {
    Cost cost = 0;  // of all cells of columns that have several values, in both halves
    std::size_t column = 0;
    std::size_t place = 0;  // of the column, in the caller's order
    Label last = 0;         // of the first half, where it is cut by labels
    bool through_buckets = false;

    // So that no two of a kind are equal.
    friend bool operator<(const HalvingCut& a, const HalvingCut& b) noexcept {
        return a.cost != b.cost ? a.cost < b.cost : a.place < b.place;
    }
};

// For one thread. What it is given must outlive it.
template <class Lane>
class HalvingCuts {
public:
    // `bucket_of[tuple]` is a small number; empty where there are no buckets.
    HalvingCuts(const Tuples& tuples, std::span<const std::uint32_t> chosen, const Records<Lane>& records,
                std::span<const std::uint32_t> bucket_of, std::uint64_t least, const Stop& stop);

    bool has_buckets() const noexcept { return buckets_ > 0; }
    // The cuts of a part, the cheapest first, both halves with enough rows. They hold until the next call.
    std::span<const HalvingCut> by_labels(const Part& part);
    std::span<const HalvingCut> by_buckets(const Part& part);
    // Whether a record of the part goes to the first half, wherever cuts that failed have moved it.
    bool is_first(const HalvingCut& cut, std::size_t record) const noexcept {
        return cut.through_buckets ? first_[cut.column][place_of_[records_.entry[record]]] != 0
                                   : records_.label(record, cut.column) <= cut.last;
    }

private:
    void begin(const Part& part);
    void add_by_labels(const Part& part, std::size_t column);
    void add_by_buckets(const Part& part, std::size_t column);
    void sort_by_bucket(const Part& part);
    void add(const Part& part, HalvingCut cut);
    Cost cost(const Boxes<Lane>& boxes, std::size_t group, std::size_t column) const noexcept {
        return tuples_.common_cost(column, boxes.first(group, column), boxes.last(group, column));
    }

    const Tuples& tuples_;
    const std::span<const std::uint32_t> chosen_, bucket_of_;
    const Records<Lane>& records_;
    const std::uint64_t least_;
    const Stop& stop_;
    std::size_t buckets_ = 0;

    // The part at hand: its box, its rows, and the columns with several values that cost something.
    Boxes<Lane> whole_, halves_;
    std::uint64_t rows_ = 0;
    std::vector<std::size_t> columns_;
    std::vector<HalvingCut> cuts_;
    std::vector<std::uint64_t> rows_at_;  // [label - smallest label]
    std::vector<std::uint32_t> order_, sorted_, by_label_;  // records
    std::vector<std::uint32_t> starts_;                     // [bucket] in `sorted_`
    std::vector<std::uint32_t> place_of_;                   // [entry] among those of the part
    std::vector<std::vector<std::uint8_t>> first_;          // [column][place] whether in the first half
};

}  // namespace shoal
