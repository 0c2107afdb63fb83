#include "shoal/group_tests.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace shoal {

namespace {

// What is asked of one class alone: at least a row, too, since nobody is in a class of a population's tuples only.
Requirement of_single_classes(Requirement requirement) {
    requirement.k = std::max<std::uint64_t>(requirement.k, 1);
    requirement.limit = std::numeric_limits<std::uint64_t>::max();
    requirement.average_risk = std::numeric_limits<double>::infinity();
    requirement.judges_empty = false;
    return requirement;
}

}  // namespace

template <int Words, class Count>
RequirementTests<Words, Count>::RequirementTests(Table<Words, Count>& table, const Requirement& requirement,
                                                 const Stop& stop)
    : table_(table),
      requirement_(of_single_classes(requirement)),
      stop_(stop),
      tests_(requirement_, table.attributes, stop),
      counted_(table.attributes.size(), 0),
      histograms_(table.attributes.size()) {
    for (const Condition& condition : requirement_.conditions) counted_[condition.attribute] = 1;
    if (!rows_only() && requirement_.units != Requirement::no_units) counted_[requirement_.units] = 1;
    Label entries = 0;
    for (std::size_t a = 0; a < counted_.size(); ++a) {
        if (counted_[a] != 0) entries = std::max(entries, table.attributes[a].entries);
    }
    seen_in_.assign(entries, 0);
    place_.resize(entries);
}

template <int Words, class Count>
std::span<const std::uint8_t> RequirementTests<Words, Count>::run(std::span<const std::uint32_t> tuples,
                                                                  std::span<const std::uint32_t> starts) {
    const std::size_t groups = starts.size() - 1;
    const Groups all{tuples, starts};
    sizes_.assign(groups, 0);
    for (std::size_t g = 0; g < groups; ++g) {
        for (const std::uint32_t tuple : all.of(g)) {
            sizes_[g] = static_cast<Count>(sizes_[g] + table_.ground.counts[tuple]);
        }
    }
    for (std::size_t a = 0; a < counted_.size(); ++a) {
        if (counted_[a] == 0) continue;
        const Histograms<Count>& from = table_.ground.contents.histograms[a];
        if (from.dense) {
            merge_cells(from, all, histograms_[a]);
        } else {
            merge_lists(from, table_.attributes[a], all, histograms_[a]);
        }
    }
    tests_.run(sizes_, histograms_);
    passes_.resize(groups);
    for (std::size_t g = 0; g < groups; ++g) passes_[g] = sizes_[g] > 0 && tests_.fails()[g] == 0;
    return passes_;
}

template <int Words, class Count>
void RequirementTests<Words, Count>::merge_cells(const Histograms<Count>& from, const Groups& groups,
                                                 Histograms<Count>& target) {
    const std::size_t width = from.width;
    const std::size_t size = groups.starts.size() - 1;
    target.dense = true;
    target.width = width;
    Count* const cells = target.cells.require(table_.arena, size * width);
    std::fill_n(cells, size * width, Count{0});
    for (std::size_t g = 0; g < size; ++g) {
        stop_.poll();
        Count* const row = cells + g * width;
        for (const std::uint32_t tuple : groups.of(g)) {
            const Count* const add = from.cells.data() + tuple * width;
            for (std::size_t v = 0; v < width; ++v) row[v] = static_cast<Count>(row[v] + add[v]);
        }
    }
}

template <int Words, class Count>
void RequirementTests<Words, Count>::merge_lists(const Histograms<Count>& from, const Attribute& attribute,
                                                 const Groups& groups, Histograms<Count>& target) {
    const std::size_t size = groups.starts.size() - 1;
    std::size_t most = 0;
    for (const std::uint32_t tuple : groups.tuples) most += from.starts[tuple + 1] - from.starts[tuple];
    target.dense = false;
    std::uint32_t* const starts = target.starts.require(table_.arena, size + 1);
    Label* const entries = target.entries.require(table_.arena, most);
    Count* const counts = target.counts.require(table_.arena, most);
    std::uint32_t end = 0;
    for (std::size_t g = 0; g < size; ++g) {
        stop_.poll();
        starts[g] = end;
        // Not the same again for long, so that nothing needs clearing from group to group.
        if (++round_ == 0) {
            std::fill(seen_in_.begin(), seen_in_.end(), 0U);
            round_ = 1;
        }
        for (const std::uint32_t tuple : groups.of(g)) {
            for (std::uint32_t i = from.starts[tuple]; i < from.starts[tuple + 1]; ++i) {
                const Label entry = from.entries[i];
                if (seen_in_[entry] != round_) {
                    seen_in_[entry] = round_;
                    place_[entry] = end;
                    entries[end] = entry;
                    counts[end++] = from.counts[i];
                } else if (!attribute.once) {
                    Count& count = counts[place_[entry]];
                    count = static_cast<Count>(count + from.counts[i]);
                }
            }
        }
    }
    starts[size] = end;
}

template class RequirementTests<1, std::uint16_t>;
template class RequirementTests<1, std::uint32_t>;
template class RequirementTests<1, std::uint64_t>;
template class RequirementTests<2, std::uint16_t>;
template class RequirementTests<2, std::uint32_t>;
template class RequirementTests<2, std::uint64_t>;
template class RequirementTests<4, std::uint16_t>;
template class RequirementTests<4, std::uint32_t>;
template class RequirementTests<4, std::uint64_t>;

}  // namespace shoal
