#include "shoal/hierarchies.hpp"

#include <stdexcept>
#include <string>

namespace shoal {

namespace {

constexpr Label unset = ~Label{0};

// The map between two levels, read off the codes that both cover.
std::vector<Label> step_between(const std::vector<Label>& from, Label labels, const std::vector<Label>& to) {
    std::vector<Label> step(labels, unset);
    for (std::size_t code = 0; code < from.size(); ++code) {
        Label& parent = step[from[code]];
        if (parent != unset && parent != to[code]) throw std::invalid_argument("levels are not nested");
        parent = to[code];
    }
    return step;
}

Label count_labels(const std::vector<Label>& map) {
    Label next = 0;
    for (std::size_t code = 0; code < map.size(); ++code) {
        if (map[code] > next || (code > 0 && map[code] < map[code - 1])) {
            throw std::invalid_argument("a level map is not in leaf order");
        }
        if (map[code] == next) ++next;
    }
    return next;
}

}  // namespace

Hierarchies::Hierarchies(const std::vector<std::vector<std::vector<Label>>>& maps, const Stop& stop) {
    if (maps.size() > max_columns) {
        throw std::invalid_argument("more than " + std::to_string(max_columns) + " quasi-identifiers");
    }
    for (const auto& levels : maps) {
        if (levels.empty() || levels.size() > 255) throw std::invalid_argument("a column needs 1 to 255 levels");
        Column column{.levels = static_cast<unsigned>(levels.size()), .labels = {}, .steps = {}};
        for (const auto& map : levels) {
            if (map.size() != levels.front().size()) throw std::invalid_argument("level maps differ in length");
            column.labels.push_back(count_labels(map));
        }
        if (column.labels.front() != levels.front().size()) {
            throw std::invalid_argument("level 0 must be the codes themselves");
        }
        column.steps.resize(levels.size() * levels.size());
        for (std::size_t from = 0; from < levels.size(); ++from) {
            for (std::size_t to = from; to < levels.size(); ++to) {
                stop.poll();
                column.steps[from * levels.size() + to] =
                    step_between(levels[from], column.labels[from], levels[to]);
            }
        }
        columns_.push_back(std::move(column));
    }
}

}  // namespace shoal
