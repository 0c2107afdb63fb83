#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "shoal/loops.hpp"

using namespace nanobind::literals;

NB_MODULE(_kernel, m) {
    using namespace shoal;
    m.doc() = "Shoal's native kernel: frequency sets, roll-up and the exact search.";
    bind_stop(m);
    bind_problem(m);
    bind_tables(m);
    bind_bitmaps(m);
    m.def("instruction_sets", &instruction_sets);
    m.def("use_instruction_set", &use_instruction_set, "name"_a);
}
