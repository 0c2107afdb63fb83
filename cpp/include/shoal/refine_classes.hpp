// Changes classes, one by one, until no single change makes them cost less.
#pragma once

#include <memory>

#include "shoal/class_set.hpp"
#include "shoal/stop.hpp"
#include "shoal/workers.hpp"

namespace shoal {

// The changes that are tried, until none of them helps any more. All leave classes that may be released, if they were so
// before, and the labels of a class are always the lowest that cover it.
//
// finer: cells become finer, and no row loses anything.
//   - A tuple moves to a class that costs a row less and whose labels cover it; the rest of its own may be released.
//   - The tuples of a class that have one label in one column, lower than the class's own, become a class, or join the
//     class that has their labels.
//   - Classes with the same labels become one.
// cheaper: those, and what makes some cells coarser but all together cheaper.
//   - A tuple moves to a class whose labels grow, or leaves a class of its own.
//   - A class is dissolved: each of its tuples joins the class that grows least with that tuple alone.
enum class Changes : std::uint8_t { finer, cheaper };

// `changed` says which classes are new: no such change helps as long as it is about others. `tests` has one entry per
// worker.
void refine_classes(ClassSet& classes, const Tuples& tuples, const CellCoster& coster, Changes changes,
                    std::vector<std::uint8_t> changed, std::span<const std::unique_ptr<GroupTests>> tests,
                    Workers& workers, const Stop& stop);

}  // namespace shoal
