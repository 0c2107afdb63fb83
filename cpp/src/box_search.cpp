#include "shoal/box_search.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "shoal/subsets.hpp"
#include "shoal/sweep.hpp"

namespace shoal {

namespace {

constexpr std::size_t pairs_up_to = 100'000;  // tuples of F0
constexpr auto progress_interval = std::chrono::milliseconds(50);

template <int Words, class Count>
class BoxSearch {
    using Set = FrequencySet<Words, Count>;
    using SharedSet = std::shared_ptr<const Set>;
    using Clock = std::chrono::steady_clock;

public:
    BoxSearch(Table<Words, Count>& table, const Requirement& requirement, const Objective& objective,
              const SearchOptions& options)
        : table_(table), requirement_(requirement), objective_(objective), options_(options), tags_(table.lattice) {}

    SearchResult run();

private:
    using Worker = Evaluator<Words, Count>;
    struct Task {
        Box box;
        SharedSet set;
    };

    Worker make_worker() { return Worker(table_, requirement_, objective_, objective_.detail()); }

    SharedSet prepare(Worker& worker);
    void solve(Box box, SharedSet from, Worker& worker);
    bool check(const Set& set, Worker& worker);
    void tag_dominated_levels(const Rank& best);
    bool dominated_by_best(const Node& node, double bound, const Worker& worker) const;
    void score_remaining(Worker& worker);
    std::vector<unsigned> slice_order(unsigned low, unsigned high) const;

    void work(Worker& worker);
    void run_threads(SharedSet ground, Worker& worker);
    void report_progress();

