#include "shoal/coded_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>

#include "shoal/group_tests.hpp"
#include "shoal/history.hpp"
#include "shoal/sweep.hpp"

namespace shoal {

namespace {

// Columns whose levels stay large under few generalizations go to the low bits: a search fixes them first,
// and what it varies most then merges long slices.
std::vector<std::size_t> rollup_order(const std::vector<ColumnInput>& columns) {
    const auto weight = [&](std::size_t c) {
        const double levels = std::log(static_cast<double>(columns[c].maps.size()));
        const double values = std::log(std::max<double>(2, static_cast<double>(columns[c].maps.front().size())));
        return levels > 0 ? values / levels : std::numeric_limits<double>::infinity();
    };
    std::vector<std::size_t> order(columns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return weight(a) > weight(b); });
    return order;
}

constexpr double always_small = 4096;  // bytes

template <int Words, class Count>
struct TypedChecked final : Checked {
    explicit TypedChecked(const Table<Words, Count>& of) : table(&of) {}

    const Table<Words, Count>* const table;
    SharedSet<Words, Count> held;

    bool kept() const override { return held != nullptr; }
};

template <int Words, class Count>
class TypedChecker final : public Checker {
    using Set = FrequencySet<Words, Count>;
    using Shared = SharedSet<Words, Count>;

public:
    TypedChecker(Table<Words, Count>& table, const Requirement& requirement, const Objective& objective,
                 const CheckerOptions& options)
        : table_(table), objective_(objective), options_(options),
          evaluator_(table, requirement, objective_, Detail::all, stop_),
          history_(table.lattice.columns(), options.snapshots, options.snapshot_classes) {}

    std::unique_ptr<Checked> check(const std::vector<unsigned>& levels, const Checked* source, Stop stop) override {
        const Node node = table_.internal_node(levels);
        const auto lock = begin(std::move(stop));
        const Shared held = choose(node, source);
        const Set& set = compute(node, held != nullptr ? held->set : last_below(node) ? scratch_[last_] : table_.ground);
        ++evaluator_.counters.checked;
        const auto judged = evaluator_.judge(set);
        auto checked = std::make_unique<TypedChecked<Words, Count>>(table_);
        checked->suppressed_rows = judged.tally.failing_rows;
        checked->classes = judged.tally.classes;
        checked->satisfies = judged.satisfied;
        checked->hopeless = judged.hopeless;
        const bool costs = has_costs(node);
        if (costs) checked->bound = evaluator_.bound(node, judged);
        if (checked->satisfies) {
            if (costs) checked->score = evaluator_.score(judged);
        } else {
            remember(set, judged.tally.classes, *checked);
        }
        return checked;
    }

    std::unique_ptr<Checked> prepare(const std::vector<unsigned>& levels, const Checked* source, Stop stop) override {
        const Node node = table_.internal_node(levels);
        const auto lock = begin(std::move(stop));
        const Shared held = source == nullptr ? nullptr : given(node, *source);
        const Set& set = compute(node, held != nullptr ? held->set : table_.ground);
        auto checked = std::make_unique<TypedChecked<Words, Count>>(table_);
        checked->classes = evaluator_.glance(set).tally.classes;
        checked->held = keep(set, checked->classes);
        return checked;
    }

    std::vector<Evaluation> evaluate(const std::vector<std::vector<unsigned>>& nodes, Stop stop) override {
        const auto lock = begin(std::move(stop));
        std::vector<Evaluation> results(nodes.size());
        using Judged = Judgement<Words, Count>;
        const auto visit = [&](std::size_t place, const Judged& judged) {
            if (!has_costs(judged.set->node)) throw std::invalid_argument("the objective has no cost for this level");
            results[place] = {judged.tally.failing_rows, judged.tally.classes, evaluator_.score(judged)};
        };
        std::vector<std::pair<Node, std::size_t>> places;
        for (const auto& node : nodes) places.emplace_back(table_.internal_node(node), places.size());
        const auto skip = [](const Node&, const Judged&) { return false; };
        Sweep<Words, Count>(evaluator_, table_.lattice.columns(), visit, skip, stop_)
            .run(std::move(places), table_.ground);
        return results;
    }

    Counters counters() const override {
        Counters counters = evaluator_.counters;
        counters.evicted = history_.evicted();
        return counters;
    }

private:
    // Wait for other threads that use it; then it stops as this call does.
    std::unique_lock<std::mutex> begin(Stop stop) {
        auto lock = lock_unless_stopped(mutex_, stop);
        stop_ = std::move(stop);
        return lock;
    }

