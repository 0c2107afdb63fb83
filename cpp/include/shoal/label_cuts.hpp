// The ways to cut a part of a table in two by the labels of one column, and how good each is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "shoal/boxes.hpp"
#include "shoal/mondrian.hpp"
#include "shoal/pair_costs.hpp"
#include "shoal/part_queue.hpp"

namespace shoal {

// The tuples with labels `first` to `last` of a column against the others.
struct Division {
    std::size_t column = 0;
    Label first = 0;
    Label last = 0;
    double score = 0;
    std::uint64_t smaller = 0;  // rows of the half with fewer
    Label choices = 0;          // labels of the column
    std::size_t place = 0;      // of the column, in the caller's order

    // So that no two are equal: the higher score, the column with fewer labels or else the first, the halves more
    // alike, the first labels. Nothing of it depends on which tuples are in memory.
    friend bool operator<(const Division& a, const Division& b) noexcept {
        if (a.score != b.score) return a.score < b.score;
        if (a.choices != b.choices) return a.choices > b.choices;
        if (a.place != b.place) return a.place > b.place;
        if (a.smaller != b.smaller) return a.smaller < b.smaller;
        return std::pair(a.first, a.last) > std::pair(b.first, b.last);
    }
};

// Divisions, the best first.
class Ranking {
public:
    void clear() noexcept { heap_.clear(); }
    void add(const Division& division) { heap_.push_back(division); }
    void rank() { std::make_heap(heap_.begin(), heap_.end()); }
    std::optional<Division> take() {
        if (heap_.empty()) return std::nullopt;
        std::pop_heap(heap_.begin(), heap_.end());
        const Division best = heap_.back();
        heap_.pop_back();
        return best;
    }

private:
    std::vector<Division> heap_;
};

// For one thread. What it is given must outlive it.
template <class Lane>
class LabelCuts {
public:
    LabelCuts(const Tuples& tuples, Cut cut, const PairCosts& costs, const Records<Lane>& records, std::uint64_t least,
              const Stop& stop)
        : tuples_(tuples),
          cut_(cut),
          costs_(costs),
          records_(records),
          least_(least),
          stop_(stop),
          cell_costs_(tuples.columns()) {}

    // Begins with another part, and returns its rows.
    std::uint64_t begin(const Part& part);
    // What a cell of each column costs if the part is one class.
    std::span<const Cost> cell_costs() const noexcept { return cell_costs_; }
    // All divisions that may be good. With `one_sided` only the half with the labels needs enough rows.
    void list(const Part& part, bool one_sided, Ranking& ranking);
    // Of the tuples before a place, where those from there on go to the half without the labels. Both need enough rows.
    void list_before(const Part& part, std::size_t place, Ranking& ranking);

private:
    std::uint64_t box(const Part& span);
    void list_boxed(const Part& span, Ranking& ranking);
    void sort_labels(const Part& span, std::size_t column);
    void list_ranges(std::size_t column);
    void score_ranges(const Part& span, std::size_t column, Ranking& ranking);
    void box_segments(const Part& span);
    Cost gain(std::size_t begin, std::size_t end, std::uint64_t rows);
    Cost cost_of_half(std::size_t half) const;

    const Tuples& tuples_;
    const Cut cut_;
    const PairCosts& costs_;
    const Records<Lane>& records_;
    const std::uint64_t least_;
    const Stop& stop_;

    // The part at hand.
    std::uint64_t rows_ = 0;
    std::vector<Cost> cell_costs_;
    Cost row_cost_ = 0;

    // The tuples of it that are to be divided, and the others.
    Boxes<Lane> whole_, outside_;
    std::uint64_t least_others_ = 0;  // rows of the half without the labels
    bool either_side_ = false;        // whether it makes a difference which half has the labels

    // The column at hand.
    std::vector<std::uint32_t> number_, number_of_;
    std::vector<Label> occurring_;
    std::vector<std::uint64_t> sorted_, rows_before_;
    std::vector<std::pair<std::size_t, std::size_t>> ranges_;
    std::vector<std::uint32_t> segment_of_;
    Boxes<Lane> own_, before_, after_, halves_;
};

}  // namespace shoal
