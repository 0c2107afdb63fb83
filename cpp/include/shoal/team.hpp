// Threads that share one piece of work. They always join, and what one of them throws comes home to the caller.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace shoal {

// Runs work(0) on this thread and work(1) .. work(size - 1) on others, and returns when all have ended. Members share
// the work, so fewer do it too: where the system has no more threads, or no memory for them.
//
// Whatever a member throws, `abandon` is called for the others to end soon; it must not throw. The first exception
// is thrown again here.
template <class Work, class Abandon>
void run_team(unsigned size, const Work& work, const Abandon& abandon) {
    std::mutex mutex;
    std::exception_ptr first;
    const auto run = [&](unsigned member) noexcept {
        try {
            work(member);
        } catch (...) {
            {
                const std::lock_guard lock(mutex);
                if (!first) first = std::current_exception();
            }
            abandon();
        }
    };
    std::vector<std::thread> threads;
    try {
        threads.reserve(size);
        for (unsigned member = 1; member < size; ++member) threads.emplace_back(std::cref(run), member);
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    run(0);
    for (std::thread& thread : threads) thread.join();
    if (first) std::rethrow_exception(first);
}

}  // namespace shoal
