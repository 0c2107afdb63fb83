#include "shoal/subsets.hpp"

#include <algorithm>
#include <numeric>

namespace shoal {

namespace {

// The labels of one column for each tuple or cell of a set.
template <int Words, class Count>
std::vector<Label> column_labels(const Table<Words, Count>& table, const FrequencySet<Words, Count>& set,
                                 std::size_t column) {
    std::vector<Label> labels(set.size);
    if (!set.dense) {
        for (std::size_t i = 0; i < set.size; ++i) labels[i] = table.layout.label(set.keys[i], column);
        return labels;
    }
    std::size_t inner = 1;
    for (std::size_t c = 0; c < column; ++c) inner *= table.hierarchies.labels(c, set.node[c]);
    const Label count = table.hierarchies.labels(column, set.node[column]);
    for (std::size_t i = 0; i < set.size; ++i) labels[i] = static_cast<Label>(i / inner % count);
    return labels;
}

template <class Count>
std::uint64_t failing_rows(std::span<const Count> counts, std::uint64_t k) {
    std::uint64_t rows = 0;
    for (const Count n : counts) rows += n < k ? n : 0;
    return rows;
}

}  // namespace

template <int Words, class Count>
unsigned lowest_feasible_level(const Table<Words, Count>& table, const FrequencySet<Words, Count>& set,
                               std::size_t column, const Requirement& requirement) {
    const Hierarchies& hierarchies = table.hierarchies;
    const unsigned start = set.node[column];
    const std::vector<Label> labels = column_labels(table, set, column);
    std::vector<Count> counts(hierarchies.labels(column, start), 0);
    for (std::size_t i = 0; i < set.size; ++i) counts[labels[i]] += set.counts[i];
    for (unsigned level = start; level < hierarchies.levels(column); ++level) {
        std::vector<Count> merged(hierarchies.labels(column, level), 0);
        const auto step = hierarchies.step(column, start, level);
        for (std::size_t label = 0; label < counts.size(); ++label) merged[step[label]] += counts[label];
        if (failing_rows<Count>(merged, requirement.k) <= requirement.limit) return level;
    }
    return hierarchies.levels(column);
}

template <int Words, class Count>
std::vector<Node> failing_pairs(const Table<Words, Count>& table, const FrequencySet<Words, Count>& set,
                                const Requirement& requirement) {
    const Hierarchies& hierarchies = table.hierarchies;
    const std::size_t columns = hierarchies.columns();
    std::vector<std::vector<Label>> labels(columns);
    const auto varies = [&](std::size_t column) { return set.node[column] + 1U < hierarchies.levels(column); };
    for (std::size_t column = 0; column < columns; ++column) {
        if (varies(column)) labels[column] = column_labels(table, set, column);
    }
    std::vector<Node> failing;
    std::vector<Count> counts;
    std::vector<Count> merged;
    for (std::size_t a = 0; a < columns; ++a) {
        for (std::size_t b = a + 1; b < columns; ++b) {
            if (!varies(a) || !varies(b)) continue;
            const std::size_t width = hierarchies.labels(a, set.node[a]);
            const std::size_t cells = width * hierarchies.labels(b, set.node[b]);
            // Larger pairs rarely fail at levels that single columns allow, and cost more than they save.
            if (cells > 4 * set.size) continue;
            counts.assign(cells, 0);
            for (std::size_t i = 0; i < set.size; ++i) counts[labels[a][i] + width * labels[b][i]] += set.counts[i];
            // Walk along the border between failing and feasible levels: up in b while it fails, then on in a.
            unsigned level_b = set.node[b];
            for (unsigned level_a = hierarchies.levels(a); level_a-- > set.node[a];) {
                const auto step_a = hierarchies.step(a, set.node[a], level_a);
                const unsigned start = level_b;
                while (level_b < hierarchies.levels(b)) {
                    const auto step_b = hierarchies.step(b, set.node[b], level_b);
                    const std::size_t merged_width = hierarchies.labels(a, level_a);
                    merged.assign(merged_width * hierarchies.labels(b, level_b), 0);
                    for (std::size_t row = 0; row < step_b.size(); ++row) {
                        Count* const target = merged.data() + merged_width * step_b[row];
                        const Count* const source = counts.data() + width * row;
                        for (std::size_t i = 0; i < width; ++i) target[step_a[i]] += source[i];
                    }
                    if (failing_rows<Count>(merged, requirement.k) <= requirement.limit) break;
                    ++level_b;
                }
                if (level_b > start) {
                    Node node = table.lattice.top();
                    node[a] = static_cast<std::uint8_t>(level_a);
                    node[b] = static_cast<std::uint8_t>(level_b - 1);
                    failing.push_back(node);
                }
            }
        }
    }
    return failing;
}

template unsigned lowest_feasible_level(const Table<1, std::uint32_t>&, const FrequencySet<1, std::uint32_t>&, std::size_t, const Requirement&);
template std::vector<Node> failing_pairs(const Table<1, std::uint32_t>&, const FrequencySet<1, std::uint32_t>&, const Requirement&);
template unsigned lowest_feasible_level(const Table<2, std::uint32_t>&, const FrequencySet<2, std::uint32_t>&, std::size_t, const Requirement&);
template std::vector<Node> failing_pairs(const Table<2, std::uint32_t>&, const FrequencySet<2, std::uint32_t>&, const Requirement&);
template unsigned lowest_feasible_level(const Table<4, std::uint32_t>&, const FrequencySet<4, std::uint32_t>&, std::size_t, const Requirement&);
template std::vector<Node> failing_pairs(const Table<4, std::uint32_t>&, const FrequencySet<4, std::uint32_t>&, const Requirement&);
template unsigned lowest_feasible_level(const Table<1, std::uint64_t>&, const FrequencySet<1, std::uint64_t>&, std::size_t, const Requirement&);
template std::vector<Node> failing_pairs(const Table<1, std::uint64_t>&, const FrequencySet<1, std::uint64_t>&, const Requirement&);
template unsigned lowest_feasible_level(const Table<2, std::uint64_t>&, const FrequencySet<2, std::uint64_t>&, std::size_t, const Requirement&);
template std::vector<Node> failing_pairs(const Table<2, std::uint64_t>&, const FrequencySet<2, std::uint64_t>&, const Requirement&);
template unsigned lowest_feasible_level(const Table<4, std::uint64_t>&, const FrequencySet<4, std::uint64_t>&, std::size_t, const Requirement&);
template std::vector<Node> failing_pairs(const Table<4, std::uint64_t>&, const FrequencySet<4, std::uint64_t>&, const Requirement&);

}  // namespace shoal
