#include "shoal/evaluate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

namespace shoal {

template <int Words, class Count>
FrequencySet<Words, Count> Evaluator<Words, Count>::roll(const Set& from, const Node& to) {
    if (from.node == to) return from.copy(table_.arena);
    Set target;
    roll_into(from, to, target);
    // A sparse result was only known to be no larger than its source.
    return 2 * target.size < target.counts.size() ? target.copy(table_.arena) : std::move(target);
}

template <int Words, class Count>
void Evaluator<Words, Count>::roll_into(const Set& from, const Node& to, Set& target, bool project) {
    count_rollup(from);
    roller_.roll(from, to, target, project ? &projection_ : nullptr);
    if (uses_contents_) fill_contents(from, target, true);
}

// Merge what the classes of `from` hold, which was just rolled up into `target`. A set that is not kept needs no
// keys of its own.
template <int Words, class Count>
void Evaluator<Words, Count>::fill_contents(const Set& from, Set& target, bool keep) {
    Contents<Words, Count>& contents = target.contents;
    const std::span<const std::uint32_t> positions = roller_.places(from, target);
    contents.listed = target.dense;
    contents.classes = target.size;
    std::span<const std::uint32_t> places = positions;
    if (target.dense) {
        // Number the cells that have a class, in the order of the source.
        if (class_of_cell_.size() < target.size) class_of_cell_.resize(target.size, 0);
        std::uint32_t* const cells = contents.cells.require(table_.arena, positions.size());
        places_.resize(positions.size());
        first_sources_.resize(positions.size());
        std::uint32_t classes = 0;
        for (std::size_t i = 0; i < positions.size(); ++i) {
            std::uint32_t& number = class_of_cell_[positions[i]];
            cells[classes] = positions[i];
            first_sources_[classes] = static_cast<std::uint32_t>(i);
            const bool fresh = number == 0;
            number += fresh ? classes + 1 : 0;
            classes += fresh;
            places_[i] = number - 1;
        }
        for (std::uint32_t c = 0; c < classes; ++c) class_of_cell_[cells[c]] = 0;
        contents.classes = classes;
        places = places_;
        if (keep) {
            roller_.raise_keys(from, target.node, {first_sources_.data(), classes},
                               contents.keys.require(table_.arena, classes));
        }
    }
    merger_.merge(from.contents.histograms, places, contents.classes, contents.histograms);
}

template <int Words, class Count>
auto Evaluator<Words, Count>::glance(const Set& set) const -> Judged {
    stop_.poll();
    const auto k = static_cast<Count>(std::min<std::uint64_t>(requirement_.k, std::numeric_limits<Count>::max()));
    Judged judged{.set = &set, .tally = loops<Count>().tally(set.counts.data(), set.size, k, detail_)};
    judged.satisfied = judged.tally.failing_rows <= requirement_.limit;
    judged.hopeless = !judged.satisfied;
    if (objective_.term == ClassTerm::logs) judged.logs = sum_of_logs(set);
    return judged;
}

template <int Words, class Count>
auto Evaluator<Words, Count>::judge(const Set& set) -> Judged {
    Judged judged = glance(set);
    if (uses_contents_) test(set, judged);
    return judged;
}

template <int Words, class Count>
auto Evaluator<Words, Count>::judge(const Set& from, const Node& to) -> Judged {
    if (from.node == to) return judge(from);
    count_rollup(from);
    roller_.roll(from, to, scratch_);
    Judged judged = glance(scratch_);
    // What classes hold is looked at only where their sizes are not too small already.
    if (uses_contents_ && judged.satisfied) {
        fill_contents(from, scratch_, false);
        test(scratch_, judged);
    }
    return judged;
}

template <int Words, class Count>
void Evaluator<Words, Count>::test(const Set& set, Judged& judged) {
    const Contents<Words, Count>& contents = set.contents;
    std::span<const Count> sizes{set.counts.data(), set.size};
    if (set.dense) {
        sizes_.resize(contents.classes);
        for (std::size_t c = 0; c < contents.classes; ++c) sizes_[c] = set.counts[contents.cells[c]];
        sizes = sizes_;
    }
    if (judged.satisfied) {
        const auto verdict = tests_.run(sizes, contents.histograms);
        judged.satisfied = verdict.satisfied;
        judged.hopeless = verdict.hopeless;
        judged.tally.failing_rows = verdict.failing_rows;
        if (judged.satisfied && objective_.term == ClassTerm::kept_squares) {
            judged.tally.failing_squares = 0;
            for (std::size_t c = 0; c < sizes.size(); ++c) {
                const std::uint64_t n = tests_.fails()[c] != 0 ? sizes[c] : 0;
                judged.tally.failing_squares += n * n;
            }
        }
    }
    if (objective_.looks_at_contents()) {
        const std::size_t attribute = objective_.attribute;
        const auto found = tests_.minority(sizes, contents.histograms[attribute], attribute, judged.satisfied);
        judged.minority = found.rows;
        judged.failing_majority = found.failing_majority;
    }
}

// By size, smallest first, so that it does not depend on the order in which the classes stand.
template <int Words, class Count>
double Evaluator<Words, Count>::sum_of_logs(const Set& set) const {
    std::array<std::uint64_t, 1024> small{};
    std::map<std::uint64_t, std::uint64_t> large;
    in_pieces(set.size, stop_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint64_t n = set.counts[i];
            if (n < small.size()) {
                ++small[n];
            } else {
                ++large[n];
            }
        }
    });
    double sum = 0;
    const auto add = [&](std::uint64_t n, std::uint64_t classes) {
        sum += static_cast<double>(classes) * (static_cast<double>(n) * std::log(static_cast<double>(n)));
    };
    for (std::size_t n = 2; n < small.size(); ++n) {
        if (small[n] != 0) add(n, small[n]);
    }
    for (const auto& [n, classes] : large) add(n, classes);
    return sum;
}

