// Counts that other threads read while one thread counts.
#pragma once

#include <atomic>
#include <cstdint>

namespace shoal {

// One writer at a time, so adding needs no locked instruction.
class Counter {
public:
    Counter() = default;
    Counter(const Counter& other) noexcept : count_(other) {}
    Counter& operator=(const Counter& other) noexcept {
        count_.store(other, std::memory_order_relaxed);
        return *this;
    }

    operator std::uint64_t() const noexcept { return count_.load(std::memory_order_relaxed); }
    Counter& operator+=(std::uint64_t more) noexcept {
        count_.store(*this + more, std::memory_order_relaxed);
        return *this;
    }
    Counter& operator++() noexcept { return *this += 1; }

private:
    std::atomic<std::uint64_t> count_ = 0;
};

}  // namespace shoal
