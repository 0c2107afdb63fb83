// Frequency sets of failing nodes, kept to roll up from: not too large, and not too many.
//
// F. Kohlmayer et al., "Flash: Efficient, Stable and Optimal K-Anonymity", PASSAT 2012, section IV-B: of the
// sets below a node the one with the fewest classes is used, and the least recently used one is dropped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "shoal/counter.hpp"
#include "shoal/frequency_set.hpp"

namespace shoal {

template <int Words, class Count>
struct HeldSet {
    FrequencySet<Words, Count> set;
    std::uint64_t classes = 0;
};

template <int Words, class Count>
using SharedSet = std::shared_ptr<const HeldSet<Words, Count>>;

// Does every column of `below` stand at most as high as in `node`?
inline bool is_below(const Node& below, const Node& node, std::size_t columns) noexcept {
    for (std::size_t column = 0; column < columns; ++column) {
        if (below[column] > node[column]) return false;
    }
    return true;
}

template <int Words, class Count>
class History {
public:
    History(std::size_t columns, std::size_t most, std::uint64_t most_classes)
        : columns_(columns), most_(most), most_classes_(most_classes) {}

    // The set of the fewest classes among those below a node, or null.
    SharedSet<Words, Count> find(const Node& node) {
        Entry* best = nullptr;
        for (Entry& entry : entries_) {
            const bool smaller = best == nullptr || entry.classes < best->classes;
            if (smaller && is_below(entry.node, node, columns_)) best = &entry;
        }
        if (best == nullptr) return nullptr;
        best->used = ++clock_;
        return best->held;
    }

    bool takes(std::uint64_t classes) const noexcept { return most_ > 0 && classes <= most_classes_; }

    // Returns whether the set was taken.
    bool add(SharedSet<Words, Count> held) {
        if (!takes(held->classes)) return false;
        Entry entry{held->set.node, held->classes, ++clock_, nullptr};
        entry.held = std::move(held);
        if (entries_.size() == most_) {
            const auto oldest = std::min_element(entries_.begin(), entries_.end(),
                                                 [](const Entry& a, const Entry& b) { return a.used < b.used; });
            *oldest = std::move(entry);
            ++evicted_;
        } else {
            entries_.push_back(std::move(entry));
        }
        return true;
    }

    const Counter& evicted() const noexcept { return evicted_; }

private:
    struct Entry {
        Node node;  // here too, so that looking through the history stays in the cache
        std::uint64_t classes;
        std::uint64_t used;
        SharedSet<Words, Count> held;
    };

    const std::size_t columns_;
    const std::size_t most_;
    const std::uint64_t most_classes_;
    std::vector<Entry> entries_;
    std::uint64_t clock_ = 0;
    Counter evicted_;
};

}  // namespace shoal
