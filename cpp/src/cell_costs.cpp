#include "shoal/cell_costs.hpp"

namespace shoal {

CellCoster::CellCoster(const Tuples& tuples) : columns_(tuples.columns()) {
    const Hierarchies& hierarchies = tuples.hierarchies;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        Column& column = columns_[c];
        const unsigned levels = hierarchies.levels(c);
        const std::size_t values = column.values = hierarchies.labels(c, 0);
        column.between.resize(values);
        for (std::size_t a = 0; a + 1 < values; ++a) {
            column.between[a] = static_cast<std::uint8_t>(
                tuples.common_level(c, static_cast<Label>(a), static_cast<Label>(a + 1)));
        }
        for (std::size_t half = 1, from = 0; 2 * half < values; half *= 2, from += values) {
            column.between.resize(from + 2 * values);
            for (std::size_t a = 0; a + 2 * half < values; ++a) {
                column.between[from + values + a] = std::max(column.between[from + a], column.between[from + a + half]);
            }
        }
        column.costs.assign((levels + 1) * values, static_cast<std::int32_t>(no_label));
        std::vector<Cost> below, at;
        for (unsigned level = 0; level < levels; ++level) {
            at = tuples.costs[c][level];
            for (std::size_t a = 0; level > 0 && a < below.size(); ++a) {
                Cost& cost = at[hierarchies.step(c, level - 1, level)[a]];
                cost = std::max(cost, below[a]);
            }
            for (std::size_t a = 0; a < values; ++a) {
                column.costs[level * values + a] = static_cast<std::int32_t>(at[hierarchies.step(c, 0, level)[a]]);
            }
            column.least.push_back(static_cast<std::int32_t>(*std::min_element(at.begin(), at.end())));
            below = std::move(at);
        }
    }
}

}  // namespace shoal
