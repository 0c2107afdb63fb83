#include "shoal/subsets.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "shoal/scatter.hpp"

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

// Rows per code of each column. Neighbouring columns are counted together, in one pass over F0.
template <int Words, class Count>
std::vector<std::vector<Count>> marginals(const Table<Words, Count>& table, const Stop& stop) {
    constexpr unsigned bits_at_once = 12;
    const std::size_t columns = table.hierarchies.columns();
    std::vector<std::vector<Count>> result;
    for (std::size_t first = 0, last = 0; first < columns; first = last) {
        const Field start = table.layout.field(first);
        unsigned bits = 0;
        for (last = first; last < columns; ++last) {
            const Field field = table.layout.field(last);
            if (last > first && (field.word != start.word || bits + field.bits > bits_at_once)) break;
            bits += field.bits;
        }
        const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
        std::vector<Count> cells(mask + 1, 0);
        const Key<Words>* const keys = table.ground.keys.data();
        in_pieces(table.ground.size, stop, [&](std::size_t begin, std::size_t end) {
            scatter(table.ground.counts.data() + begin, end - begin, cells.data(), [=](std::size_t i) {
                return (keys[begin + i].word[start.word] >> start.shift) & mask;
            });
        });
        for (std::size_t column = first; column < last; ++column) {
            const Field field = table.layout.field(column);
            std::vector<Count> counts(std::size_t{1} << field.bits, 0);
            for (std::size_t cell = 0; cell < cells.size(); ++cell) {
                Count& count = counts[(cell >> (field.shift - start.shift)) & (counts.size() - 1)];
                count = static_cast<Count>(count + cells[cell]);
            }
            result.push_back(std::move(counts));
        }
    }
    return result;
}

template <class Count>
std::uint64_t failing_rows(std::span<const Count> counts, std::uint64_t k) {
    std::uint64_t rows = 0;
    for (const Count n : counts) rows += n < k ? n : 0;
    return rows;
}

}  // namespace

template <int Words, class Count>
std::vector<unsigned> lowest_feasible_levels(const Table<Words, Count>& table, const Requirement& requirement,
                                             const Stop& stop) {
    const Hierarchies& hierarchies = table.hierarchies;
    const auto counts = marginals(table, stop);
    std::vector<unsigned> lowest;
    for (std::size_t column = 0; column < hierarchies.columns(); ++column) {
        stop.poll();
        unsigned level = 0;
        for (; level < hierarchies.levels(column); ++level) {
            std::vector<Count> merged(hierarchies.labels(column, level), 0);
            const auto step = hierarchies.step(column, 0, level);
            for (std::size_t label = 0; label < step.size(); ++label) {
                merged[step[label]] = static_cast<Count>(merged[step[label]] + counts[column][label]);
            }
            if (failing_rows<Count>(merged, requirement.k) <= requirement.limit) break;
        }
        lowest.push_back(level);
    }
    return lowest;
}

template <int Words, class Count>
std::vector<Node> failing_pairs(const Table<Words, Count>& table, const FrequencySet<Words, Count>& set,
                                const Requirement& requirement, const Stop& stop) {
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
            stop.poll();
            const std::size_t width = hierarchies.labels(a, set.node[a]);
            const std::size_t cells = width * hierarchies.labels(b, set.node[b]);
            // Larger pairs cost more than they save.
            if (cells > set.size / 2) continue;
            counts.assign(cells, 0);
            const Label* const of_a = labels[a].data();
            const Label* const of_b = labels[b].data();
            scatter(set.counts.data(), set.size, counts.data(),
                        [=](std::size_t i) { return of_a[i] + width * of_b[i]; });
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

template std::vector<unsigned> lowest_feasible_levels(const Table<1, std::uint16_t>&, const Requirement&, const Stop&);
template std::vector<unsigned> lowest_feasible_levels(const Table<1, std::uint32_t>&, const Requirement&, const Stop&);
template std::vector<Node> failing_pairs(const Table<1, std::uint16_t>&, const FrequencySet<1, std::uint16_t>&, const Requirement&, const Stop&);
template std::vector<Node> failing_pairs(const Table<1, std::uint32_t>&, const FrequencySet<1, std::uint32_t>&, const Requirement&, const Stop&);
template std::vector<unsigned> lowest_feasible_levels(const Table<2, std::uint16_t>&, const Requirement&, const Stop&);
template std::vector<unsigned> lowest_feasible_levels(const Table<2, std::uint32_t>&, const Requirement&, const Stop&);
template std::vector<Node> failing_pairs(const Table<2, std::uint16_t>&, const FrequencySet<2, std::uint16_t>&, const Requirement&, const Stop&);
template std::vector<Node> failing_pairs(const Table<2, std::uint32_t>&, const FrequencySet<2, std::uint32_t>&, const Requirement&, const Stop&);
template std::vector<unsigned> lowest_feasible_levels(const Table<4, std::uint16_t>&, const Requirement&, const Stop&);
template std::vector<unsigned> lowest_feasible_levels(const Table<4, std::uint32_t>&, const Requirement&, const Stop&);
template std::vector<Node> failing_pairs(const Table<4, std::uint16_t>&, const FrequencySet<4, std::uint16_t>&, const Requirement&, const Stop&);
template std::vector<Node> failing_pairs(const Table<4, std::uint32_t>&, const FrequencySet<4, std::uint32_t>&, const Requirement&, const Stop&);
template std::vector<unsigned> lowest_feasible_levels(const Table<1, std::uint64_t>&, const Requirement&, const Stop&);
template std::vector<Node> failing_pairs(const Table<1, std::uint64_t>&, const FrequencySet<1, std::uint64_t>&, const Requirement&, const Stop&);
template std::vector<unsigned> lowest_feasible_levels(const Table<2, std::uint64_t>&, const Requirement&, const Stop&);
template std::vector<Node> failing_pairs(const Table<2, std::uint64_t>&, const FrequencySet<2, std::uint64_t>&, const Requirement&, const Stop&);
template std::vector<unsigned> lowest_feasible_levels(const Table<4, std::uint64_t>&, const Requirement&, const Stop&);
template std::vector<Node> failing_pairs(const Table<4, std::uint64_t>&, const FrequencySet<4, std::uint64_t>&, const Requirement&, const Stop&);

}  // namespace shoal
