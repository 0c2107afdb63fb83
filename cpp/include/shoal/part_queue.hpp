// Parts of a table that wait for a thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

namespace shoal {

// Neighbouring tuples.
struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool passes = true;  // as a class
    std::size_t size() const noexcept { return end - begin; }
};

class PartQueue {
public:
    void push(const Part& part) {
        const std::lock_guard lock(mutex_);
        parts_.push_back(part);
        changed_.notify_one();
    }
    // Waits while others are at work, since they may push more. Whoever took a part says when it is done.
    std::optional<Part> take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return abandoned_ || !parts_.empty() || busy_ == 0; });
        if (abandoned_ || parts_.empty()) return std::nullopt;
        const Part part = parts_.back();
        parts_.pop_back();
        ++busy_;
        return part;
    }
    void done() {
        const std::lock_guard lock(mutex_);
        if (--busy_ == 0) changed_.notify_all();
    }
    void abandon() {
        const std::lock_guard lock(mutex_);
        abandoned_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Part> parts_;
    unsigned busy_ = 0;
    bool abandoned_ = false;
};

}  // namespace shoal
