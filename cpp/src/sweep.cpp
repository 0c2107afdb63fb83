#include "shoal/sweep.hpp"

#include <algorithm>

namespace shoal {

template <int Words, class Count>
void Sweep<Words, Count>::run(std::vector<std::pair<Node, std::size_t>> nodes, const Set& ground) {
    sort_in_pieces(nodes.begin(), nodes.end(), stop_,
                   [](const auto& a, const auto& b) { return a.first.level < b.first.level; });
    if (!nodes.empty()) descend(nodes.begin(), nodes.end(), 0, ground);
}

// The nodes agree on the columns before `column`.
template <int Words, class Count>
void Sweep<Words, Count>::descend(Iterator begin, Iterator end, std::size_t column, const Set& from) {
    if (end - begin == 1) {
        ++evaluator_.counters.checked;
        visit_(begin->second, evaluator_.judge(from, begin->first));
        return;
    }
    Node meet = begin->first;
    for (Iterator it = begin; it != end; ++it) {
        for (std::size_t c = column; c < columns_; ++c) meet[c] = std::min(meet[c], it->first[c]);
    }
    Set held;
    const Set* base = &from;
    if (!(meet == from.node)) {
        held = evaluator_.roll(from, meet);
        base = &held;
        if (skip_(meet, evaluator_.glance(held))) return;
    }
    while (column < columns_ && std::all_of(begin, end, [&](const auto& n) { return n.first[column] == meet[column]; })) {
        ++column;
    }
    if (column == columns_) {  // the same node, more than once
        for (Iterator it = begin; it != end; ++it) descend(it, it + 1, column, *base);
        return;
    }
    for (Iterator first = begin; first != end;) {
        const Iterator last = std::find_if(first, end, [&](const auto& n) { return n.first[column] != first->first[column]; });
        descend(first, last, column + 1, *base);
        first = last;
    }
}

template class Sweep<1, std::uint16_t>;
template class Sweep<1, std::uint32_t>;
template class Sweep<2, std::uint16_t>;
template class Sweep<2, std::uint32_t>;
template class Sweep<4, std::uint16_t>;
template class Sweep<4, std::uint32_t>;
template class Sweep<1, std::uint64_t>;
template class Sweep<2, std::uint64_t>;
template class Sweep<4, std::uint64_t>;

}  // namespace shoal
