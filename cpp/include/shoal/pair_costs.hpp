// What cells of a class cost, by the smallest and the largest label of their column in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "shoal/tuple_classes.hpp"

namespace shoal {

class PairCosts {
public:
    explicit PairCosts(const Tuples& tuples) : tuples_(tuples), tables_(tuples.columns()) {
        for (std::size_t column = 0; column < tables_.size(); ++column) {
            const Label labels = tuples.hierarchies.labels(column, 0);
            if (labels > most_labels) continue;
            for (Label a = 0; a < labels; ++a) {
                for (Label b = 0; b < labels; ++b) {
                    tables_[column].push_back(tuples.common_cost(column, std::min(a, b), std::max(a, b)));
                }
            }
        }
    }
    Cost of(std::size_t column, Label smallest, Label largest) const noexcept {
        const std::vector<Cost>& table = tables_[column];
        if (table.empty()) return tuples_.common_cost(column, smallest, largest);
        return table[smallest * std::size_t{tuples_.hierarchies.labels(column, 0)} + largest];
    }

private:
    // A column with so many labels at most has a table of what each pair of them costs.
    static constexpr std::size_t most_labels = 128;

    const Tuples& tuples_;
    std::vector<std::vector<Cost>> tables_;
};

}  // namespace shoal
