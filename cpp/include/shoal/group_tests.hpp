// Groups of tuples of F0, tested by a requirement as the classes of a node are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shoal/evaluate.hpp"
#include "shoal/tuple_classes.hpp"

namespace shoal {

template <int Words, class Count>
class RequirementTests final : public GroupTests {
public:
    // Of the requirement, the limit and what it asks of all classes together do not count here. The table and the stop
    // must outlive it.
    RequirementTests(Table<Words, Count>& table, const Requirement& requirement, const Stop& stop);

    bool rows_only() const noexcept override { return requirement_.conditions.empty(); }
    std::uint64_t least_rows() const noexcept override { return requirement_.k; }
    std::span<const std::uint8_t> run(std::span<const std::uint32_t> tuples,
                                      std::span<const std::uint32_t> starts) override;

private:
    struct Groups {
        std::span<const std::uint32_t> tuples;
        std::span<const std::uint32_t> starts;
        std::span<const std::uint32_t> of(std::size_t group) const {
            return tuples.subspan(starts[group], starts[group + 1] - starts[group]);
        }
    };
    void merge_lists(const Histograms<Count>& from, const Attribute& attribute, const Groups& groups,
                     Histograms<Count>& target);
    void merge_cells(const Histograms<Count>& from, const Groups& groups, Histograms<Count>& target);

    Table<Words, Count>& table_;
    const Requirement requirement_;
    const Stop& stop_;
    ClassTests<Count> tests_;
    std::vector<std::uint8_t> counted_;  // [attribute] whether a condition looks at it
    std::vector<Histograms<Count>> histograms_;
    std::vector<Count> sizes_;
    std::vector<std::uint8_t> passes_;
    // Per entry: the round that saw it last, one round per group, and where it is in that group's list.
    std::vector<std::uint32_t> seen_in_;
    std::vector<std::uint32_t> place_;
    std::uint32_t round_ = 0;
};

}  // namespace shoal
