#include "shoal/label_cuts.hpp"

#include <cmath>
#include <functional>
#include <span>

namespace shoal {

template <class Lane>
std::uint64_t LabelCuts<Lane>::begin(const Part& part) {
    rows_ = box(part);
    row_cost_ = 0;
    for (std::size_t column = 0; column < cell_costs_.size(); ++column) {
        cell_costs_[column] = costs_.of(column, whole_.first(0, column), whole_.last(0, column));
        row_cost_ += cell_costs_[column];
    }
    return rows_;
}

template <class Lane>
void LabelCuts<Lane>::list(const Part& part, bool one_sided, Ranking& ranking) {
    outside_.clear(1, records_.width);
    either_side_ = one_sided;
    least_others_ = one_sided ? 1 : least_;
    list_boxed(part, ranking);
}

template <class Lane>
void LabelCuts<Lane>::list_before(const Part& part, std::size_t place, Ranking& ranking) {
    const Part span{part.begin, place};
    outside_.clear(1, records_.width);
    for (std::size_t i = place; i < part.end; ++i) records_.add_to(outside_, 0, i);
    either_side_ = true;
    least_others_ = least_;
    ranking.clear();
    if (box(span) > least_) list_boxed(span, ranking);
}

// Boxes some of the part's tuples, and counts their rows.
template <class Lane>
std::uint64_t LabelCuts<Lane>::box(const Part& span) {
    whole_.clear(1, records_.width);
    std::uint64_t rows = 0;
    in_pieces(span.size(), stop_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = span.begin + begin; i < span.begin + end; ++i) {
            records_.add_to(whole_, 0, i);
            rows += records_.rows[i];
        }
    });
    return rows;
}

// The divisions of the tuples that were boxed last.
template <class Lane>
void LabelCuts<Lane>::list_boxed(const Part& span, Ranking& ranking) {
    ranking.clear();
    for (std::size_t column = 0; column < tuples_.columns(); ++column) {
        if (whole_.first(0, column) == whole_.last(0, column)) continue;
        if (cut_ == Cut::median && cell_costs_[column] == 0) continue;
        sort_labels(span, column);
        list_ranges(column);
        if (!ranges_.empty()) score_ranges(span, column, ranking);
    }
    ranking.rank();
}

// The labels of a column that occur, numbered upwards; the number of each tuple; and the rows before each label.
template <class Lane>
void LabelCuts<Lane>::sort_labels(const Part& span, std::size_t column) {
    const Label low = whole_.first(0, column);
    const std::size_t range = whole_.last(0, column) - low + std::size_t{1};
    const std::size_t size = span.size();
    const auto label = [&](std::size_t i) { return records_.label(span.begin + i, column); };
    stop_.poll();
    number_.resize(size);
    occurring_.clear();
    if (range <= 4 * size) {
        number_of_.assign(range, 0);
        for (std::size_t i = 0; i < size; ++i) number_of_[label(i) - low] = 1;
        for (std::size_t l = 0; l < range; ++l) {
            if (number_of_[l] == 0) continue;
            number_of_[l] = static_cast<std::uint32_t>(occurring_.size());
            occurring_.push_back(static_cast<Label>(low + l));
        }
        for (std::size_t i = 0; i < size; ++i) number_[i] = number_of_[label(i) - low];
    } else {
        sorted_.resize(size);
        for (std::size_t i = 0; i < size; ++i) {
            sorted_[i] = std::uint64_t{label(i)} << 32 | i;
        }
        sort_in_pieces(sorted_.begin(), sorted_.end(), stop_, std::less<>());
        for (const std::uint64_t pair : sorted_) {
            const auto found = static_cast<Label>(pair >> 32);
            if (occurring_.empty() || occurring_.back() != found) occurring_.push_back(found);
            number_[static_cast<std::uint32_t>(pair)] = static_cast<std::uint32_t>(occurring_.size() - 1);
        }
    }
    rows_before_.assign(occurring_.size() + 1, 0);
    for (std::size_t i = 0; i < size; ++i) rows_before_[number_[i] + 1] += records_.rows[span.begin + i];
    for (std::size_t n = 0; n < occurring_.size(); ++n) rows_before_[n + 1] += rows_before_[n];
}

