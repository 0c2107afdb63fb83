#include "shoal/box_search.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "shoal/subsets.hpp"
#include "shoal/sweep.hpp"
#include "shoal/team.hpp"

namespace shoal {

namespace {

constexpr std::size_t pairs_up_to = 100'000;  // tuples of F0
constexpr auto progress_interval = std::chrono::milliseconds(50);

template <int Words, class Count>
class BoxSearch {
    using Set = FrequencySet<Words, Count>;
    // A frequency set that boxes roll up from. No node above it scores less than the bound.
    struct Base {
        Set own;
        const Set* set = &own;  // F0 belongs to the table
        double bound = 0;
    };
    using SharedBase = std::shared_ptr<const Base>;
    using Clock = std::chrono::steady_clock;

public:
    BoxSearch(Table<Words, Count>& table, const Requirement& requirement, const Objective& objective,
              const SearchOptions& options)
        : table_(table), requirement_(requirement), objective_(objective), options_(options), stop_(options.stop),
          // Where nothing may be suppressed few nodes satisfy, and scores that take a tally cost more than they save.
          prunes_(!options.all_nodes && (requirement.limit > 0 || objective.separable() || !objective.monotone() ||
                                         !requirement.sizes_only())),
          monotone_(requirement.monotone()),
          tags_(table.lattice, stop_) {}

    SearchResult run();

private:
    using Worker = Evaluator<Words, Count>;
    struct Task {
        Box box;
        SharedBase base;
    };

    Worker make_worker() { return Worker(table_, requirement_, objective_, objective_.detail(), stop_); }

    SharedBase prepare(Worker& worker);
    void solve(Box box, SharedBase base, Worker& worker);
    SharedBase raise(const Base& base, const Node& node, Worker& worker);
    struct Verdict {
        bool hopeless;  // no node below satisfies
        double bound;
    };
    using Judged = Judgement<Words, Count>;
    Verdict check(const Judged& judged, Worker& worker);
    void tag_if_dominated(const Node& node, double bound, const Worker& worker);
    void tag_dominated_levels(const Rank& best, const Worker& worker, Node& node, Node& top, std::size_t depth);
    bool dominated_by_best(const Node& node, double bound, const Worker& worker) const;
    void score_remaining(Worker& worker);
    std::vector<unsigned> slice_order(unsigned low, unsigned high) const;

    void work(Worker& worker);
    void run_threads(SharedBase ground, Worker& worker);
    void report_progress();
    void count_tags(SearchResult& result) const;

    Table<Words, Count>& table_;
    const Requirement requirement_;
    const Objective& objective_;
    const SearchOptions& options_;
    const Stop& stop_;
    const bool prunes_;    // by score; otherwise every node is decided
    const bool monotone_;  // what satisfies does so in all its generalizations
    TagMap tags_;
    std::atomic<std::size_t> decided_ = 0;

    mutable std::mutex best_mutex_;
    std::atomic<bool> found_ = false;
    std::atomic<double> best_score_ = 0;
    Rank best_;
    Node best_node_;

