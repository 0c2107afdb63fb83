// Visit given nodes of the lattice, each rolled up from the nearest set on the way to it.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "shoal/evaluate.hpp"

namespace shoal {

// Calls visit(place, judged) for each of `nodes`, unless skip(node, judged) says that a node, and with it all
// its generalizations, is of no interest. `skip` is told what the class sizes tell.
template <int Words, class Count>
class Sweep {
public:
    using Set = FrequencySet<Words, Count>;
    using Judged = Judgement<Words, Count>;
    using Visit = std::function<void(std::size_t, const Judged&)>;
    using Skip = std::function<bool(const Node&, const Judged&)>;

    Sweep(Evaluator<Words, Count>& evaluator, std::size_t columns, Visit visit, Skip skip, const Stop& stop)
        : evaluator_(evaluator), columns_(columns), visit_(std::move(visit)), skip_(std::move(skip)), stop_(stop) {}

    // Each node comes with its place in the caller's list.
    void run(std::vector<std::pair<Node, std::size_t>> nodes, const Set& ground);

private:
    using Iterator = std::vector<std::pair<Node, std::size_t>>::iterator;
    void descend(Iterator begin, Iterator end, std::size_t column, const Set& from);

    Evaluator<Words, Count>& evaluator_;
    const std::size_t columns_;
    const Visit visit_;
    const Skip skip_;
    const Stop& stop_;
};

}  // namespace shoal
