// Microaggregation: tuples of numbers are put into classes of near ones, each of which has enough rows, and less than
// twice as many where tuples allow it.
//
// MDAV (maximum distance to average vector), as J. Domingo-Ferrer and V. Torra have it in "Ordinal, continuous and
// heterogeneous k-anonymity through microaggregation", Data Mining and Knowledge Discovery 11(2), 2005. A tuple counts
// with all of its rows. Large tables are first cut at medians, as a k-d tree cuts them; these cuts are ours to add.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "shoal/mondrian.hpp"
#include "shoal/stop.hpp"
#include "shoal/tuple_classes.hpp"

namespace shoal {

// Where tuples are in space, and how many rows each has.
struct Points {
    std::vector<std::span<const double>> coordinates;  // [coordinate][tuple], finite
    std::vector<std::uint64_t> rows;                   // [tuple]
};

struct AggregationOptions {
    unsigned threads = 1;
    // What MDAV sees at once: its time grows with the square of that.
    std::size_t most_tuples = std::numeric_limits<std::size_t>::max();
};

// Where not even all tuples together may be released, they are classes that may not. Tuples without a row are in none.
// The result does not depend on the number of threads.
TupleClasses microaggregate(const Points& points, const MakeTests& make_tests, const AggregationOptions& options,
                            const Stop& stop);

}  // namespace shoal