template <int Words, class Count>
double Evaluator<Words, Count>::aggregate(std::vector<double>& columns) const {
    double sum = 0;
    switch (objective_.aggregate) {
        case Aggregate::mean:
            for (const double column : columns) sum += column;
            return sum;
        case Aggregate::max: return *std::max_element(columns.begin(), columns.end());
        default: break;
    }
    std::sort(columns.begin(), columns.end(), std::greater<>());
    double factor = 1;
    for (const double column : columns) sum += column * (factor /= 2);
    return sum / (1 - factor);
}

template <int Words, class Count>
double Evaluator<Words, Count>::cell_costs(const Node& node) const {
    if (objective_.aggregate == Aggregate::mean) {
        double sum = 0;
        for (std::size_t c = 0; c < objective_.level_costs.size(); ++c) {
            sum += objective_.weights[c] * objective_.level_costs[c][node[table_.position[c]]];
        }
        return sum;
    }
    std::vector<double> columns;
    for (std::size_t c = 0; c < objective_.level_costs.size(); ++c) {
        columns.push_back(objective_.weights[c] * objective_.level_costs[c][node[table_.position[c]]]);
    }
    return aggregate(columns);
}

template <int Words, class Count>
double Evaluator<Words, Count>::log_score(const Node& node, double logs) const {
    constexpr double least = 1e-12;  // what is less is rounding
    const double score = objective_.constant + objective_.scale * logs + cell_costs(node);
    return score < least ? 0 : score;
}

template <int Words, class Count>
double Evaluator<Words, Count>::bound(const Node& node, const Judged& judged) const {
    switch (objective_.term) {
        case ClassTerm::squares:
        case ClassTerm::kept_squares: return static_cast<double>(judged.tally.squares);
        case ClassTerm::mean_size: return canonical(mean_size(judged.tally));
        case ClassTerm::logs: return canonical(log_score(node, judged.logs));
        case ClassTerm::minority: return canonical(static_cast<double>(judged.minority) / objective_.divisor);
        default: break;
    }
    // With suppressed cells the score is summed in another way; the slack covers its rounding.
    constexpr double slack = 1 - 1e-11;
    return objective_.counts_suppressed_cells() ? cell_costs(node) * slack : canonical(cell_costs(node));
}

