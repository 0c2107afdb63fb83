#include "shoal/stop.hpp"

namespace shoal {

void Stop::poll_signals() const {
    for (const StopSignal& signal : signals_) {
        if (signal.stopped()) throw Stopped();
    }
}

}  // namespace shoal
