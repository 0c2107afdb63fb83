// Classes of all tuples that have the same labels at a node, the cheapest ones of all nodes first.
#pragma once

#include <memory>
#include <optional>

#include "shoal/cell_costs.hpp"
#include "shoal/stop.hpp"
#include "shoal/workers.hpp"

namespace shoal {

// Groups of tuples one after the other: group g has those from starts[g] to starts[g + 1].
struct TupleGroups {
    std::vector<std::uint32_t> tuples;
    std::vector<std::uint32_t> starts{0};

    std::size_t size() const noexcept { return starts.size() - 1; }
    std::span<const std::uint32_t> operator[](std::size_t group) const noexcept {
        return std::span(tuples).subspan(starts[group], starts[group + 1] - starts[group]);
    }
    void close() { starts.push_back(static_cast<std::uint32_t>(tuples.size())); }
};

// Some tuples are in no class: those that no node has a class for, and all that are left once `most_hashes` tuples were
// hashed. `tests` has one entry per worker. Nothing, where the classes and the least that further ones cost are more
// than `most_cost`.
std::optional<TupleGroups> cheapest_first(const Tuples& tuples, const CellCoster& coster, std::uint64_t most_hashes,
                                          Cost most_cost, std::span<const std::unique_ptr<GroupTests>> tests,
                                          Workers& workers, const Stop& stop);

}  // namespace shoal
