// The parts of the module, and what they share. Only the files of this folder know Python: they check shapes and types,
// release the GIL, and hand arrays over.
//
// The GIL is released before an object's lock is taken, never the other way round: who waits for a lock holds nothing
// that the owner of the lock may need.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "shoal/stop.hpp"

namespace shoal {

namespace nb = nanobind;

void bind_stop(nb::module_& m);
void bind_problem(nb::module_& m);
void bind_tables(nb::module_& m);
void bind_bitmaps(nb::module_& m);

// The signals of the `with` blocks that this thread is in.
Stop current_stop();

}  // namespace shoal
