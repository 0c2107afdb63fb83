// How a long call ends early: another thread sets a flag, and every long loop polls it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace shoal {

class Stopped : public std::exception {
public:
    const char* what() const noexcept override { return "stopped"; }
};

// A flag that is set once and stays set. Copies share it.
class StopSignal {
public:
    void stop() noexcept { flag_->store(true, std::memory_order_relaxed); }
    bool stopped() const noexcept { return flag_->load(std::memory_order_relaxed); }
    friend bool operator==(const StopSignal&, const StopSignal&) = default;

private:
    std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

// The signals that one call polls.
class Stop {
public:
    Stop() = default;
    explicit Stop(std::vector<StopSignal> signals) : signals_(std::move(signals)) {}

    // Throws Stopped once one of them was set.
    void poll() const {
        if (can_stop()) poll_signals();
    }
    bool can_stop() const noexcept { return !signals_.empty(); }

private:
    void poll_signals() const;  // not inline, which would bloat the loops that poll

    std::vector<StopSignal> signals_;
};

// Elements between two polls: a millisecond of the slowest loop.
constexpr std::size_t polled_piece = std::size_t{1} << 16;

// Calls body(begin, end) for one piece of 0 .. size after the other. Loops that carry sums along are quicker written out:
// what a body refers to has to stay in memory.
template <class Body>
void in_pieces(std::size_t size, const Stop& stop, Body body) {
    for (std::size_t begin = 0; begin < size; begin += polled_piece) {
        stop.poll();
        body(begin, std::min(begin + polled_piece, size));
    }
}

// Sorts pieces, and merges them two by two.
template <class Iterator, class Less>
void sort_in_pieces(Iterator first, Iterator last, const Stop& stop, Less less) {
    const auto size = static_cast<std::size_t>(last - first);
    const auto at = [&](std::size_t place) { return first + static_cast<std::ptrdiff_t>(std::min(place, size)); };
    in_pieces(size, stop, [&](std::size_t begin, std::size_t end) { std::sort(at(begin), at(end), less); });
    for (std::size_t width = polled_piece; width < size; width *= 2) {
        for (std::size_t begin = 0; begin + width < size; begin += 2 * width) {
            stop.poll();
            std::inplace_merge(at(begin), at(begin + width), at(begin + 2 * width), less);
        }
    }
}

// The lock of an object. Who waits for it while another thread works with the object can be stopped too.
inline std::unique_lock<std::mutex> lock_unless_stopped(std::mutex& mutex, const Stop& stop) {
    std::unique_lock lock(mutex, std::defer_lock);
    if (!stop.can_stop()) {
        lock.lock();
        return lock;
    }
    while (!lock.try_lock()) {
        stop.poll();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    stop.poll();
    return lock;
}

}  // namespace shoal