    // A level at which a column takes no part has none, and a node with such a level no score.
    bool has_costs(const Node& node) const noexcept {
        for (std::size_t c = 0; c < objective_.level_costs.size(); ++c) {
            if (node[table_.position[c]] >= objective_.level_costs[c].size()) return false;
        }
        return true;
    }

    Shared given(const Node& node, const Checked& source) const {
        const auto* const own = dynamic_cast<const TypedChecked<Words, Count>*>(&source);
        if (own == nullptr || own->table != &table_) throw std::invalid_argument("a node rolls up from its own table");
        const Shared& held = own->held;
        if (held != nullptr && !is_below(held->set.node, node, table_.lattice.columns())) {
            throw std::invalid_argument("a node rolls up from one below it");
        }
        return held;
    }

    bool last_below(const Node& node) const noexcept {
        return options_.rollup && has_last_ && is_below(scratch_[last_].node, node, table_.lattice.columns());
    }

    // What the search has at hand, or else what is in the history if that is smaller than the last set.
    Shared choose(const Node& node, const Checked* source) {
        if (options_.rollup && source != nullptr) {
            if (Shared held = given(node, *source)) return held;
        }
        // A search that holds the sets itself has put none into the history.
        Shared found = options_.rollup && options_.hand_out ? nullptr : history_.find(node);
        return found != nullptr && last_below(node) && last_classes_ < found->classes ? nullptr : found;
    }

    // Into the scratch memory that does not hold the last failing set, unless the set is there already.
    const Set& compute(const Node& node, const Set& from) {
        if (from.node == node) return from;
        Set& target = scratch_[1 - last_];
        evaluator_.roll_into(from, node, target, options_.project && &from == &table_.ground);
        return target;
    }

    // A failing set is of use for the nodes above it.
    void remember(const Set& set, std::uint64_t classes, TypedChecked<Words, Count>& checked) {
        // One that takes much of what F0 takes saves little, and costs its memory.
        const double most = options_.kept_share * static_cast<double>(table_.ground.used_bytes());
        const bool small = static_cast<double>(set.used_bytes()) <= std::max(most, always_small);
        const bool for_search = options_.rollup && options_.hand_out;
        if (small && table_.arena.in_use() - before_ <= options_.memory && (for_search || history_.takes(classes))) {
            Shared held = keep(set, classes);
            if (for_search) {
                checked.held = std::move(held);
            } else if (history_.add(std::move(held))) {
                ++evaluator_.counters.snapshots;
            }
        }
        if (&set == &scratch_[1 - last_]) {
            last_ = 1 - last_;
            last_classes_ = classes;
            has_last_ = true;
        }
    }

    Shared keep(const Set& set, std::uint64_t classes) {
        auto held = std::make_shared<HeldSet<Words, Count>>();
        held->set = set.copy(table_.arena);
        held->classes = classes;
        return held;
    }

    Table<Words, Count>& table_;
    const Objective objective_;
    const CheckerOptions options_;
    std::mutex mutex_;  // for all below, but for the counters
    Stop stop_;         // of the call at hand
    const std::size_t before_ = table_.arena.in_use();  // F0
    Evaluator<Words, Count> evaluator_;
    History<Words, Count> history_;
    std::array<Set, 2> scratch_;
    std::size_t last_ = 0;  // which of them holds the last failing set, if one does
    bool has_last_ = false;
    std::uint64_t last_classes_ = 0;
};

template <int Words, class Count>
class TypedTable final : public CodedTable {
public:
    TypedTable(const std::vector<ColumnInput>& columns, const std::vector<std::size_t>& order,
               const Hierarchies& hierarchies, const KeyLayout& layout, std::span<const std::uint64_t> weights,
               const std::vector<AttributeInput>& attributes, const Stop& stop)
        : table_(hierarchies, layout) {
        table_.position.resize(columns.size());
        std::vector<std::span<const Label>> codes;
        for (std::size_t p = 0; p < order.size(); ++p) {
            table_.position[order[p]] = p;
            codes.push_back(columns[order[p]].codes);
        }
        for (const ColumnInput& column : columns) {
            table_.user_levels.push_back(column.user_levels);
            table_.heights.push_back(column.height);
        }
        std::vector<Count> counts(weights.begin(), weights.end());
        table_.rows = weights.empty() ? codes.front().size() : std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
        if (attributes.empty()) {
            table_.ground = group_rows<Words, Count>(codes, counts, table_.layout, table_.arena, stop);
            table_.ground.contents.classes = table_.ground.size;
            return;
        }
        for (const AttributeInput& attribute : attributes) table_.attributes.push_back(attribute.attribute);
        SortedRows<Words, Count> sorted = sort_rows<Words, Count>(codes, counts, table_.layout, table_.arena, stop);
        table_.ground = std::move(sorted.set);
        fill_ground(attributes, counts, sorted, stop);
    }

