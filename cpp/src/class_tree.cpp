#include "shoal/class_tree.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace shoal {

ClassTree::ClassTree(const Tuples& tuples, const CellCoster& coster, const ClassSet& classes,
                     std::vector<std::uint32_t> numbers, std::size_t searches)
    : tuples_(tuples), coster_(coster), numbers_(std::move(numbers)) {
    if (numbers_.empty()) return;
    order_columns(classes);
    branches_.push_back({0, static_cast<std::uint32_t>(numbers_.size()), 0, 0});
    for (std::uint32_t branch = 0; branch < branches_.size(); ++branch) {
        fill(branch, classes);
        if (searches > few_searches && branches_[branch].end - branches_[branch].first > leaf_size) cut(branch, classes);
    }
    cells_.reserve(numbers_.size() * coster.columns());
    for (const std::uint32_t number : numbers_) {
        const auto own = classes.cells(number);
        for (const std::size_t column : order_) cells_.push_back(own[column]);
        rows_.push_back(static_cast<Cost>(classes.rows(number)));
        costs_.push_back(classes.cost(number));
    }
}

// First those whose labels differ the most, so that most classes are out after a column or two.
void ClassTree::order_columns(const ClassSet& classes) {
    order_.resize(coster_.columns());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::vector<Cost> apart(order_.size());
    const std::size_t step = std::max<std::size_t>(numbers_.size() / 512, 1);
    for (std::size_t i = 0, j = numbers_.size() / 2; i < numbers_.size(); i += step, j = (j + 7 * step) % numbers_.size()) {
        const auto a = classes.cells(numbers_[i]), b = classes.cells(numbers_[j]);
        for (std::size_t c = 0; c < apart.size(); ++c) apart[c] += coster_.joined_cost(c, a[c], b[c].label) - a[c].cost;
    }
    std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return apart[a] > apart[b]; });
}

void ClassTree::fill(std::uint32_t branch, const ClassSet& classes) {
    Branch& of = branches_[branch];
    const std::size_t columns = coster_.columns();
    ranges_.resize(ranges_.size() + columns,
                   {~Label{0}, 0, static_cast<std::int32_t>(no_label), 0});
    Range* const ranges = ranges_.data() + branch * columns;
    std::uint64_t least_rows = ~std::uint64_t{0};
    for (std::uint32_t i = of.first; i < of.end; ++i) {
        least_rows = std::min(least_rows, classes.rows(numbers_[i]));
        const auto cells = classes.cells(numbers_[i]);
        for (std::size_t c = 0; c < columns; ++c) {
            const Cell& cell = cells[order_[c]];
            ranges[c].smallest = std::min(ranges[c].smallest, cell.label);
            ranges[c].largest = std::max(ranges[c].largest, cell.label);
            ranges[c].least_cost = std::min(ranges[c].least_cost, cell.cost);
            ranges[c].most_cost = std::max(ranges[c].most_cost, cell.cost);
        }
    }
    of.least_rows = static_cast<Cost>(least_rows);
}

