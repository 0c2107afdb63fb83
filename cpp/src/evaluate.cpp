#include "shoal/evaluate.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace shoal {

template <int Words, class Count>
FrequencySet<Words, Count> Evaluator<Words, Count>::roll(const Set& from, const Node& to) {
    if (from.node == to) return from.copy(table_.arena);
    count_rollup(from);
    Set target;
    roller_.roll(from, to, target);
    // A sparse result was only known to be no larger than its source.
    return 2 * target.size < target.counts.size() ? target.copy(table_.arena) : std::move(target);
}

template <int Words, class Count>
const FrequencySet<Words, Count>& Evaluator<Words, Count>::roll_scratch(const Set& from, const Node& to) {
    if (from.node == to) return from;
    roll_into(from, to, scratch_);
    return scratch_;
}

template <int Words, class Count>
void Evaluator<Words, Count>::roll_into(const Set& from, const Node& to, Set& target, bool project) {
    count_rollup(from);
    roller_.roll(from, to, target, project ? &projection_ : nullptr);
}

template <int Words, class Count>
Tally Evaluator<Words, Count>::tally(const Set& set) const {
    const auto k = static_cast<Count>(std::min<std::uint64_t>(requirement_.k, std::numeric_limits<Count>::max()));
    return loops<Count>().tally(set.counts.data(), set.size, k, detail_);
}

template <int Words, class Count>
double Evaluator<Words, Count>::cell_costs(const Node& node) const {
    double sum = 0;
    for (std::size_t c = 0; c < objective_.level_costs.size(); ++c) {
        sum += objective_.weights[c] * objective_.level_costs[c][node[table_.position[c]]];
    }
    return sum;
}

template <int Words, class Count>
double Evaluator<Words, Count>::bound(const Node& node, const Tally& tally) const {
    switch (objective_.term) {
        case ClassTerm::squares:
        case ClassTerm::kept_squares: return static_cast<double>(tally.squares);
        case ClassTerm::mean_size: return canonical(mean_size(tally));
        default: break;
    }
    // With suppressed cells the score is summed in another way; the slack covers its rounding.
    constexpr double slack = 1 - 1e-11;
    return objective_.counts_suppressed_cells() ? cell_costs(node) * slack : canonical(cell_costs(node));
}

template <int Words, class Count>
double Evaluator<Words, Count>::score(const Set& set, const Tally& tally) const {
    switch (objective_.term) {
        case ClassTerm::squares: return static_cast<double>(tally.squares);
        case ClassTerm::kept_squares:
            return static_cast<double>(tally.squares - tally.failing_squares) +
                   objective_.rows * static_cast<double>(tally.failing_rows);
        case ClassTerm::mean_size: return mean_size(tally);
        default: break;
    }
    if (!objective_.counts_suppressed_cells() || tally.failing_rows == 0) return cell_costs(set.node);
    return cell_costs_with_suppression(set, tally.failing_rows);
}

template <int Words, class Count>
double Evaluator<Words, Count>::mean_size(const Tally& tally) const {
    return objective_.rows / static_cast<double>(tally.classes) / objective_.divisor;
}

template <int Words, class Count>
double Evaluator<Words, Count>::cell_costs_with_suppression(const Set& set, std::uint64_t suppressed) const {
    std::vector<std::vector<std::uint64_t>> lost(table_.position.size());
    count_suppressed_labels(set, lost);
    double sum = 0;
    for (std::size_t c = 0; c < lost.size(); ++c) {
        const std::size_t column = table_.position[c];
        const unsigned level = set.node[column];
        double cells = 0;
        for (std::size_t label = 0; label < lost[column].size(); ++label) {
            cells += static_cast<double>(lost[column][label]) * objective_.label_costs[c][level][label];
        }
        sum += objective_.weights[c] *
               (objective_.level_costs[c][level] - cells + static_cast<double>(suppressed));
    }
    return sum;
}

// counts[column][label] = rows of failing classes with that label.
template <int Words, class Count>
void Evaluator<Words, Count>::count_suppressed_labels(const Set& set,
                                                      std::vector<std::vector<std::uint64_t>>& counts) const {
    const Hierarchies& hierarchies = table_.hierarchies;
    for (std::size_t column = 0; column < hierarchies.columns(); ++column) {
        counts[column].assign(hierarchies.labels(column, set.node[column]), 0);
    }
    for (std::size_t i = 0; i < set.size; ++i) {
        const std::uint64_t n = set.counts[i];
        if (n == 0 || n >= requirement_.k) continue;
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