    std::uint64_t rows() const override { return table_.rows; }
    std::size_t columns() const override { return table_.position.size(); }
    std::size_t tuples() const override { return table_.ground.size; }
    std::size_t nodes() const override { return table_.lattice.size(); }

    SearchResult search(const Requirement& requirement, const Objective& objective,
                        const SearchOptions& options) override {
        return box_search(table_, requirement, objective, options);
    }

    std::vector<std::uint8_t> levels_of(std::span<const std::size_t> indices) const override {
        std::vector<std::uint8_t> levels;
        levels.reserve(indices.size() * table_.position.size());
        for (const std::size_t index : indices) {
            const Node node = table_.lattice.node(index);
            for (const std::size_t position : table_.position) levels.push_back(node[position]);
        }
        return levels;
    }

    std::unique_ptr<Checker> checker(const Requirement& requirement, const Objective& objective,
                                     const CheckerOptions& options) override {
        return std::make_unique<TypedChecker<Words, Count>>(table_, requirement, objective, options);
    }
    std::size_t peak_bytes() const override { return table_.arena.peak(); }
    void reset_peak_bytes() override { table_.arena.reset_peak(); }

    Classes classes(const std::vector<std::vector<unsigned>>& path, const Stop& stop) override {
        Roller<Words, Count> roller(table_.hierarchies, table_.layout, table_.arena, stop);
        FrequencySet<Words, Count> set = table_.ground.copy(table_.arena);
        for (const auto& node : path) {
            const Node to = table_.internal_node(node);
            for (std::size_t column = 0; column < table_.lattice.columns(); ++column) {
                if (to[column] < set.node[column]) throw std::invalid_argument("a path only goes up");
            }
            FrequencySet<Words, Count> next;
            roller.roll(set, to, next);
            set = std::move(next);
        }
        Classes result;
        for (std::size_t i = 0; i < set.size; ++i) {
            if (i % polled_piece == 0) stop.poll();
            if (set.counts[i] == 0 && !path.empty()) continue;
            result.counts.push_back(set.counts[i]);
            for (const std::size_t column : table_.position) result.labels.push_back(label(set, i, column));
        }
        return result;
    }

    TupleClasses divide(const Requirement& requirement, const CellCosts& costs, const std::vector<RangeCosts>& ranges,
                        Cut cut, std::span<const std::uint32_t> bucket_of, unsigned threads,
                        const Stop& stop) override {
        if (!bucket_of.empty() && bucket_of.size() != table_.ground.size) {
            throw std::invalid_argument("every tuple needs a bucket");
        }
        for (const std::uint32_t bucket : bucket_of) {
            if (bucket >= bucket_of.size()) throw std::invalid_argument("there are more buckets than tuples");
        }
        Tuples tuples = tuples_with(costs);
        add_ranges(ranges, tuples);
        std::vector<std::uint32_t> all(tuples.size());
        std::iota(all.begin(), all.end(), 0U);
        return mondrian(tuples, all, cut, bucket_of, tests_of(requirement, stop), threads, stop);
    }

    CheapestClasses cheapest(const Requirement& requirement, const CellCosts& costs, const CheapestOptions& options,
                             const Stop& stop) override {
        return cheapest_classes(tuples_with(costs), tests_of(requirement, stop), options, stop);
    }

    TupleClasses aggregate(const Requirement& requirement, const std::vector<std::span<const double>>& coordinates,
                           const AggregationOptions& options, const Stop& stop) override {
        if (coordinates.empty()) throw std::invalid_argument("points need a coordinate");
        for (const std::span<const double> values : coordinates) {
            if (values.size() != table_.ground.size) throw std::invalid_argument("every tuple needs a coordinate");
            if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) {
                throw std::invalid_argument("a coordinate is not finite");
            }
        }
        return microaggregate({coordinates, rows_of_tuples()}, tests_of(requirement, stop), options, stop);
    }

