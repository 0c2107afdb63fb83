// Tests of run_team, as test_team.py builds and runs them. Ends with 1 and a line where one fails.
#include "shoal/team.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>

namespace {

std::atomic<bool> no_memory = false;
std::atomic<int> threads_left = 1000;

void require(bool holds, const char* what) {
    if (holds) return;
    std::puts(what);
    std::exit(1);
}

// Each member works until all are done or the work is abandoned; one of them throws.
template <class Thrown>
void check_thrown(unsigned thrower, Thrown thrown) {
    std::atomic<bool> abandoned = false;
    std::atomic<unsigned> ended = 0;
    bool caught = false;
    try {
        shoal::run_team(
            4,
            [&](unsigned member) {
                if (member == thrower) {
                    ++ended;
                    throw thrown;
                }
                while (!abandoned) std::this_thread::yield();
                ++ended;
            },
            [&] { abandoned = true; });
    } catch (const Thrown&) {
        caught = true;
    }
    require(caught, "what a member throws comes home");
    require(ended == 4, "all members end first");
}

unsigned members_that_run() {
    std::atomic<unsigned> ran = 0;
    shoal::run_team(4, [&](unsigned) { ++ran; }, [] {});
    return ran;
}

struct NoException {
    int value;
};

}  // namespace

// Threads and memory run out where the tests say so.
void* operator new(std::size_t size) {
    void* const block = no_memory ? nullptr : std::malloc(size);
    if (block == nullptr) throw std::bad_alloc();
    return block;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* data) {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    return threads_left-- > 0 ? create(thread, attributes, start, data) : EAGAIN;
}

int main() {
    for (const unsigned thrower : {0U, 1U, 3U}) {
        check_thrown(thrower, std::runtime_error("an exception"));
        check_thrown(thrower, std::bad_alloc());
        check_thrown(thrower, NoException{7});
        check_thrown(thrower, 42);
    }
    bool first = false;
    try {
        shoal::run_team(4, [](unsigned member) { throw member; }, [] {});
    } catch (unsigned) {
        first = true;
    }
    require(first, "of many exceptions one comes home");
    require(members_that_run() == 4, "all members run");

    threads_left = 2;
    require(members_that_run() == 3, "threads that there are will do");
    threads_left = 0;
    require(members_that_run() == 1, "the caller alone will do");
    threads_left = 1000;
    no_memory = true;
    const unsigned ran = members_that_run();
    no_memory = false;
    require(ran == 1, "without memory for threads the caller does it");
    std::puts("passed");
}
