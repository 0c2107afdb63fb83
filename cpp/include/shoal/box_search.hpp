// The default exact search: bisect the undecided region of the lattice.
//
// A box of nodes is decided from its corners. Its bottom corner is materialised, since every node of the
// box rolls up from it: if it satisfies, or already costs as much as the best node, so does the whole box. If
// its top corner fails, the whole box fails. Otherwise the box is cut into slices along one column and
// each slice, shrunk to the nodes still undecided, is a box of its own. Only the frequency sets on the way
// down are alive.
//
// Exact for every requirement and measure. Where suppressed rows can grow by generalizing, a node that satisfies
// tells nothing of those above it, and only what is hopeless decides those below it: too small classes, say. Then
// more nodes are checked one by one, as far as their scores leave them. Measures that are not monotone are served
// by a lower bound, and by a sweep over the satisfying nodes that the bound leaves.
#pragma once

#include <functional>
#include <vector>

#include "shoal/evaluate.hpp"

namespace shoal {

struct Progress {
    std::size_t nodes = 0;
    std::size_t decided = 0;
    bool found = false;
    double best = 0;
};

struct SearchOptions {
    bool all_nodes = false;  // decide every node, do not prune by score
    unsigned threads = 1;
    // Tuples of the first set times undecided nodes; below this, starting a thread takes longer than it saves.
    std::size_t least_shared_work = 20'000'000;
    // Called now and then on the calling thread; it may throw to end the search.
    std::function<void(const Progress&)> progress;
    Stop stop;
};

struct SearchResult {
    bool found = false;
    Rank best;
    Tally tally;  // of the best node, in full detail
    // Nodes judged by their own set, and nodes whose status followed from that of others.
    std::size_t checked = 0;
    std::size_t tagged_satisfying = 0;
    std::size_t tagged_failing = 0;
    std::vector<std::size_t> satisfying;  // their indices in the lattice, where all nodes were decided
    Counters counters;
};

template <int Words, class Count>
SearchResult box_search(Table<Words, Count>& table, const Requirement& requirement, const Objective& objective,
                        const SearchOptions& options);

}  // namespace shoal