    std::mutex queue_mutex_;
    std::condition_variable queue_changed_;
    std::vector<Task> queue_;
    unsigned busy_ = 0;
    std::atomic<unsigned> idle_ = 0;
    std::atomic<bool> abandoned_ = false;  // a thread failed
    std::thread::id caller_ = std::this_thread::get_id();
    Clock::time_point reported_ = Clock::now();
};

// Rule out levels by small column sets (the subset property), then give the first frequency set.
template <int Words, class Count>
auto BoxSearch<Words, Count>::prepare(Worker& worker) -> SharedBase {
    const Lattice& lattice = table_.lattice;
    const std::vector<unsigned> lowest = lowest_feasible_levels(table_, requirement_, stop_);
    Node bottom;
    for (std::size_t column = 0; column < lattice.columns(); ++column) {
        if (lowest[column] == 0) continue;
        Node failing = lattice.top();
        failing[column] = static_cast<std::uint8_t>(lowest[column] - 1);
        decided_ += tags_.tag_specializations(failing, fails);
        bottom[column] = std::min(static_cast<std::uint8_t>(lowest[column]), lattice.top()[column]);
    }
    auto ground = std::make_shared<Base>();
    ground->set = &table_.ground;
    const SharedBase base = bottom == table_.ground.node ? ground : raise(*ground, bottom, worker);
    if (base == ground) ground->bound = check(worker.judge(table_.ground), worker).bound;
    if (base->set->size <= pairs_up_to) {
        for (const Node& failing : failing_pairs(table_, *base->set, requirement_, stop_)) {
            decided_ += tags_.tag_specializations(failing, fails);
        }
    }
    return base;
}

// Materialise a node and judge it. Also where it is known to fail: its score may tell that everything above
// it comes too late.
template <int Words, class Count>
auto BoxSearch<Words, Count>::raise(const Base& base, const Node& node, Worker& worker) -> SharedBase {
    auto raised = std::make_shared<Base>();
    raised->own = worker.roll(*base.set, node);
    if (tags_.at(node) == 0) {
        raised->bound = check(worker.judge(raised->own), worker).bound;
    } else if (prunes_) {
        raised->bound = worker.bound(node, worker.glance(raised->own));
        tag_if_dominated(node, raised->bound, worker);
    }
    return raised;
}

template <int Words, class Count>
bool BoxSearch<Words, Count>::dominated_by_best(const Node& node, double bound, const Worker& worker) const {
    if (!found_.load(std::memory_order_acquire) || bound < best_score_.load(std::memory_order_relaxed)) return false;
    const std::lock_guard lock(best_mutex_);
    return !(worker.rank(node, bound) < best_);
}

template <int Words, class Count>
void BoxSearch<Words, Count>::tag_if_dominated(const Node& node, double bound, const Worker& worker) {
    if (dominated_by_best(node, bound, worker)) decided_ += tags_.tag_generalizations(node, dominated);
}

// Tag what follows from a judgement.
template <int Words, class Count>
auto BoxSearch<Words, Count>::check(const Judged& judged, Worker& worker) -> Verdict {
    ++worker.counters.checked;
    const Node& node = judged.set->node;
    const double bound = worker.bound(node, judged);
    std::size_t decided = 0;
    if (judged.satisfied) {
        decided += monotone_ ? tags_.tag_generalizations(node, satisfies) : tags_.tag(node, satisfies);
        if (!dominated_by_best(node, bound, worker)) {
            tags_.tag(node, scored);
            const Rank rank = worker.rank(node, worker.score(judged));
            bool better = false;
            {
                const std::lock_guard lock(best_mutex_);
                better = !found_ || rank < best_;
                if (better) {
                    best_ = rank;
                    best_node_ = node;
                    best_score_ = rank.score;
                    found_.store(true, std::memory_order_release);
                }
            }
            if (better && prunes_ && objective_.separable()) {
                Node bottom;
                Node top = table_.lattice.top();
                tag_dominated_levels(rank, worker, bottom, top, 0);
            }
        }
    } else {
        decided += judged.hopeless ? tags_.tag_specializations(node, fails) : tags_.tag(node, fails);
    }
    decided_ += decided;
    // Of what satisfies by itself alone, or fails, the generalizations may still come too late.
    if (prunes_ && !(judged.satisfied && monotone_)) tag_if_dominated(node, bound, worker);
    tags_.tag(node, checked);
    return {judged.hopeless, bound};
}

// Where the levels alone give the bound, a better score rules out nodes everywhere. Walk down the lattice,
// past regions that are known to fail or to be dominated. `node` has its levels set for the columns before
// `depth` and is 0 above; `top` likewise, with the highest levels above.
template <int Words, class Count>
void BoxSearch<Words, Count>::tag_dominated_levels(const Rank& best, const Worker& worker, Node& node, Node& top,
                                                   std::size_t depth) {
    const std::size_t column = table_.lattice.order()[depth];
    const bool last = depth + 1 == table_.lattice.columns();
    const std::uint8_t highest = top[column];
    for (unsigned level = 0; level <= highest; ++level) {
        stop_.poll();
        node[column] = top[column] = static_cast<std::uint8_t>(level);
        if ((tags_.at(node) & dominated) != 0) break;
        const double bound = worker.bound(node, Judged{});
        if (bound > best.score || (bound == best.score && !(worker.rank(node, bound) < best))) {
            decided_ += tags_.tag_generalizations(node, dominated);
            break;
        }
        if (!last && (tags_.at(top) & fails) == 0) tag_dominated_levels(best, worker, node, top, depth + 1);
    }
    node[column] = 0;
    top[column] = highest;
}

// The levels of a column in the order that decides the most of the others first: from the top down where
// nothing may be suppressed, otherwise the ends and then the middles.
template <int Words, class Count>
std::vector<unsigned> BoxSearch<Words, Count>::slice_order(unsigned low, unsigned high) const {
    std::vector<unsigned> order;
    if (requirement_.limit == 0) {
        for (unsigned level = high + 1; level-- > low;) order.push_back(level);
        return order;
    }
    order = {high, low};
    std::vector<std::pair<unsigned, unsigned>> gaps{{low, high}};
    for (std::size_t i = 0; i < gaps.size(); ++i) {
        const auto [a, b] = gaps[i];
        if (b - a < 2) continue;
        const unsigned middle = (a + b) / 2;
        order.push_back(middle);
        gaps.emplace_back(a, middle);
        gaps.emplace_back(middle, b);
    }
    return order;
}

template <int Words, class Count>
void BoxSearch<Words, Count>::solve(Box box, SharedBase base, Worker& worker) {
    stop_.poll();
    if (abandoned_.load(std::memory_order_relaxed) || !tags_.shrink(box)) return;
    report_progress();
    if (box.low == box.high) {
        check(worker.judge(*base->set, box.low), worker);
        return;
    }
    if (!(base->set->node == box.low)) base = raise(*base, box.low, worker);
    if ((tags_.at(box.low) & (monotone_ ? satisfies | dominated : dominated)) != 0) return;
    if (prunes_ && dominated_by_best(box.low, base->bound, worker)) return;
    // Also where it comes too late to be the best: if it is hopeless, so is the whole box.
    if ((tags_.at(box.high) & (monotone_ ? satisfies : satisfies | fails)) == 0 &&
        check(worker.judge(*base->set, box.high), worker).hopeless) {
        return;
    }

    std::size_t column = 0;
    while (box.low[column] == box.high[column]) ++column;
    const std::vector<unsigned> order = slice_order(box.low[column], box.high[column]);
    const auto slice_at = [&](std::size_t i) {
        Box slice = box;
        slice.low[column] = slice.high[column] = static_cast<std::uint8_t>(order[i]);
        return slice;
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool share = i + 1 < order.size() && idle_.load(std::memory_order_relaxed) > 0;
        if (share) {
            // The next slice on top: an idle thread goes on where this one would have.
            const std::lock_guard lock(queue_mutex_);
            for (std::size_t j = order.size(); --j > i;) queue_.push_back({slice_at(j), base});
            queue_changed_.notify_one();
        }
        solve(slice_at(i), base, worker);
        if (share) return;
    }
}

template <int Words, class Count>
void BoxSearch<Words, Count>::report_progress() {
    if (!options_.progress || std::this_thread::get_id() != caller_) return;
    const auto now = Clock::now();
    if (now - reported_ < progress_interval) return;
    reported_ = now;
    options_.progress({table_.lattice.size(), decided_.load(), found_.load(), best_score_.load()});
}

// Take boxes from the queue until all are solved.
template <int Words, class Count>
void BoxSearch<Words, Count>::work(Worker& worker) {
    std::unique_lock lock(queue_mutex_);
    while (!abandoned_) {
        if (!queue_.empty()) {
            Task task = std::move(queue_.back());
            queue_.pop_back();
            ++busy_;
            lock.unlock();
            solve(task.box, std::move(task.base), worker);
            lock.lock();
            --busy_;
        } else if (busy_ > 0) {
            ++idle_;
            queue_changed_.wait_for(lock, progress_interval);
            --idle_;
            lock.unlock();
            report_progress();
            lock.lock();
        } else {
            break;
        }
    }
    queue_changed_.notify_all();
}

template <int Words, class Count>
void BoxSearch<Words, Count>::run_threads(SharedBase ground, Worker& worker) {
    queue_.push_back({{ground->set->node, table_.lattice.top()}, std::move(ground)});
    std::vector<Worker> helpers;
    for (unsigned i = 1; i < options_.threads; ++i) helpers.push_back(make_worker());
    run_team(
        options_.threads, [&](unsigned member) { work(member == 0 ? worker : helpers[member - 1]); },
        [&] {
            const std::lock_guard lock(queue_mutex_);
            abandoned_ = true;
            queue_changed_.notify_all();
        });
    for (const Worker& helper : helpers) worker.counters += helper.counters;
}

// Score the satisfying nodes that a lower bound did not rule out.
template <int Words, class Count>
void BoxSearch<Words, Count>::score_remaining(Worker& worker) {
    std::vector<std::pair<Node, std::size_t>> nodes;
    for (std::size_t index = 0; index < table_.lattice.size(); ++index) {
        if (index % polled_piece == 0) stop_.poll();
        const std::uint8_t tags = tags_.at(index);
        if ((tags & satisfies) == 0 || (tags & (scored | dominated)) != 0) continue;
        const Node node = table_.lattice.node(index);
        if (objective_.separable() && dominated_by_best(node, worker.bound(node, Judged{}), worker)) continue;
        nodes.emplace_back(node, index);
    }
    const auto skip = [&](const Node& node, const Judged& judged) {
        report_progress();
        return dominated_by_best(node, worker.bound(node, judged), worker);
    };
    const auto visit = [&](std::size_t, const Judged& judged) {
        const Node& node = judged.set->node;
        tags_.tag(node, checked);
        report_progress();
        if (skip(node, judged)) return;
        const Rank rank = worker.rank(node, worker.score(judged));
        if (rank < best_) {
            best_ = rank;
            best_node_ = node;
            best_score_ = rank.score;
        }
    };
    Sweep<Words, Count>(worker, table_.lattice.columns(), visit, skip, stop_).run(std::move(nodes), table_.ground);
}

template <int Words, class Count>
void BoxSearch<Words, Count>::count_tags(SearchResult& result) const {
    in_pieces(table_.lattice.size(), stop_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t index = begin; index < end; ++index) {
            const std::uint8_t tags = tags_.at(index);
            const bool was_checked = (tags & checked) != 0;
            result.checked += was_checked;
            result.tagged_satisfying += !was_checked && (tags & satisfies) != 0;
            result.tagged_failing += !was_checked && (tags & fails) != 0;
            if (options_.all_nodes && (tags & satisfies) != 0) result.satisfying.push_back(index);
        }
    });
}

