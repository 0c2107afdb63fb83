#include "shoal/cheapest_first.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>

#include "shoal/remaining_tuples.hpp"

namespace shoal {

namespace {

// Nodes of the lattice, each when it may have the cheapest class.
class NodeQueue {
public:
    NodeQueue(const Hierarchies& hierarchies, const CellCoster& coster) : choices_(coster.columns()) {
        for (std::size_t c = 0; c < choices_.size(); ++c) {
            for (unsigned level = 0; level < hierarchies.levels(c); ++level) {
                // One that merges nothing is the one below.
                if (level > 0 && hierarchies.labels(c, level) == hierarchies.labels(c, level - 1)) continue;
                choices_[c].push_back({static_cast<std::uint8_t>(level), coster.least_cost(c, level)});
            }
        }
        Cost bound = 0;
        for (const auto& choices : choices_) bound += choices.front().cost;
        add(std::vector<std::uint8_t>(choices_.size()), 0, bound);
    }

    bool empty() const noexcept { return queue_.empty(); }
    // No node in the queue has a class that costs less.
    Cost bound() const noexcept { return queue_.empty() ? no_label : queue_.top().bound; }
    std::uint32_t pop() {
        const Entry entry = queue_.top();
        queue_.pop();
        if (!nodes_[entry.node].opened) open(entry);
        return entry.node;
    }
    void push(std::uint32_t node, Cost bound) { queue_.push({bound, node}); }
    Levels levels(std::uint32_t node) const {
        Levels levels;
        for (std::size_t c = 0; c < choices_.size(); ++c) {
            levels.push_back(choices_[c][steps_[node * choices_.size() + c]].level);
        }
        return levels;
    }

private:
    struct Choice {
        std::uint8_t level;
        Cost cost;
    };
    struct Entry {
        Cost bound;
        std::uint32_t node;
        // The top of the queue is its greatest entry.
        bool operator<(const Entry& other) const noexcept {
            return bound != other.bound ? bound > other.bound : node > other.node;
        }
    };
    struct Node {
        std::uint8_t last;  // the last column that is not at its lowest level
        bool opened = false;
    };

    void add(const std::vector<std::uint8_t>& steps, std::size_t last, Cost bound) {
        queue_.push({bound, static_cast<std::uint32_t>(nodes_.size())});
        nodes_.push_back({static_cast<std::uint8_t>(last)});
        steps_.insert(steps_.end(), steps.begin(), steps.end());
    }

    // Every node has one parent, so none comes twice.
    void open(const Entry& entry) {
        nodes_[entry.node].opened = true;
        const auto first = steps_.begin() + static_cast<std::ptrdiff_t>(entry.node * choices_.size());
        std::vector<std::uint8_t> steps(first, first + static_cast<std::ptrdiff_t>(choices_.size()));
        for (std::size_t c = nodes_[entry.node].last; c < choices_.size(); ++c) {
            const auto& choices = choices_[c];
            if (steps[c] + 1U >= choices.size()) continue;
            ++steps[c];
            add(steps, c, entry.bound + choices[steps[c]].cost - choices[steps[c] - 1U].cost);
            --steps[c];
        }
    }

    std::vector<std::vector<Choice>> choices_;  // [column], from the lowest level on
    std::vector<std::uint8_t> steps_;           // [node][column]
    std::vector<Node> nodes_;
    std::priority_queue<Entry> queue_;
};

// What the classes of a node are, as far as they can be released now.
struct Found {
    std::uint32_t node = 0;
    TupleGroups groups;
    std::vector<Cost> costs;
    Cost least_later = no_label;  // of the others
};

class CheapestFirst {
public:
    CheapestFirst(const Tuples& tuples, const CellCoster& coster, std::uint64_t most_hashes, Cost most_cost,
                  std::span<const std::unique_ptr<GroupTests>> tests, Workers& workers, const Stop& stop)
        : tuples_(tuples),
          coster_(coster),
          most_hashes_(most_hashes),
          most_cost_(most_cost),
          tests_(tests),
          workers_(workers),
          stop_(stop),
          least_rows_(std::max<std::uint64_t>(tests[0]->least_rows(), 1)),
          queue_(tuples.hierarchies, coster),
          scratch_(workers.size()),
          taken_(tuples.size()),
          left_rows_(std::accumulate(tuples.rows.begin(), tuples.rows.end(), std::uint64_t{0})) {}

