#include "shoal/requirement.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "shoal/loops.hpp"

namespace shoal {

namespace {

// A figure this much beyond its bound, relative to it, still meets it; the models in Python say the same.
constexpr double rounding = 1e-12;
constexpr std::size_t small_counts = 4096;
// Classes tested at once: a node that fails is done after so many more at most.
constexpr std::size_t block = 256;

}  // namespace

// What distances of classes with few values are computed from.
void Condition::prepare() {
    if (kind == ConditionKind::ordered) {
        place.resize(order.size());
        sums.assign(1, 0);
        double sum = 0;
        for (std::size_t at = 0; at < order.size(); ++at) {
            place[order[at]] = static_cast<Label>(at);
            cumulated.push_back(sum += totals[order[at]]);
            sums.push_back(sums.back() + sum);
        }
    }
    const std::vector<double>* below = &totals;
    for (const std::vector<Label>& parent : tree) {
        std::vector<double> here(parent.empty() ? 0 : std::size_t{parent.back()} + 1, 0);
        for (std::size_t child = 0; child < parent.size(); ++child) here[parent[child]] += (*below)[child];
        label_totals.push_back(std::move(here));
        below = &label_totals.back();
    }
}

template <class Count>
ClassTests<Count>::ClassTests(const Requirement& requirement, std::span<const Attribute> attributes, const Stop& stop)
    : requirement_(requirement), attributes_(attributes), stop_(stop) {
    std::size_t most = 0;
    bool logs = false;
    for (std::size_t i = 0; i < requirement_.conditions.size(); ++i) {
        order_.push_back(i);
        most = std::max<std::size_t>(most, attributes_[requirement_.conditions[i].attribute].values);
        logs |= requirement_.conditions[i].kind == ConditionKind::entropy;
    }
    // What an absorbing condition rules out is ruled out for all specializations, so these come first.
    std::stable_partition(order_.begin(), order_.end(),
                          [&](std::size_t i) { return requirement_.conditions[i].absorbing; });
    cells_.assign(most, 0);
    values_.reserve(most);  // nothing may fail while cells are in use
    counts_.reserve(most);
    // Rows have a few cells more than there are values; nothing is asked of those.
    for (Condition& condition : requirement_.conditions) {
        const std::size_t width = attributes_[condition.attribute].width();
        if (condition.kind == ConditionKind::shares) {
            condition.lower.resize(width, 0);
            condition.upper.resize(width, 0);
        }
        condition.prepare();
        condition.totals.resize(width, 0);
    }
    if (logs) {
        logs_.resize(small_counts, 0);
        for (std::size_t n = 2; n < small_counts; ++n) {
            logs_[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
        }
    }
}

template <class Count>
double ClassTests<Count>::entropy_term(std::uint64_t n) const {
    if (n < small_counts) return logs_[n];
    return static_cast<double>(n) * std::log(static_cast<double>(n));
}

template <class Count>
auto ClassTests<Count>::run(std::span<const Count> sizes, std::span<const Histograms<Count>> histograms) -> Verdict {
    const std::uint64_t limit = requirement_.limit;
    fails_.resize(sizes.size());
    people_.resize(sizes.size());
    left_.resize(sizes.size());
    std::uint64_t rows = 0;
    std::size_t left = 0;
    for (std::size_t c = 0; c < sizes.size(); ++c) {
        const std::uint64_t n = sizes[c];
        const bool small = n > 0 && n < requirement_.k;
        fails_[c] = small;
        rows += small ? n : 0;
        people_[c] = static_cast<double>(n);
        left_[left] = static_cast<std::uint32_t>(c);
        left += !small && (n > 0 || requirement_.judges_empty);
    }
    if (rows > limit) return {rows, false, true};
    left_.resize(left);
    if (requirement_.units != Requirement::no_units) {
        const Histograms<Count>& units = histograms[requirement_.units];
        for (std::size_t c = 0; c < sizes.size(); ++c) {
            people_[c] = static_cast<double>(units.starts[c + 1] - units.starts[c]);
        }
    }
    for (const std::size_t i : order_) {
        const Condition& condition = requirement_.conditions[i];
        const bool ends_search = condition.absorbing || requirement_.monotone();
        left = 0;
        for (std::size_t start = 0; start < left_.size(); start += block) {
            stop_.poll();
            const std::span<const std::uint32_t> classes{left_.data() + start, std::min(block, left_.size() - start)};
            test(condition, histograms[condition.attribute], classes);
            for (std::size_t j = 0; j < classes.size(); ++j) {
                const std::uint32_t c = classes[j];
                // Of a population's classes without rows only the population's conditions are asked.
                const bool passes = meets_[j] != 0 || (sizes[c] == 0 && condition.kind != ConditionKind::population);
                fails_[c] = !passes;
                rows += passes ? 0 : sizes[c];
                if (!passes && sizes[c] == 0) return {rows, false, ends_search};
                left_[left] = c;
                left += passes;
            }
            if (rows > limit) return {rows, false, ends_search};
        }
        left_.resize(left);
    }
    if (requirement_.average_risk != std::numeric_limits<double>::infinity()) rows = fail_smallest(sizes);
    return {rows, rows <= limit, rows > limit && requirement_.monotone()};
}

template <class Count>
void ClassTests<Count>::test(const Condition& condition, const Histograms<Count>& histograms,
                             std::span<const std::uint32_t> classes) {
    meets_.resize(classes.size());
    if (histograms.dense) {
        const Rows<Count> rows{histograms.cells.data(), histograms.width, classes.data(), classes.size(),
                               people_.data()};
        switch (condition.kind) {
            case ConditionKind::distinct:
                return loops<Count>().occur(rows, static_cast<std::size_t>(condition.least), meets_.data());
            case ConditionKind::shares:
                return loops<Count>().between(rows, condition.lower.data(), condition.upper.data(), meets_.data());
            case ConditionKind::recursive: return test_recursive(condition, histograms, rows);
            case ConditionKind::equal:
            case ConditionKind::tree: return test_distance(condition, histograms, rows);
            default: break;
        }
    }
    const Attribute& attribute = attributes_[condition.attribute];
    for (std::size_t i = 0; i < classes.size(); ++i) {
        stop_.poll();
        meets_[i] = meets(condition, row_of(histograms, attribute, classes[i]));
    }
}

// Most classes are settled by their largest count: the others among the `least` - 1 largest are between 0 and it.
template <class Count>
void ClassTests<Count>::test_recursive(const Condition& condition, const Histograms<Count>& histograms,
                                       const Rows<Count>& rows) {
    counts_.resize(rows.size);
    loops<Count>().largest(rows, counts_.data());
    const double c = condition.bound * (1 - rounding);
    const double others = condition.least > 0 ? static_cast<double>(condition.least - 1) : 0;
    const Attribute& attribute = attributes_[condition.attribute];
    for (std::size_t i = 0; i < rows.size; ++i) {
        const double largest = static_cast<double>(counts_[i]);
        const double n = rows.people[rows.classes[i]];
        const bool certainly = largest < c * (n - others * largest);
        const bool perhaps = largest < c * (others > 0 ? n - largest : n);
        meets_[i] = certainly || (perhaps && meets(condition, row_of(histograms, attribute, rows.classes[i])));
    }
}

// What a class has in excess has to move, all of it by 1 where distances are equal. Along a tree it moves by 1 at most
// and by one of its levels at least, which settles most classes.
template <class Count>
void ClassTests<Count>::test_distance(const Condition& condition, const Histograms<Count>& histograms,
                                      const Rows<Count>& rows) {
    const double bound = condition.bound * condition.total * (1 + rounding);
    const double height = condition.kind == ConditionKind::tree ? static_cast<double>(condition.tree.size()) : 1;
    const Attribute& attribute = attributes_[condition.attribute];
    excess_.resize(rows.size);
    loops<Count>().excess(rows, condition.total, condition.totals.data(), excess_.data());
    for (std::size_t i = 0; i < rows.size; ++i) {
        const double most = bound * rows.people[rows.classes[i]];
        const bool near = excess_[i] <= most;
        const bool perhaps = excess_[i] <= most * height * (1 + rounding);
        meets_[i] = near || (height > 1 && perhaps && meets(condition, row_of(histograms, attribute, rows.classes[i])));
    }
}

// Classes of one size fail together, so that it does not matter in which order they stand.
template <class Count>
std::uint64_t ClassTests<Count>::fail_smallest(std::span<const Count> sizes) {
    std::vector<double> passing;
    double total = 0;
    for (std::size_t c = 0; c < sizes.size(); ++c) {
        if (fails_[c] != 0 || sizes[c] == 0) continue;
        passing.push_back(people_[c]);
        total += people_[c];
    }
    sort_in_pieces(passing.begin(), passing.end(), stop_, std::less<>());
    std::size_t first = 0;
    while (first < passing.size() && static_cast<double>(passing.size() - first) >
                                         requirement_.average_risk * total * (1 + rounding)) {
        const double smallest = passing[first];
        for (; first < passing.size() && passing[first] == smallest; ++first) total -= smallest;
    }
    const bool none = first == passing.size();
    std::uint64_t rows = 0;
    for (std::size_t c = 0; c < sizes.size(); ++c) {
        if (sizes[c] > 0 && fails_[c] == 0 && (none || people_[c] < passing[first])) fails_[c] = 1;
        rows += fails_[c] != 0 ? sizes[c] : 0;
    }
    return rows;
}

template <class Count>
auto ClassTests<Count>::row_of(const Histograms<Count>& histograms, const Attribute& attribute, std::size_t c)
    -> Row {
    const double n = people_[c];
    if (histograms.dense) {
        return {nullptr, histograms.cells.data() + c * histograms.width, attribute.values, n, n};
    }
    const std::size_t start = histograms.starts[c];
    const std::size_t size = histograms.starts[c + 1] - start;
    const Label* const entries = histograms.entries.data() + start;
    if (attribute.value_of.empty()) {
        const double sum = attribute.once ? static_cast<double>(size) : n;
        return {entries, histograms.counts.data() + start, size, n, sum};
    }
    // Units per value.
    values_.clear();
    for (std::size_t i = 0; i < size; ++i) {
        const Label value = attribute.value_of[entries[i]];
        if (cells_[value] == 0) values_.push_back(value);
        ++cells_[value];
    }
    counts_.clear();
    for (const Label value : values_) {
        counts_.push_back(cells_[value]);
        cells_[value] = 0;
    }
    return {values_.data(), counts_.data(), values_.size(), n, static_cast<double>(size)};
}

// Rows of cells come here for the conditions only that have no loop of their own.
template <class Count>
bool ClassTests<Count>::meets(const Condition& condition, const Row& row) {
    switch (condition.kind) {
        case ConditionKind::distinct: return row.size >= condition.least;
        case ConditionKind::cover: return beyond_largest(condition, row) > 0;
        case ConditionKind::entropy: {
            const double sum = row.sum > row.people ? worst_entropy_terms(row) : entropy_terms(row);
            return entropy_term(static_cast<std::uint64_t>(row.people)) - sum >=
                   row.people * (condition.bound - rounding);
        }
        case ConditionKind::recursive: {
            const double tail = beyond_largest(condition, row);
            return static_cast<double>(largest_[0]) < condition.bound * tail * (1 - rounding);
        }
        case ConditionKind::shares: {
            // Of values that do not occur only those matter that must.
            std::size_t missing = static_cast<std::size_t>(condition.least);
            for (std::size_t i = 0; i < row.size; ++i) {
                const Label value = row.values[i];
                const double count = static_cast<double>(row.counts[i]);
                if (count > condition.upper[value] * row.people || count < condition.lower[value] * row.people) {
                    return false;
                }
                missing -= condition.lower[value] > 0 ? 1 : 0;
            }
            return missing == 0;
        }
        case ConditionKind::population: {
            const double there = row.size == 0 ? 0 : static_cast<double>(row.counts[0]);
            return there >= static_cast<double>(condition.least) && row.people >= condition.lower[0] * there &&
                   row.people <= condition.upper[0] * there;
        }
        default: {
            const double moved = distance(condition, row);
            if (row.sum == row.people && condition.total == condition.people) {
                return moved <= condition.bound * row.sum * condition.total * (1 + rounding);
            }
            // People have several values. What they have in common with the table's moves as usual; what is more in
            // one of them moves by 1.
            const double values = row.sum * condition.people;
            const double expected = condition.total * row.people;
            return moved / std::max(values, expected) + std::abs(values - expected) / (row.people * condition.people) <=
                   condition.bound * (1 + rounding);
        }
    }
}

// The people of a class that the `least` - 1 most frequent values leave over, as if nobody had two of those: at most
// zero where these values may account for everybody.
template <class Count>
double ClassTests<Count>::beyond_largest(const Condition& condition, const Row& row) {
    // The largest counts so far, in falling order. Few are asked for, and few counts get among them.
    const auto most = static_cast<std::size_t>(condition.least);
    largest_.assign(most, 0);
    for (std::size_t i = 0; i < row.size; ++i) {
        Count count = row.counts[i];
        if (count <= largest_[most - 1]) continue;
        for (std::size_t place = 0; place < most; ++place) {
            if (count > largest_[place]) std::swap(count, largest_[place]);
        }
    }
    double left = row.people;
    for (std::size_t place = 0; place + 1 < most; ++place) left -= static_cast<double>(largest_[place]);
    return left;
}

template <class Count>
double ClassTests<Count>::entropy_terms(const Row& row) const {
    double sum = 0;
    for (std::size_t i = 0; i < row.size; ++i) sum += entropy_term(row.counts[i]);
    return sum;
}

// Where people have several values each is read as having one, the most frequent ones first: no other choice of one
// value per person has a smaller entropy.
template <class Count>
double ClassTests<Count>::worst_entropy_terms(const Row& row) {
    largest_.assign(row.counts, row.counts + row.size);
    std::sort(largest_.begin(), largest_.end(), std::greater<>());
    double sum = 0;
    auto left = static_cast<std::uint64_t>(row.people);
    for (const Count count : largest_) {
        const std::uint64_t read = std::min<std::uint64_t>(count, left);
        sum += entropy_term(read);
        left -= read;
        if (left == 0) break;
    }
    return sum;
}

// The earth mover's distance between a class and the table, times the rows of both: sums of whole numbers.
template <class Count>
double ClassTests<Count>::distance(const Condition& condition, const Row& row) {
    const bool all_values = row.values == nullptr;
    if (condition.kind == ConditionKind::ordered) return all_values ? in_order(condition, row) : by_steps(condition, row);
    if (condition.kind == ConditionKind::tree) return all_values ? in_tree(condition, row) : by_labels(condition, row);
    double sum = 0;
    for (std::size_t i = 0; i < row.size; ++i) {
        sum += std::max(0.0, static_cast<double>(row.counts[i]) * condition.total -
                                 condition.totals[row.values[i]] * row.sum);
    }
    return sum;
}

template <class Count>
double ClassTests<Count>::in_order(const Condition& condition, const Row& row) {
    if (row.size < 2) return 0;
    double sum = 0;
    double moved = 0;
    // Beyond this it is too far, however far.
    const double enough = 2 * condition.bound * row.sum * condition.total * static_cast<double>(row.size);
    for (std::size_t place = 0; place + 1 < row.size && sum <= enough; ++place) {
        const Label value = condition.order[place];
        moved += static_cast<double>(row.counts[value]) * condition.total - condition.totals[value] * row.sum;
        sum += std::abs(moved);
    }
    return sum / static_cast<double>(row.size - 1);
}

// The same where few of the values occur. From one that does to the next, only the table's cumulated counts grow,
// so the differences fall, and their sum follows from that of the counts.
template <class Count>
double ClassTests<Count>::by_steps(const Condition& condition, const Row& row) {
    const std::size_t values = condition.order.size();
    if (values < 2) return 0;
    const std::vector<double>& cumulated = condition.cumulated;
    const std::vector<double>& sums = condition.sums;
    placed_.clear();
    for (std::size_t i = 0; i < row.size; ++i) {
        placed_.emplace_back(condition.place[row.values[i]], static_cast<double>(row.counts[i]));
    }
    std::sort(placed_.begin(), placed_.end());
    double sum = 0;
    double held = 0;  // cumulated counts of the class, times the table's rows
    const auto add = [&](std::size_t first, std::size_t last) {
        const auto begin = cumulated.begin();
        const auto crossing = std::partition_point(begin + static_cast<std::ptrdiff_t>(first),
                                                   begin + static_cast<std::ptrdiff_t>(last),
                                                   [&](double count) { return count * row.sum <= held; });
        const auto middle = static_cast<std::size_t>(crossing - begin);
        sum += held * static_cast<double>(middle - first) - row.sum * (sums[middle] - sums[first]);
        sum += row.sum * (sums[last] - sums[middle]) - held * static_cast<double>(last - middle);
    };
    std::size_t start = 0;
    for (const auto& [place, count] : placed_) {
        const std::size_t end = std::min<std::size_t>(place, values - 1);
        add(start, end);
        held += count * condition.total;
        start = end;
    }
    add(start, values - 1);
    return sum / static_cast<double>(values - 1);
}

template <class Count>
double ClassTests<Count>::in_tree(const Condition& condition, const Row& row) {
    extra_.resize(row.size);
    for (std::size_t v = 0; v < row.size; ++v) {
        extra_[v] = static_cast<double>(row.counts[v]) * condition.total - condition.totals[v] * row.sum;
    }
    double sum = 0;
    const auto height = static_cast<double>(condition.tree.size());
    for (std::size_t level = 0; level < condition.tree.size(); ++level) {
        const std::vector<Label>& parent = condition.tree[level];
        double here = 0;
        for (std::size_t child = 0; child < parent.size();) {
            const Label label = parent[child];
            double positive = 0;
            double negative = 0;
            for (; child < parent.size() && parent[child] == label; ++child) {
                positive += std::max(0.0, extra_[child]);
                negative += std::max(0.0, -extra_[child]);
            }
            here += std::min(positive, negative);
            extra_[label] = positive - negative;  // no child of a later label stands here
        }
        sum += static_cast<double>(level + 1) / height * here;
    }
    return sum;
}

// The same where few of the values occur: labels without any of them have nothing to give, so nothing moves below
// them.
template <class Count>
double ClassTests<Count>::by_labels(const Condition& condition, const Row& row) {
    touched_.clear();
    for (std::size_t i = 0; i < row.size; ++i) {
        const double count = static_cast<double>(row.counts[i]);
        const double beyond = count * condition.total - condition.totals[row.values[i]] * row.sum;
        touched_.push_back({row.values[i], count, std::max(0.0, beyond)});
    }
    double sum = 0;
    const auto height = static_cast<double>(condition.tree.size());
    for (std::size_t level = 0; level < condition.tree.size(); ++level) {
        for (Touched& touched : touched_) touched.label = condition.tree[level][touched.label];
        std::sort(touched_.begin(), touched_.end(),
                  [](const Touched& a, const Touched& b) { return a.label < b.label; });
        double here = 0;
        std::size_t labels = 0;
        for (std::size_t i = 0; i < touched_.size();) {
            Touched merged{touched_[i].label, 0, 0};
            for (; i < touched_.size() && touched_[i].label == merged.label; ++i) {
                merged.count += touched_[i].count;
                merged.positive += touched_[i].positive;
            }
            const double extra = merged.count * condition.total - condition.label_totals[level][merged.label] * row.sum;
            here += std::min(merged.positive, merged.positive - extra);
            touched_[labels++] = {merged.label, merged.count, std::max(0.0, extra)};
        }
        touched_.resize(labels);
        sum += static_cast<double>(level + 1) / height * here;
    }
    return sum;
}

template <class Count>
auto ClassTests<Count>::minority(std::span<const Count> sizes, const Histograms<Count>& histograms,
                                 std::size_t attribute, bool after_run) const -> Minority {
    Minority result;
    for (std::size_t c = 0; c < sizes.size(); ++c) {
        if (c % block == 0) stop_.poll();
        const Count* const first = histograms.dense ? histograms.cells.data() + c * histograms.width
                                                    : histograms.counts.data() + histograms.starts[c];
        const std::size_t size = histograms.dense ? std::size_t{attributes_[attribute].values}
                                                  : std::size_t{histograms.starts[c + 1] - histograms.starts[c]};
        std::uint64_t largest = 0;
        for (std::size_t i = 0; i < size; ++i) largest = std::max<std::uint64_t>(largest, first[i]);
        result.rows += sizes[c] - largest;
        if (after_run && fails_[c] != 0) result.failing_majority += largest;
    }
    return result;
}

template class ClassTests<std::uint16_t>;
template class ClassTests<std::uint32_t>;
template class ClassTests<std::uint64_t>;

}  // namespace shoal
