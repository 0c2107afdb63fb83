// Cheapest class first: of all labels that tuples could get together, take those that cost a row the least, release all
// tuples that they cover as a class, and go on with the others. Then the classes are refined (refine_classes.hpp).
#pragma once

#include <limits>

#include "shoal/mondrian.hpp"
#include "shoal/stop.hpp"
#include "shoal/tuple_classes.hpp"

namespace shoal {

struct CheapestOptions {
    unsigned threads = 1;
    std::uint64_t suppressible = 0;  // rows that may be left without a class, where that costs less
    // Tuples that may be hashed. The rest is then divided by Mondrian, which takes a fraction of the time.
    std::uint64_t most_hashes = ~std::uint64_t{0};
    // 0: no cell can become finer by one of the changes of refine_classes.hpp. 1: nor can all cells together cost less.
    unsigned effort = 0;
    // Once the classes so far and the least that others cost are more together, there will be none. What is left over
    // may cost less, and so may classes once they are refined: some that would end just below this are missed.
    Cost most_cost = std::numeric_limits<Cost>::max();
};

struct CheapestClasses : TupleClasses {
    Cost cost = 0;  // of all cells; those of tuples without a class cost all that they can
};

// The result does not depend on the number of threads. There are no classes if they cost too much.
CheapestClasses cheapest_classes(const Tuples& tuples, const MakeTests& make_tests, const CheapestOptions& options,
                                 const Stop& stop);

}  // namespace shoal
