// Threads that wait for the next piece of work: for work that comes in thousands of small pieces.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace shoal {

class Workers {
public:
    // Fewer threads, where the system has no more.
    explicit Workers(unsigned threads) {
        try {
            threads_.reserve(threads);
            for (unsigned member = 1; member < threads; ++member) {
                threads_.emplace_back([this, member] { wait_and_work(member); });
            }
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
    }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    ~Workers() {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        called_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    unsigned size() const noexcept { return static_cast<unsigned>(threads_.size()) + 1; }

    // Calls work(member, i) for each i below `count`, each once, by whichever member is free. What one of them throws is
    // thrown here, after all have ended.
    void each(std::size_t count, const std::function<void(unsigned, std::size_t)>& work) {
        if (threads_.empty() || count < 2) {
            for (std::size_t i = 0; i < count; ++i) work(0, i);
            return;
        }
        {
            const std::lock_guard lock(mutex_);
            work_ = &work;
            count_ = count;
            next_ = 0;
            ++call_;
        }
        called_.notify_all();
        take(0, work);
        std::unique_lock lock(mutex_);
        work_ = nullptr;
        done_.wait(lock, [this] { return busy_ == 0; });
        if (first_) std::rethrow_exception(std::exchange(first_, nullptr));
    }

private:
    void wait_and_work(unsigned member) {
        std::size_t seen = 0;
        std::unique_lock lock(mutex_);
        while (true) {
            called_.wait(lock, [&] { return ended_ || (call_ != seen && work_ != nullptr); });
            if (ended_) return;
            seen = call_;
            ++busy_;
            const std::function<void(unsigned, std::size_t)>& work = *work_;
            lock.unlock();
            take(member, work);
            lock.lock();
            if (--busy_ == 0) done_.notify_one();
        }
    }

    void take(unsigned member, const std::function<void(unsigned, std::size_t)>& work) noexcept {
        try {
            for (std::size_t i = next_++; i < count_; i = next_++) work(member, i);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!first_) first_ = std::current_exception();
            next_ = count_;
        }
    }

    std::mutex mutex_;
    std::condition_variable called_, done_;
    const std::function<void(unsigned, std::size_t)>* work_ = nullptr;
    std::size_t count_ = 0;
    std::atomic<std::size_t> next_ = 0;
    std::size_t call_ = 0;
    unsigned busy_ = 0;
    bool ended_ = false;
    std::exception_ptr first_;
    std::vector<std::thread> threads_;
};

}  // namespace shoal
