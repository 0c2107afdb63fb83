#include "shoal/stop.hpp"

#include <algorithm>
#include <stdexcept>

#include "arrays.hpp"
#include "bind.hpp"

namespace shoal {

namespace {

thread_local std::vector<StopSignal> entered;

void leave(const StopSignal& signal) {
    const auto last = std::find(entered.rbegin(), entered.rend(), signal);
    if (last == entered.rend()) throw std::runtime_error("this thread did not enter the signal");
    entered.erase(std::next(last).base());
}

}  // namespace

Stop current_stop() { return Stop(entered); }

void bind_stop(nb::module_& m) {
    nb::exception<Stopped>(m, "Stopped");
    nb::class_<StopSignal>(
        m, "StopSignal",
        "Ends the kernel calls of a thread from another one.\n\n"
        "Calls inside `with signal:` raise Stopped soon after any thread has called `signal.stop()`, and so does every\n"
        "later one there. A signal that was set stays set.")
        .def(nb::init<>())
        .def("stop", &StopSignal::stop)
        .def_prop_ro("stopped", &StopSignal::stopped)
        .def("check", [](const StopSignal& self) { Stop({self}).poll(); }, "Raise Stopped if the signal was set.")
        .def("__enter__", [](nb::handle self) {
            entered.push_back(nb::cast<StopSignal&>(self));
            return nb::borrow(self);
        }, nb::sig("def __enter__(self) -> StopSignal"))
        .def("__exit__", [](const StopSignal& self, const nb::args&) { leave(self); })
        .def("__repr__", [](nb::handle self) { return represent(self, {"stopped"}); });
}

}  // namespace shoal