    std::vector<bool> passing(const Requirement& requirement, std::span<const std::uint32_t> class_of,
                              std::uint32_t classes, const Stop& stop) override {
        if (class_of.size() != table_.ground.size) throw std::invalid_argument("every tuple needs a class, or none");
        std::vector<std::uint32_t> starts(std::size_t{classes} + 1, 0);
        for (const std::uint32_t number : class_of) {
            if (number == no_class) continue;
            if (number >= classes) throw std::invalid_argument("no such class");
            ++starts[number + std::size_t{1}];
        }
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        std::vector<std::uint32_t> next(starts.begin(), starts.end());
        std::vector<std::uint32_t> sorted(starts.back());
        for (std::size_t i = 0; i < class_of.size(); ++i) {
            if (class_of[i] != no_class) sorted[next[class_of[i]]++] = static_cast<std::uint32_t>(i);
        }
        RequirementTests<Words, Count> tests(table_, requirement, stop);
        const std::span<const std::uint8_t> passes = tests.run(sorted, starts);
        return {passes.begin(), passes.end()};
    }

private:
    MakeTests tests_of(const Requirement& requirement, const Stop& stop) {
        return [this, &requirement, &stop]() -> std::unique_ptr<GroupTests> {
            return std::make_unique<RequirementTests<Words, Count>>(table_, requirement, stop);
        };
    }

    Tuples tuples_with(const CellCosts& costs) const {
        const std::size_t columns = table_.position.size();
        Tuples tuples{table_.hierarchies, std::vector<std::vector<Label>>(columns), {}, CellCosts(columns),
                      std::vector<RangeCosts>(columns), std::vector<std::size_t>(columns)};
        if (costs.size() != columns) throw std::invalid_argument("costs need one entry per column");
        Cost most = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t column = table_.position[c];
            if (costs[c].size() != table_.hierarchies.levels(column)) {
                throw std::invalid_argument("costs need one list per level");
            }
            Cost largest = 0;
            for (unsigned level = 0; level < costs[c].size(); ++level) {
                if (costs[c][level].size() != table_.hierarchies.labels(column, level)) {
                    throw std::invalid_argument("costs need one entry per label");
                }
                for (const Cost cost : costs[c][level]) {
                    if (cost < 0 || cost > full_cost) throw std::invalid_argument("a cost is out of range");
                    largest = std::max(largest, cost);
                }
            }
            most += largest;
            tuples.costs[column] = costs[c];
            tuples.place[column] = c;
            std::vector<Label>& labels = tuples.labels[column];
            labels.resize(table_.ground.size);
            for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = label(table_.ground, i, column);
        }
        // Each may have been rounded up.
        if (most > full_cost + static_cast<Cost>(columns)) throw std::invalid_argument("a row costs too much");
        tuples.rows = rows_of_tuples();
        return tuples;
    }

    void add_ranges(const std::vector<RangeCosts>& ranges, Tuples& tuples) const {
        if (ranges.empty()) return;
        if (ranges.size() != tuples.columns()) throw std::invalid_argument("costs of ranges need one entry per column");
        for (std::size_t c = 0; c < ranges.size(); ++c) {
            const std::size_t column = table_.position[c];
            const std::size_t labels = ranges[c].first.empty() ? 0 : table_.hierarchies.labels(column, 0);
            for (const std::vector<Cost>& ends : {ranges[c].first, ranges[c].last}) {
                if (ends.size() != labels) throw std::invalid_argument("costs of ranges need one entry per label");
                for (const Cost cost : ends) {
                    if (cost < 0 || cost > no_label) throw std::invalid_argument("a cost is out of range");
                }
            }
            tuples.ranges[column] = ranges[c];
        }
    }

    std::vector<std::uint64_t> rows_of_tuples() const {
        return {table_.ground.counts.data(), table_.ground.counts.data() + table_.ground.size};
    }

    void fill_ground(const std::vector<AttributeInput>& attributes, std::span<const Count> counts,
                     const SortedRows<Words, Count>& sorted, const Stop& stop) {
        table_.ground.contents.classes = table_.ground.size;
        const std::size_t rows = sorted.row.size();
        std::vector<Label> entries(rows);
        std::vector<Count> adds(rows);
        for (const AttributeInput& input : attributes) {
            in_pieces(rows, stop, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    const std::size_t row = sorted.row[i];
                    entries[i] = input.codes[row];
                    adds[i] = !input.weights.empty() ? static_cast<Count>(input.weights[row])
                              : counts.empty()       ? Count{1}
                                                     : counts[row];
                }
            });
            table_.ground.contents.histograms.push_back(count_entries<Count>(
                sorted.tuple, table_.ground.size, entries, adds, input.attribute, table_.arena, stop));
        }
    }

    Label label(const FrequencySet<Words, Count>& set, std::size_t i, std::size_t column) const {
        if (!set.dense) return table_.layout.label(set.keys[i], column);
        std::size_t inner = 1;
        for (std::size_t c = 0; c < column; ++c) inner *= table_.hierarchies.labels(c, set.node[c]);
        return static_cast<Label>(i / inner % table_.hierarchies.labels(column, set.node[column]));
    }

    Table<Words, Count> table_;
};

