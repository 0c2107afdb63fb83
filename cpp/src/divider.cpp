#include "shoal/divider.hpp"

namespace shoal {

std::vector<Part> top_parts(const Tuples& tuples, std::span<const std::uint32_t> chosen,
                            std::vector<std::uint32_t>& order, const Stop& stop) {
    const Hierarchies& hierarchies = tuples.hierarchies;
    std::vector<std::size_t> rootless;
    for (std::size_t column = 0; column < tuples.columns(); ++column) {
        if (hierarchies.labels(column, hierarchies.levels(column) - 1) > 1) rootless.push_back(column);
    }
    if (rootless.empty()) return {{.begin = 0, .end = order.size()}};
    const auto top = [&](std::size_t column, std::uint32_t entry) {
        return hierarchies.step(column, 0, hierarchies.levels(column) - 1)[tuples.labels[column][chosen[entry]]];
    };
    const auto first_difference = [&](std::uint32_t a, std::uint32_t b) {
        return std::find_if(rootless.begin(), rootless.end(),
                            [&](std::size_t column) { return top(column, a) != top(column, b); });
    };
    sort_in_pieces(order.begin(), order.end(), stop, [&](std::uint32_t a, std::uint32_t b) {
        const auto column = first_difference(a, b);
        return column == rootless.end() ? a < b : top(*column, a) < top(*column, b);
    });
    std::vector<Part> parts;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || first_difference(order[i - 1], order[i]) != rootless.end()) parts.push_back({.begin = i, .end = i});
        parts.back().end = i + 1;
    }
    return parts;
}

}  // namespace shoal