// In two, by the labels or by the costs of the column that differs the most.
void ClassTree::cut(std::uint32_t branch, const ClassSet& classes) {
    const Branch of = branches_[branch];
    const Range* const ranges = ranges_.data() + branch * coster_.columns();
    std::size_t column = 0;
    bool by_cost = false;
    Cost most = -1;
    for (std::size_t c = 0; c < coster_.columns(); ++c) {
        const Cost apart = coster_.common_cost(order_[c], ranges[c].smallest, ranges[c].largest) - ranges[c].least_cost;
        const Cost costs = ranges[c].most_cost - ranges[c].least_cost;
        if (apart > most) {
            most = apart;
            column = order_[c];
            by_cost = false;
        }
        if (costs >= most) {
            most = costs;
            column = order_[c];
            by_cost = true;
        }
    }
    const auto begin = numbers_.begin() + of.first, end = numbers_.begin() + of.end;
    const auto key = [&](std::uint32_t number) {
        const Cell& cell = classes.cells(number)[column];
        const auto cost = static_cast<std::uint32_t>(cell.cost);
        return by_cost ? std::tuple(cost, cell.label, number) : std::tuple(cell.label, cost, number);
    };
    std::sort(begin, end, [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    // Where neighbours have least in common, among the middle half.
    const std::uint32_t size = of.end - of.first;
    std::uint32_t best = of.first + size / 2;
    Cost gap = -1;
    for (std::uint32_t i = of.first + size / 4 + 1; i <= of.first + size - size / 4 - 1; ++i) {
        const Cell& a = classes.cells(numbers_[i - 1])[column];
        const Cell& b = classes.cells(numbers_[i])[column];
        const Cost between = by_cost ? b.cost - a.cost : coster_.common_cost(column, a.label, b.label);
        if (between > gap) {
            gap = between;
            best = i;
        }
    }
    branches_[branch].child = static_cast<std::uint32_t>(branches_.size());
    branches_.push_back({of.first, best, 0, 0});
    branches_.push_back({best, of.end, 0, 0});
}

// No class of the branch grows less, or a number at or above the limit.
template <bool covering>
Cost ClassTree::bound(std::uint32_t branch, const Label* labels, Cost rows, Cost limit) const noexcept {
    const Range* const ranges = ranges_.data() + branch * coster_.columns();
    const Cost own = branches_[branch].least_rows;
    Cost sum = 0;
    for (std::size_t c = 0; c < coster_.columns(); ++c) {
        const Range& range = ranges[c];
        const Label nearest = std::clamp(labels[c], range.smallest, range.largest);
        // Labels between two of a class are of the class too.
        const Cost cost = nearest == labels[c] ? 0 : coster_.common_cost(order_[c], labels[c], nearest);
        if (covering && cost > range.most_cost) return limit;
        sum += rows * std::max<Cost>(cost, range.least_cost) + own * std::max<Cost>(cost - range.most_cost, 0);
        if (sum >= limit) return sum;
    }
    return sum;
}

template <bool covering, class Visit>
void ClassTree::visit(std::uint32_t tuple, std::uint32_t except, Cost& limit, Visit visit) const {
    if (branches_.empty()) return;
    const std::size_t columns = coster_.columns();
    std::array<Label, max_columns> labels;
    for (std::size_t c = 0; c < columns; ++c) labels[c] = tuples_.labels[order_[c]][tuple];
    const auto rows = static_cast<Cost>(tuples_.rows[tuple]);
    struct Waiting {
        Cost bound;
        std::uint32_t branch;
    };
    // A branch is cut between its quarters, so the tree is not deep.
    std::array<Waiting, 256> waiting;
    std::size_t size = 0;
    waiting[size++] = {0, 0};
    while (size > 0) {
        const Waiting next = waiting[--size];
        if (next.bound >= limit) continue;
        const Branch& branch = branches_[next.branch];
        if (branch.child != 0) {
            Waiting a{bound<covering>(branch.child, labels.data(), rows, limit), branch.child};
            Waiting b{bound<covering>(branch.child + 1, labels.data(), rows, limit), branch.child + 1};
            if (a.bound < b.bound) std::swap(a, b);
            if (a.bound < limit) waiting[size++] = a;
            if (b.bound < limit) waiting[size++] = b;
            continue;
        }
        for (std::uint32_t i = branch.first; i < branch.end; ++i) {
            const Cell* const cells = cells_.data() + i * columns;
            Cost cost = 0;
            const Cost most = covering ? costs_[i] : (limit + rows_[i] * costs_[i]) / std::max<Cost>(rows_[i] + rows, 1);
            std::size_t c = 0;
            for (; c < columns && cost <= most; ++c) cost += coster_.joined_cost(order_[c], cells[c], labels[c]);
            if (c < columns || cost > most || cost >= no_label || numbers_[i] == except) continue;
            const Cost growth = (rows_[i] + rows) * cost - rows_[i] * costs_[i];
            if (growth < limit) visit(Joined{growth, numbers_[i]});
        }
    }
}

template <bool covering>
ClassTree::Joined ClassTree::nearest(std::uint32_t tuple, std::uint32_t except, Cost limit) const {
    Joined best{limit, no_class};
    visit<covering>(tuple, except, best.growth, [&](const Joined& found) { best = found; });
    return best;
}

template <bool covering>
void ClassTree::within(std::uint32_t tuple, std::uint32_t except, Cost limit, std::vector<Joined>& found) const {
    found.clear();
    visit<covering>(tuple, except, limit, [&](const Joined& joined) { found.push_back(joined); });
    std::sort(found.begin(), found.end());
}

template ClassTree::Joined ClassTree::nearest<false>(std::uint32_t, std::uint32_t, Cost) const;
template ClassTree::Joined ClassTree::nearest<true>(std::uint32_t, std::uint32_t, Cost) const;
template void ClassTree::within<false>(std::uint32_t, std::uint32_t, Cost, std::vector<Joined>&) const;
template void ClassTree::within<true>(std::uint32_t, std::uint32_t, Cost, std::vector<Joined>&) const;

}  // namespace shoal
