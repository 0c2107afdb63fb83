#include "shoal/class_set.hpp"

#include <algorithm>

namespace shoal {

namespace {

std::pair<Label, Label> ends(std::span<const Label> labels, std::span<const std::uint32_t> tuples) noexcept {
    Label smallest = labels[tuples[0]], largest = smallest;
    for (const std::uint32_t tuple : tuples) {
        smallest = std::min(smallest, labels[tuple]);
        largest = std::max(largest, labels[tuple]);
    }
    return {smallest, largest};
}

}  // namespace

std::uint32_t ClassSet::add(std::span<const std::uint32_t> tuples) {
    const auto number = size();
    classes_.emplace_back();
    cells_.resize(cells_.size() + coster_.columns());
    refill(number, tuples);
    return number;
}

void ClassSet::refill(std::uint32_t number, std::span<const std::uint32_t> tuples) {
    Class& of = classes_[number];
    of.tuples.assign(tuples.begin(), tuples.end());
    of.rows = 0;
    for (const std::uint32_t tuple : tuples) {
        of.rows += tuples_.rows[tuple];
        class_of_[tuple] = number;
    }
    measure(number);
}

void ClassSet::measure(std::uint32_t number) {
    Class& of = classes_[number];
    of.cost = 0;
    for (std::size_t c = 0; c < coster_.columns() && !of.tuples.empty(); ++c) {
        const auto [smallest, largest] = ends(tuples_.labels[c], of.tuples);
        Cell& cell = cells_[number * coster_.columns() + c];
        cell = coster_.cell(c, smallest, largest);
        of.cost += cell.cost;
    }
    of.cost = std::min(of.cost, no_label);
}

Cost ClassSet::cost_of(std::span<const std::uint32_t> tuples) const noexcept {
    Cost cost = 0;
    for (std::size_t c = 0; c < coster_.columns(); ++c) {
        const auto [smallest, largest] = ends(tuples_.labels[c], tuples);
        cost += coster_.common_cost(c, smallest, largest);
    }
    return std::min(cost, no_label);
}

std::vector<Cell> ClassSet::cells_of(std::span<const std::uint32_t> tuples) const {
    std::vector<Cell> cells;
    for (std::size_t c = 0; c < coster_.columns(); ++c) {
        const auto [smallest, largest] = ends(tuples_.labels[c], tuples);
        cells.push_back(coster_.cell(c, smallest, largest));
    }
    return cells;
}

bool ClassSet::covers(std::uint32_t number, std::uint32_t tuple) const noexcept {
    return growth(number, tuple) == static_cast<Cost>(tuples_.rows[tuple]) * classes_[number].cost;
}

Cost ClassSet::cost_together(std::uint32_t a, std::uint32_t b) const noexcept {
    const auto ours = cells(a), others = cells(b);
    Cost cost = 0;
    for (std::size_t c = 0; c < ours.size(); ++c) {
        const unsigned apart = coster_.common_level(c, ours[c].label, others[c].label);
        const auto level = std::max({static_cast<std::int32_t>(apart), ours[c].level, others[c].level});
        cost += coster_.cost(c, static_cast<unsigned>(level), ours[c].label);
    }
    return std::min(cost, no_label);
}

Cost ClassSet::growth(std::uint32_t number, std::uint32_t tuple) const noexcept {
    const auto own = cells(number);
    Cost cost = 0;
    for (std::size_t c = 0; c < own.size(); ++c) cost += coster_.joined_cost(c, own[c], tuples_.labels[c][tuple]);
    const Class& of = classes_[number];
    return static_cast<Cost>(of.rows + tuples_.rows[tuple]) * std::min(cost, no_label) - static_cast<Cost>(of.rows) * of.cost;
}

void ClassSet::join(std::uint32_t number, std::uint32_t tuple) {
    Class& of = classes_[number];
    of.tuples.push_back(tuple);
    of.rows += tuples_.rows[tuple];
    class_of_[tuple] = number;
    of.cost = 0;
    for (std::size_t c = 0; c < coster_.columns(); ++c) {
        Cell& cell = cells_[number * coster_.columns() + c];
        const unsigned level = coster_.common_level(c, cell.label, tuples_.labels[c][tuple]);
        if (static_cast<std::int32_t>(level) > cell.level) {
            cell.level = static_cast<std::int32_t>(level);
            cell.cost = coster_.cost(c, level, cell.label);
        }
        of.cost += cell.cost;
    }
    of.cost = std::min(of.cost, no_label);
}

void ClassSet::leave(std::uint32_t tuple) {
    const std::uint32_t number = class_of_[tuple];
    Class& of = classes_[number];
    of.tuples.erase(std::find(of.tuples.begin(), of.tuples.end(), tuple));
    of.rows -= tuples_.rows[tuple];
    class_of_[tuple] = no_class;
    measure(number);
}

void ClassSet::costs_without(std::uint32_t number, std::vector<Cost>& costs) const {
    const auto of = tuples(number);
    costs.assign(of.size(), 0);
    if (of.size() < 2) return;
    for (std::size_t c = 0; c < coster_.columns(); ++c) {
        const std::vector<Label>& labels = tuples_.labels[c];
        // The two smallest and the two largest labels tell what is left without any one.
        Label first = labels[of[0]], second = ~Label{0}, last = first, before = 0;
        for (const std::uint32_t tuple : of.subspan(1)) {
            const Label label = labels[tuple];
            second = std::min(second, std::max(first, label));
            first = std::min(first, label);
            before = std::max(before, std::min(last, label));
            last = std::max(last, label);
        }
        const std::int32_t whole = coster_.common_cost(c, first, last);
        const std::int32_t above = coster_.common_cost(c, second, last);
        const std::int32_t below = coster_.common_cost(c, first, before);
        for (std::size_t i = 0; i < of.size(); ++i) {
            const Label label = labels[of[i]];
            costs[i] += label == first ? above : label == last ? below : whole;
        }
    }
    for (Cost& cost : costs) cost = std::min(cost, no_label);
}

void ClassSet::merge(std::uint32_t from, std::uint32_t into) {
    Class& source = classes_[from];
    Class& target = classes_[into];
    for (const std::uint32_t tuple : source.tuples) class_of_[tuple] = into;
    target.tuples.insert(target.tuples.end(), source.tuples.begin(), source.tuples.end());
    target.rows += source.rows;
    source = Class{};
    measure(into);
}

ClassSet::Saved ClassSet::saved(std::uint32_t number) const {
    const auto own = cells(number);
    const Class& of = classes_[number];
    return {number, of.tuples.size(), of.rows, of.cost, {own.begin(), own.end()}};
}

void ClassSet::restore(const Saved& saved, std::uint32_t came_from) {
    Class& of = classes_[saved.number];
    for (std::size_t i = saved.tuples; i < of.tuples.size(); ++i) class_of_[of.tuples[i]] = came_from;
    of.tuples.resize(saved.tuples);
    of.rows = saved.rows;
    of.cost = saved.cost;
    std::copy(saved.cells.begin(), saved.cells.end(),
              cells_.begin() + static_cast<std::ptrdiff_t>(saved.number * coster_.columns()));
}

void ClassSet::clear(std::uint32_t number) {
    for (const std::uint32_t tuple : classes_[number].tuples) class_of_[tuple] = no_class;
    classes_[number] = Class{};
}

}  // namespace shoal