    std::optional<TupleGroups> run() {
        std::uint64_t hashed = 0;
        RemainingTuples remaining(tuples_, least_rows_);
        std::vector<Found> found;
        while (remaining.size() > 0 && !queue_.empty() && hashed < most_hashes_) {
            stop_.poll();
            const std::size_t batch = std::clamp(batch_tuples / remaining.size(), least_batch, most_batch);
            found.resize(0);
            while (found.size() < batch && !queue_.empty()) found.emplace_back().node = queue_.pop();
            const Cost most = queue_.bound();
            workers_.each(found.size(), [&](unsigned member, std::size_t i) { look(remaining, member, most, found[i]); });
            hashed += found.size() * remaining.size();
            for (const Found& node : found) {
                if (node.least_later < no_label) queue_.push(node.node, node.least_later);
            }
            if (release(found)) remaining.keep_unless(taken_);
            if (costs_too_much()) return std::nullopt;
        }
        return std::move(classes_);
    }

private:
    // Work for all threads, before what was found is released.
    static constexpr std::size_t batch_tuples = std::size_t{1} << 18;
    static constexpr std::size_t least_batch = 8;
    static constexpr std::size_t most_batch = 256;

    void look(const RemainingTuples& remaining, unsigned member, Cost most, Found& found) {
        TupleGroups groups;
        const Levels levels = queue_.levels(found.node);
        remaining.group(levels, scratch_[member], groups);
        if (groups.size() == 0) return;
        const bool by_rows = tests_[member]->rows_only();
        const auto passes = by_rows ? std::span<const std::uint8_t>() : tests_[member]->run(groups.tuples, groups.starts);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (!by_rows && passes[g] == 0) continue;
            const auto group = groups[g];
            Cost cost = 0;
            for (std::size_t c = 0; c < levels.size(); ++c) {
                cost += coster_.cost(c, levels[c], tuples_.labels[c][group[0]]);
            }
            if (cost > most) {
                found.least_later = std::min(found.least_later, cost);
                continue;
            }
            found.costs.push_back(cost);
            found.groups.tuples.insert(found.groups.tuples.end(), group.begin(), group.end());
            found.groups.close();
        }
    }

    bool costs_too_much() const {
        if (queue_.empty()) return false;
        return cost_ + static_cast<Cost>(left_rows_) * std::min(queue_.bound(), full_cost) > most_cost_;
    }

    bool release(const std::vector<Found>& found) {
        struct Candidate {
            Cost cost;
            std::uint32_t node, group;
        };
        std::vector<Candidate> candidates;
        for (std::uint32_t i = 0; i < found.size(); ++i) {
            for (std::uint32_t g = 0; g < found[i].costs.size(); ++g) candidates.push_back({found[i].costs[g], i, g});
        }
        std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
            return std::tie(a.cost, a.node, a.group) < std::tie(b.cost, b.node, b.group);
        });
        std::vector<std::uint32_t> left;
        for (const Candidate& candidate : candidates) {
            const auto group = found[candidate.node].groups[candidate.group];
            left.clear();
            std::uint64_t rows = 0;
            for (const std::uint32_t tuple : group) {
                if (taken_[tuple] != 0) continue;
                left.push_back(tuple);
                rows += tuples_.rows[tuple];
            }
            if (rows < least_rows_) continue;
            if (left.size() < group.size() && !tests_[0]->rows_only() && !tests_[0]->passes(left)) continue;
            for (const std::uint32_t tuple : left) taken_[tuple] = 1;
            classes_.tuples.insert(classes_.tuples.end(), left.begin(), left.end());
            classes_.close();
            cost_ += static_cast<Cost>(rows) * candidate.cost;
            left_rows_ -= rows;
        }
        return !candidates.empty();
    }

    const Tuples& tuples_;
    const CellCoster& coster_;
    const std::uint64_t most_hashes_;
    const Cost most_cost_;
    const std::span<const std::unique_ptr<GroupTests>> tests_;
    Workers& workers_;
    const Stop& stop_;
    const std::uint64_t least_rows_;
    NodeQueue queue_;
    std::vector<RemainingTuples::Scratch> scratch_;
    std::vector<std::uint8_t> taken_;
    TupleGroups classes_;
    Cost cost_ = 0;  // of the classes
    std::uint64_t left_rows_;
};

}  // namespace

std::optional<TupleGroups> cheapest_first(const Tuples& tuples, const CellCoster& coster, std::uint64_t most_hashes,
                                          Cost most_cost, std::span<const std::unique_ptr<GroupTests>> tests,
                                          Workers& workers, const Stop& stop) {
    return CheapestFirst(tuples, coster, most_hashes, most_cost, tests, workers, stop).run();
}

}  // namespace shoal