template <class Count, class... Arguments>
std::unique_ptr<CodedTable> make_for_words(unsigned words, Arguments&&... arguments) {
    if (words <= 1) return std::make_unique<TypedTable<1, Count>>(std::forward<Arguments>(arguments)...);
    if (words <= 2) return std::make_unique<TypedTable<2, Count>>(std::forward<Arguments>(arguments)...);
    if (words <= 4) return std::make_unique<TypedTable<4, Count>>(std::forward<Arguments>(arguments)...);
    throw std::length_error("the distinct values of the quasi-identifiers need more than 252 bits");
}

}  // namespace

std::unique_ptr<CodedTable> CodedTable::make(const std::vector<ColumnInput>& columns, std::size_t rows,
                                             std::span<const std::uint64_t> weights,
                                             const std::vector<AttributeInput>& attributes, const Stop& stop) {
    if (columns.empty() || rows == 0) throw std::invalid_argument("a table needs rows and columns");
    if (!weights.empty() && weights.size() != rows) throw std::invalid_argument("one weight per row");
    for (const ColumnInput& column : columns) {
        stop.poll();
        if (column.codes.size() != rows) throw std::invalid_argument("columns differ in length");
        if (column.maps.empty() || column.maps.size() != column.user_levels.size()) {
            throw std::invalid_argument("one user level per level");
        }
        if (column.height > 255 || *std::max_element(column.user_levels.begin(), column.user_levels.end()) > 255) {
            throw std::invalid_argument("levels go up to 255");
        }
        const Label largest = *std::max_element(column.codes.begin(), column.codes.end());
        if (largest >= column.maps.front().size()) throw std::invalid_argument("a code has no label");
    }
    const std::vector<std::size_t> order = rollup_order(columns);
    std::vector<std::vector<std::vector<Label>>> maps;
    for (const std::size_t column : order) maps.push_back(columns[column].maps);
    const Hierarchies hierarchies(maps, stop);
    std::vector<Label> cardinalities;
    for (std::size_t column = 0; column < order.size(); ++column) {
        cardinalities.push_back(hierarchies.labels(column, 0));
    }
    const KeyLayout layout(cardinalities);
    std::uint64_t total = rows;
    if (!weights.empty()) {
        total = 0;
        for (const std::uint64_t weight : weights) total += weight;
        if (total == 0) throw std::invalid_argument("a table needs rows");
    }
    for (const AttributeInput& input : attributes) {
        stop.poll();
        if (input.codes.size() != rows || (!input.weights.empty() && input.weights.size() != rows)) {
            throw std::invalid_argument("an attribute has one entry per row");
        }
        for (const Label code : input.codes) {
            if (code != no_value && code >= input.attribute.entries) throw std::invalid_argument("no such entry");
        }
        std::uint64_t most = 0;
        for (const std::uint64_t weight : input.weights) most += weight;
        total = std::max(total, most);
        const std::vector<Label>& value_of = input.attribute.value_of;
        if (!value_of.empty() && value_of.size() != input.attribute.entries) {
            throw std::invalid_argument("every entry has a value");
        }
        for (const Label value : value_of) {
            if (value >= input.attribute.values) throw std::invalid_argument("no such value");
        }
    }
    // Counts as narrow as the number of rows allows: roll-up of dense arrays is as fast as its memory. One more
    // than all rows must fit, for a k that no class reaches.
    if (total < std::numeric_limits<std::uint16_t>::max()) {
        return make_for_words<std::uint16_t>(layout.words(), columns, order, hierarchies, layout, weights, attributes,
                                             stop);
    }
    if (total < std::numeric_limits<std::uint32_t>::max()) {
        return make_for_words<std::uint32_t>(layout.words(), columns, order, hierarchies, layout, weights, attributes,
                                             stop);
    }
    return make_for_words<std::uint64_t>(layout.words(), columns, order, hierarchies, layout, weights, attributes,
                                         stop);
}

}  // namespace shoal