template <int Words, class Count>
SearchResult BoxSearch<Words, Count>::run() {
    Worker worker = make_worker();
    SearchResult result;
    const SharedBase ground = prepare(worker);
    const Node& peak = table_.lattice.top();
    const Judged top = worker.judge(*ground->set, peak);
    if (tags_.at(peak) == 0) check(top, worker);
    if (!top.hopeless) {
        const std::size_t work = ground->set->size * (table_.lattice.size() - decided_);
        if (options_.threads > 1 && work >= options_.least_shared_work) {
            run_threads(ground, worker);
        } else {
            solve({ground->set->node, peak}, ground, worker);
        }
        if (!objective_.monotone()) score_remaining(worker);
    }
    result.found = found_;
    if (result.found) {
        result.best = best_;
        Worker detailed(table_, requirement_, objective_, Detail::all, stop_);
        result.tally = detailed.judge(*ground->set, best_node_).tally;
    }
    result.counters = worker.counters;
    count_tags(result);
    return result;
}

}  // namespace

template <int Words, class Count>
SearchResult box_search(Table<Words, Count>& table, const Requirement& requirement, const Objective& objective,
                        const SearchOptions& options) {
    return BoxSearch<Words, Count>(table, requirement, objective, options).run();
}

template SearchResult box_search(Table<1, std::uint16_t>&, const Requirement&, const Objective&, const SearchOptions&);
template SearchResult box_search(Table<1, std::uint32_t>&, const Requirement&, const Objective&, const SearchOptions&);
template SearchResult box_search(Table<2, std::uint16_t>&, const Requirement&, const Objective&, const SearchOptions&);
template SearchResult box_search(Table<2, std::uint32_t>&, const Requirement&, const Objective&, const SearchOptions&);
template SearchResult box_search(Table<4, std::uint16_t>&, const Requirement&, const Objective&, const SearchOptions&);
template SearchResult box_search(Table<4, std::uint32_t>&, const Requirement&, const Objective&, const SearchOptions&);
template SearchResult box_search(Table<1, std::uint64_t>&, const Requirement&, const Objective&, const SearchOptions&);
template SearchResult box_search(Table<2, std::uint64_t>&, const Requirement&, const Objective&, const SearchOptions&);
template SearchResult box_search(Table<4, std::uint64_t>&, const Requirement&, const Objective&, const SearchOptions&);

}  // namespace shoal