    Table<Words, Count>& table_;
    const Requirement requirement_;
    const Objective& objective_;
    const SearchOptions& options_;
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
    std::atomic<bool> stop_ = false;
    std::exception_ptr error_;
    std::thread::id caller_ = std::this_thread::get_id();
    Clock::time_point reported_ = Clock::now();
    unsigned ticks_ = 0;
};

// Rule out levels by small column sets (the subset property), then give the first frequency set.
template <int Words, class Count>
std::shared_ptr<const FrequencySet<Words, Count>> BoxSearch<Words, Count>::prepare(Worker& worker) {
    // F0 belongs to the table: a pointer that does not own.
    SharedSet ground(SharedSet{}, &table_.ground);
    const Lattice& lattice = table_.lattice;
    Node bottom;
    for (std::size_t column = 0; column < lattice.columns(); ++column) {
        bottom[column] = static_cast<std::uint8_t>(lowest_feasible_level(table_, *ground, column, requirement_));
        if (bottom[column] == 0) continue;
        Node failing = lattice.top();
        failing[column] = static_cast<std::uint8_t>(bottom[column] - 1);
        decided_ += tags_.tag_specializations(failing, fails);
        bottom[column] = std::min(bottom[column], lattice.top()[column]);
    }
    if (!(bottom == ground->node)) ground = std::make_shared<const Set>(worker.roll(*ground, bottom));
    if (ground->size <= pairs_up_to) {
        for (const Node& failing : failing_pairs(table_, *ground, requirement_)) {
            decided_ += tags_.tag_specializations(failing, fails);
        }
    }
    return ground;
}

template <int Words, class Count>
bool BoxSearch<Words, Count>::dominated_by_best(const Node& node, double bound, const Worker& worker) const {
    if (!found_.load(std::memory_order_acquire) || bound < best_score_.load(std::memory_order_relaxed)) return false;
    const std::lock_guard lock(best_mutex_);
    return !(worker.rank(node, bound) < best_);
}

// Judge the node of a set and tag what follows from it. True where it satisfies.
template <int Words, class Count>
bool BoxSearch<Words, Count>::check(const Set& set, Worker& worker) {
    ++worker.counters.checked;
    const Tally tally = worker.tally(set);
    const bool satisfied = worker.satisfied(tally);
    std::size_t decided = 0;
    if (satisfied) {
        decided += tags_.tag_generalizations(set.node, satisfies);
        if (!dominated_by_best(set.node, worker.bound(set.node, tally), worker)) {
            tags_.tag(set.node, scored);
            const Rank rank = worker.rank(set.node, worker.score(set, tally));
            bool better = false;
            {
                const std::lock_guard lock(best_mutex_);
                better = !found_ || rank < best_;
                if (better) {
                    best_ = rank;
                    best_node_ = set.node;
                    best_score_ = rank.score;
                    found_.store(true, std::memory_order_release);
                }
            }
            if (better && !options_.all_nodes && objective_.separable()) tag_dominated_levels(rank);
        }
    } else {
        decided += tags_.tag_specializations(set.node, fails);
        if (!options_.all_nodes && dominated_by_best(set.node, worker.bound(set.node, tally), worker)) {
            decided += tags_.tag_generalizations(set.node, dominated);
        }
    }
    decided_ += decided;
    return satisfied;
}

// Where the levels alone give the bound, a better score rules out nodes everywhere.
template <int Words, class Count>
void BoxSearch<Words, Count>::tag_dominated_levels(const Rank& best) {
    const Worker worker = make_worker();
    for (std::size_t index = 0; index < table_.lattice.size(); ++index) {
        if (tags_.at(index) != 0) continue;
        const Node node = table_.lattice.node(index);
        const double bound = worker.bound(node, {});
        if (bound < best.score || (bound == best.score && worker.rank(node, bound) < best)) continue;
        decided_ += tags_.tag_generalizations(node, dominated);
    }
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
void BoxSearch<Words, Count>::solve(Box box, SharedSet from, Worker& worker) {
    if (stop_.load(std::memory_order_relaxed) || !tags_.shrink(box)) return;
    if (std::this_thread::get_id() == caller_) report_progress();
    if (box.low == box.high) {
        check(worker.roll_scratch(*from, box.low), worker);
        return;
    }
    if (!(from->node == box.low)) from = std::make_shared<const Set>(worker.roll(*from, box.low));
    if (tags_.at(box.low) == 0) check(*from, worker);
    if ((tags_.at(box.low) & (satisfies | dominated)) != 0) return;
    if (tags_.at(box.high) == 0 && !check(worker.roll_scratch(*from, box.high), worker)) return;

    std::size_t column = 0;
    while (box.low[column] == box.high[column]) ++column;
    for (const unsigned level : slice_order(box.low[column], box.high[column])) {
        Box slice = box;
        slice.low[column] = slice.high[column] = static_cast<std::uint8_t>(level);
        if (idle_.load(std::memory_order_relaxed) > 0) {
            const std::lock_guard lock(queue_mutex_);
            queue_.push_back({slice, from});
            queue_changed_.notify_one();
        } else {
            solve(slice, from, worker);
        }
    }
}

template <int Words, class Count>
void BoxSearch<Words, Count>::report_progress() {
    if (!options_.progress || (++ticks_ & 15U) != 0) return;
    const auto now = Clock::now();
    if (now - reported_ < progress_interval) return;
    reported_ = now;
    options_.progress({table_.lattice.size(), decided_.load(), found_.load(), best_score_.load()});
}

// Take boxes from the queue until all are solved.
template <int Words, class Count>
void BoxSearch<Words, Count>::work(Worker& worker) {
    std::unique_lock lock(queue_mutex_);
    while (true) {
        if (!queue_.empty() && !stop_) {
            Task task = std::move(queue_.back());
            queue_.pop_back();
            ++busy_;
            lock.unlock();
            try {
                solve(task.box, std::move(task.set), worker);
            } catch (...) {
                stop_ = true;
                const std::lock_guard guard(queue_mutex_);
                if (!error_) error_ = std::current_exception();
            }
            lock.lock();
            --busy_;
        } else if (busy_ == 0 || stop_) {
            queue_changed_.notify_all();
            return;
        } else {
            ++idle_;
            queue_changed_.wait_for(lock, progress_interval);
            --idle_;
        }
    }
}

template <int Words, class Count>
void BoxSearch<Words, Count>::run_threads(SharedSet ground, Worker& worker) {
    queue_.push_back({{ground->node, table_.lattice.top()}, std::move(ground)});
    std::vector<Worker> helpers;
    for (unsigned i = 1; i < options_.threads; ++i) helpers.push_back(make_worker());
    {
        std::vector<std::jthread> threads;
        for (Worker& helper : helpers) threads.emplace_back([this, &helper] { work(helper); });
        work(worker);
    }
    for (const Worker& helper : helpers) worker.counters += helper.counters;
    if (error_) std::rethrow_exception(error_);
}

// Score the satisfying nodes that a lower bound did not rule out.
template <int Words, class Count>
void BoxSearch<Words, Count>::score_remaining(Worker& worker) {
    std::vector<std::pair<Node, std::size_t>> nodes;
    for (std::size_t index = 0; index < table_.lattice.size(); ++index) {
        const std::uint8_t tags = tags_.at(index);
        if ((tags & satisfies) == 0 || (tags & (scored | dominated)) != 0) continue;
        const Node node = table_.lattice.node(index);
        if (objective_.separable() && dominated_by_best(node, worker.bound(node, {}), worker)) continue;
        nodes.emplace_back(node, index);
    }
    const auto skip = [&](const Node& node, const Tally& tally) {
        report_progress();
        return dominated_by_best(node, worker.bound(node, tally), worker);
    };
    const auto visit = [&](std::size_t, const Set& set, const Tally& tally) {
        report_progress();
        if (skip(set.node, tally)) return;
        const Rank rank = worker.rank(set.node, worker.score(set, tally));
        if (rank < best_) {
            best_ = rank;
            best_node_ = set.node;
            best_score_ = rank.score;
        }
    };
    Sweep<Words, Count>(worker, table_.lattice.columns(), visit, skip).run(std::move(nodes), table_.ground);
}

template <int Words, class Count>
SearchResult BoxSearch<Words, Count>::run() {
    Worker worker = make_worker();
    SearchResult result;
    SharedSet ground = prepare(worker);
    const Set& top = worker.roll_scratch(*ground, table_.lattice.top());
    result.fewest_suppressed = worker.tally(top).failing_rows;
    if (tags_.at(table_.lattice.top()) == 0) check(top, worker);
    if (result.fewest_suppressed <= requirement_.limit) {
        if (options_.threads > 1) {
            run_threads(ground, worker);
        } else {
            solve({ground->node, table_.lattice.top()}, ground, worker);
        }
        if (!objective_.monotone()) score_remaining(worker);
    }
    result.found = found_;
    if (result.found) {
        result.best = best_;
        Worker detailed(table_, requirement_, objective_, Detail::all);
        result.tally = detailed.tally(detailed.roll_scratch(*ground, best_node_));
    }
    result.counters = worker.counters;
    if (options_.all_nodes) {
        result.tags.resize(table_.lattice.size());
        for (std::size_t index = 0; index < result.tags.size(); ++index) result.tags[index] = tags_.at(index);
    }
    return result;
}

}  // namespace

template <int Words, class Count>
SearchResult box_search(Table<Words, Count>& table, const Requirement& requirement, const Objective& objective,
                        const SearchOptions& options) {
    return BoxSearch<Words, Count>(table, requirement, objective, options).run();
}

template SearchResult box_search(Table<1, std::uint32_t>&, const Requirement&, const Objective&, const SearchOptions&);
template SearchResult box_search(Table<2, std::uint32_t>&, const Requirement&, const Objective&, const SearchOptions&);
template SearchResult box_search(Table<4, std::uint32_t>&, const Requirement&, const Objective&, const SearchOptions&);
template SearchResult box_search(Table<1, std::uint64_t>&, const Requirement&, const Objective&, const SearchOptions&);
template SearchResult box_search(Table<2, std::uint64_t>&, const Requirement&, const Objective&, const SearchOptions&);
template SearchResult box_search(Table<4, std::uint64_t>&, const Requirement&, const Objective&, const SearchOptions&);

}  // namespace shoal