// Ranges of occurring labels, each against the others, where these have enough rows.
template <class Lane>
void LabelCuts<Lane>::list_ranges(std::size_t column) {
    ranges_.clear();
    const auto list = [&](std::size_t begin, std::size_t end) {
        const std::uint64_t rows = rows_before_[end] - rows_before_[begin];
        if (rows >= least_ && rows_ - rows >= least_others_) ranges_.push_back({begin, end});
    };
    const std::size_t size = occurring_.size();
    for (unsigned level = 0; cut_ != Cut::median && level < tuples_.hierarchies.levels(column); ++level) {
        const std::span<const Label> up = tuples_.hierarchies.step(column, 0, level);
        const std::span<const Label> below = tuples_.hierarchies.step(column, 0, level > 0 ? level - 1 : 0);
        if (up[occurring_.front()] == up[occurring_.back()]) break;
        for (std::size_t begin = 0, end = 0; begin < size; begin = end) {
            while (end < size && up[occurring_[end]] == up[occurring_[begin]]) ++end;
            const bool listed = level > 0 && below[occurring_[begin]] == below[occurring_[end - 1]];
            if (!listed) list(begin, end);
        }
    }
    if (cut_ == Cut::peel && !tuples_.has_ranges(column)) return;
    for (std::size_t place = 1; place < size; ++place) {
        list(0, place);
        if (either_side_) list(place, size);
    }
    std::sort(ranges_.begin(), ranges_.end());
    ranges_.erase(std::unique(ranges_.begin(), ranges_.end()), ranges_.end());
}

template <class Lane>
void LabelCuts<Lane>::score_ranges(const Part& span, std::size_t column, Ranking& ranking) {
    if (cut_ != Cut::median) box_segments(span);
    const Label choices = tuples_.hierarchies.labels(column, 0);
    for (const auto& [begin, end] : ranges_) {
        const std::uint64_t rows = rows_before_[end] - rows_before_[begin];
        const std::uint64_t smaller = std::min(rows, rows_ - rows);
        Division division{column, occurring_[begin], occurring_[end - 1], 0, smaller, choices,
                          tuples_.place[column]};
        if (cut_ == Cut::median) {
            division.score = static_cast<double>(cell_costs_[column]);
        } else {
            const Cost saved = gain(segment_of_[begin], segment_of_[end], rows);
            // What saves nothing may let later cuts save something.
            if (saved < 0 || (saved == 0 && cell_costs_[column] == 0)) continue;
            // Small halves go first, but not at any price: by the fourth root adult loses least.
            division.score = static_cast<double>(saved) / std::sqrt(std::sqrt(static_cast<double>(smaller)));
        }
        ranking.add(division);
    }
}

// Labels that no range separates are a segment. The boxes of single segments, of all before each, and of all from
// each on.
template <class Lane>
void LabelCuts<Lane>::box_segments(const Part& span) {
    segment_of_.assign(occurring_.size() + 1, 0);
    for (const auto& [begin, end] : ranges_) segment_of_[begin] = segment_of_[end] = 1;
    segment_of_[0] = 0;
    for (std::size_t n = 0; n < occurring_.size(); ++n) segment_of_[n + 1] += segment_of_[n];
    const std::size_t segments = segment_of_[occurring_.size() - 1] + std::size_t{1};
    segment_of_[occurring_.size()] = static_cast<std::uint32_t>(segments);
    own_.clear(segments, records_.width);
    in_pieces(span.size(), stop_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) records_.add_to(own_, segment_of_[number_[i]], span.begin + i);
    });
    before_.clear(segments + 1, records_.width);
    after_.clear(segments + 1, records_.width);
    for (std::size_t n = 0; n < segments; ++n) {
        before_.add(n + 1, before_, n);
        before_.add(n + 1, own_, n);
    }
    after_.add(segments, outside_, 0);
    for (std::size_t n = segments; n-- > 0;) {
        after_.add(n, after_, n + 1);
        after_.add(n, own_, n);
    }
}

// What all cells of the part cost less after a cut.
template <class Lane>
Cost LabelCuts<Lane>::gain(std::size_t begin, std::size_t end, std::uint64_t rows) {
    halves_.clear(2, records_.width);
    if (begin == 0) {
        halves_.add(0, before_, end);
    } else {
        for (std::size_t n = begin; n < end; ++n) halves_.add(0, own_, n);
    }
    halves_.add(1, before_, begin);
    halves_.add(1, after_, end);
    return static_cast<Cost>(rows_) * row_cost_ - static_cast<Cost>(rows) * cost_of_half(0) -
           static_cast<Cost>(rows_ - rows) * cost_of_half(1);
}
template <class Lane>
Cost LabelCuts<Lane>::cost_of_half(std::size_t half) const {
    Cost sum = 0;
    for (std::size_t column = 0; column < cell_costs_.size(); ++column) {
        sum += costs_.of(column, halves_.first(half, column), halves_.last(half, column));
    }
    return sum;
}

template class LabelCuts<std::int16_t>;
template class LabelCuts<std::int32_t>;

}  // namespace shoal
