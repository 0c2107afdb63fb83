// Mondrian: the table is cut in two, and its parts again, as long as both parts of a cut may be released as classes.
// K. LeFevre, D. DeWitt, R. Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006. The cuts by gain are ours.
#pragma once

#include <cstdint>
#include <span>

#include "shoal/stop.hpp"
#include "shoal/tuple_classes.hpp"

namespace shoal {

// How a part is cut.
// peel: one label of a hierarchy off the rest, where that saves the most.
// gain: between any two labels of the lowest level too.
// median: the column that costs the most at its median (of several, one with the fewest labels).
// even: each column at its median, where both halves together cost the least.
// buckets: only through buckets.
// relaxed: as median, but tuples with the median may go to either half, by their labels in the other columns.
enum class Cut : std::uint8_t { peel, gain, median, even, buckets, relaxed };

// A part with at most so many times the fewest rows of a class is small: its cuts are searched closely. Larger parts are
// cut by single labels, and what that takes can be counted label by label. Measured: adult, k = 5, loses .0606 so and
// .0640 without; it takes half as long again.
constexpr std::uint64_t small_part = 8;

// Divides the given tuples. Where no cut passes and tuples have buckets, `bucket_of[tuple]`, it tries cuts through these
// (halving_cuts.hpp). The result has an entry for each chosen tuple, and does not depend on the number of threads.
TupleClasses mondrian(const Tuples& tuples, std::span<const std::uint32_t> chosen, Cut cut,
                      std::span<const std::uint32_t> bucket_of, const MakeTests& make_tests, unsigned threads,
                      const Stop& stop);

}  // namespace shoal
