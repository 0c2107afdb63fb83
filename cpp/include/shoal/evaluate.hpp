// A problem instance (table, hierarchies, requirement, measure) and the judgement of single nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "shoal/counter.hpp"
#include "shoal/frequency_set.hpp"
#include "shoal/lattice.hpp"
#include "shoal/objective.hpp"
#include "shoal/requirement.hpp"
#include "shoal/rollup.hpp"
#include "shoal/stop.hpp"

namespace shoal {

// The coded table with its hierarchies: everything that stays the same between searches. Inside, the
// columns stand in the order that suits roll-up; `position[c]` is where the caller's column c went.
template <int Words, class Count>
struct Table {
    Table(const Hierarchies& h, const KeyLayout& l) : hierarchies(h), layout(l), lattice(h) {}

    const Hierarchies hierarchies;
    const KeyLayout layout;
    const Lattice lattice;
    std::vector<std::size_t> position;
    std::vector<std::vector<unsigned>> user_levels;  // [caller's column][level here] = level as the user counts
    std::vector<unsigned> heights;                   // [caller's column] of the whole hierarchy
    std::vector<Attribute> attributes;
    Arena arena;
    FrequencySet<Words, Count> ground;  // F0
    std::uint64_t rows = 0;

    // From levels in the caller's column order.
    Node internal_node(std::span<const unsigned> levels) const {
        if (levels.size() != position.size()) throw std::invalid_argument("a node has one level per column");
        Node node;
        for (std::size_t c = 0; c < levels.size(); ++c) {
            if (levels[c] >= lattice.levels(position[c])) throw std::invalid_argument("no such level");
            node[position[c]] = static_cast<std::uint8_t>(levels[c]);
        }
        return node;
    }

    Node user_node(const Node& node) const noexcept {
        Node levels;
        for (std::size_t c = 0; c < position.size(); ++c) {
            levels[c] = static_cast<std::uint8_t>(user_levels[c][node[position[c]]]);
        }
        return levels;
    }
};

struct Counters {
    Counter checked;
    Counter rollups;    // from a set above F0
    Counter scans;      // from F0
    Counter touched;    // tuples or cells read by both
    Counter snapshots;  // sets put into the history, and dropped from it
    Counter evicted;
    Counters& operator+=(const Counters& other) noexcept {
        checked += other.checked;
        rollups += other.rollups;
        scans += other.scans;
        touched += other.touched;
        return *this;
    }
};

// What is found out about a node.
template <int Words, class Count>
struct Judgement {
    const FrequencySet<Words, Count>* set = nullptr;
    Tally tally;
    double logs = 0;                     // sum of n ln n, where the measure needs it
    std::uint64_t minority = 0;          // rows that lack the most frequent value of their class, likewise
    std::uint64_t failing_majority = 0;  // rows of failing classes that have it
    bool satisfied = false;
    bool hopeless = false;  // no specialization satisfies either
};

// Judges nodes for one thread.
template <int Words, class Count>
class Evaluator {
public:
    using Set = FrequencySet<Words, Count>;
    using Judged = Judgement<Words, Count>;

    // The objective and what stops it must outlive it.
    Evaluator(Table<Words, Count>& table, const Requirement& requirement, const Objective& objective, Detail detail,
              const Stop& stop)
        : table_(table),
          requirement_(requirement),
          objective_(objective),
          detail_(detail),
          stop_(stop),
          uses_contents_(!requirement.sizes_only() || objective.looks_at_contents()),
          roller_(table.hierarchies, table.layout, table.arena, stop),
          merger_(table.attributes, table.arena, stop),
          tests_(requirement_, table.attributes, stop) {
        if (uses_contents_) roller_.track();
    }

    // Roll up and keep the result.
    Set roll(const Set& from, const Node& to);
    // Roll up into a set whose memory is used again. From F0 it can `project`: generalize only the columns that
    // changed since the last time.
    void roll_into(const Set& from, const Node& to, Set& target, bool project = false);

    // Judge a set, or a node above it by rolling up into scratch memory until the next call.
    Judged judge(const Set& set);
    Judged judge(const Set& from, const Node& to);
    // What the sizes alone tell: enough for a bound.
    Judged glance(const Set& set) const;
    // No generalization of the node scores less.
    double bound(const Node& node, const Judged& judged) const;
    // Of a node that satisfies, right after it was judged.
    double score(const Judged& judged) const;
    Rank rank(const Node& node, double score) const;

    Counters counters;

private:
    void count_rollup(const Set& from) noexcept {
        ++(&from == &table_.ground ? counters.scans : counters.rollups);
        counters.touched += from.size;
    }
    void fill_contents(const Set& from, Set& target, bool keep);
    void test(const Set& set, Judged& judged);
    double mean_size(const Tally& tally) const;
    double log_score(const Node& node, double logs) const;
    double cell_costs(const Node& node) const;
    double cell_costs_with_suppression(const Set& set, std::uint64_t suppressed) const;
    double aggregate(std::vector<double>& columns) const;
    void count_suppressed_labels(const Set& set, std::vector<std::vector<std::uint64_t>>& counts) const;
    double sum_of_logs(const Set& set) const;

    Table<Words, Count>& table_;
    const Requirement requirement_;
    const Objective& objective_;
    const Detail detail_;
    const Stop& stop_;
    const bool uses_contents_;
    Roller<Words, Count> roller_;
    Projection<Words> projection_;
    Merger<Count> merger_;
    ClassTests<Count> tests_;
    Set scratch_;
    std::vector<std::uint32_t> places_, first_sources_;
    std::vector<std::uint32_t> class_of_cell_;  // plus one; zero between uses
    std::vector<Count> sizes_;
};

}  // namespace shoal