template <int Words, class Count>
double Evaluator<Words, Count>::score(const Judged& judged) const {
    const Tally& tally = judged.tally;
    const Node& node = judged.set->node;
    switch (objective_.term) {
        case ClassTerm::squares: return static_cast<double>(tally.squares);
        case ClassTerm::kept_squares:
            return static_cast<double>(tally.squares - tally.failing_squares) +
                   objective_.rows * static_cast<double>(tally.failing_rows);
        case ClassTerm::mean_size: return mean_size(tally);
        case ClassTerm::logs: return log_score(node, judged.logs);
        case ClassTerm::minority:
            return static_cast<double>(judged.minority + judged.failing_majority) / objective_.divisor;
        default: break;
    }
    if (!objective_.counts_suppressed_cells() || tally.failing_rows == 0) return cell_costs(node);
    return cell_costs_with_suppression(*judged.set, tally.failing_rows);
}

template <int Words, class Count>
double Evaluator<Words, Count>::mean_size(const Tally& tally) const {
    return objective_.rows / static_cast<double>(tally.classes) / objective_.divisor;
}

template <int Words, class Count>
double Evaluator<Words, Count>::cell_costs_with_suppression(const Set& set, std::uint64_t suppressed) const {
    std::vector<std::vector<std::uint64_t>> lost(table_.position.size());
    count_suppressed_labels(set, lost);
    std::vector<double> columns;
    for (std::size_t c = 0; c < lost.size(); ++c) {
        const std::size_t column = table_.position[c];
        const unsigned level = set.node[column];
        double cells = 0;
        for (std::size_t label = 0; label < lost[column].size(); ++label) {
            cells += static_cast<double>(lost[column][label]) * objective_.label_costs[c][level][label];
        }
        columns.push_back(objective_.weights[c] *
                          (objective_.level_costs[c][level] - cells + static_cast<double>(suppressed)));
    }
    return aggregate(columns);
}

// counts[column][label] = rows of failing classes with that label.
template <int Words, class Count>
void Evaluator<Words, Count>::count_suppressed_labels(const Set& set,
                                                      std::vector<std::vector<std::uint64_t>>& counts) const {
    const Hierarchies& hierarchies = table_.hierarchies;
    for (std::size_t column = 0; column < hierarchies.columns(); ++column) {
        counts[column].assign(hierarchies.labels(column, set.node[column]), 0);
    }
    // Where more than sizes counted, the node was just tested class by class.
    const bool tested = uses_contents_;
    const std::size_t classes = tested ? set.contents.classes : set.size;
    for (std::size_t c = 0; c < classes; ++c) {
        if (c % polled_piece == 0) stop_.poll();
        const std::size_t i = tested && set.dense ? set.contents.cells[c] : c;
        const std::uint64_t n = set.counts[i];
        if (n == 0 || (tested ? tests_.fails()[c] == 0 : n >= requirement_.k)) continue;
        std::size_t cell = i;
        for (std::size_t column = 0; column < hierarchies.columns(); ++column) {
            if (set.dense) {
                const Label labels = hierarchies.labels(column, set.node[column]);
                counts[column][cell % labels] += n;
                cell /= labels;
            } else {
                counts[column][table_.layout.label(set.keys[i], column)] += n;
            }
        }
    }
}

template <int Words, class Count>
Rank Evaluator<Words, Count>::rank(const Node& node, double score) const {
    Rank rank{.score = canonical(score), .height = 0, .relative = 0, .levels = table_.user_node(node), .value = score};
    double relative = 0;
    for (std::size_t c = 0; c < table_.heights.size(); ++c) {
        rank.height += rank.levels[c];
        if (table_.heights[c] > 0) relative += static_cast<double>(rank.levels[c]) / table_.heights[c];
    }
    rank.relative = canonical(relative);
    return rank;
}

template class Evaluator<1, std::uint16_t>;
template class Evaluator<1, std::uint32_t>;
template class Evaluator<2, std::uint16_t>;
template class Evaluator<2, std::uint32_t>;
template class Evaluator<4, std::uint16_t>;
template class Evaluator<4, std::uint32_t>;
template class Evaluator<1, std::uint64_t>;
template class Evaluator<2, std::uint64_t>;
template class Evaluator<4, std::uint64_t>;

}  // namespace shoal
