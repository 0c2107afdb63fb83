#include "shoal/buffer.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace shoal {

namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::size_t largest_slab = std::size_t{1} << 23;

// Ask for large pages, which take less time than small ones unless memory is scattered: then the system
// moves other pages about first, for milliseconds each. Returns whether the first came quickly; if not, the
// rest of the block has small ones.
bool take_large_pages([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
    using Clock = std::chrono::steady_clock;
    constexpr auto too_long = std::chrono::milliseconds(2);  // 512 small ones take 1
    madvise(block, bytes, MADV_HUGEPAGE);
    const auto start = Clock::now();
    *static_cast<volatile char*>(block) = 0;
    if (Clock::now() - start < too_long) return true;
    madvise(block, bytes, MADV_NOHUGEPAGE);
#endif
    return false;
}

// Four sizes per power of two, from 1 KiB: at most a fifth of a block is wasted.
std::size_t bytes_of(unsigned size_class) {
    return (std::size_t{4} + size_class % 4) << (size_class / 4 + 8);
}

unsigned class_of(std::size_t bytes) {
    if (bytes <= 1024) return 0;
    unsigned size_class = 4 * (static_cast<unsigned>(std::bit_width(bytes - 1)) - 11);
    while (bytes_of(size_class) < bytes) ++size_class;
    return size_class;
}

}  // namespace

Arena::~Arena() {
    for (void* block : allocations_) ::operator delete(block, std::align_val_t{huge_page});
}

void* Arena::take(std::size_t bytes, unsigned& size_class) {
    size_class = class_of(bytes);
    const std::size_t size = bytes_of(size_class);
    const std::lock_guard lock(mutex_);
    auto& blocks = free_.at(size_class);
    void* block = nullptr;
    if (blocks.empty()) {
        block = carve(size);
    } else {
        block = blocks.back();
        blocks.pop_back();
    }
    const std::size_t used = in_use() + size;
    in_use_.store(used, std::memory_order_relaxed);
    if (used > peak()) peak_.store(used, std::memory_order_relaxed);
    return block;
}

void Arena::give(void* block, unsigned size_class) noexcept {
    const std::lock_guard lock(mutex_);
    in_use_.store(in_use() - bytes_of(size_class), std::memory_order_relaxed);
    try {
        free_[size_class].push_back(block);
    } catch (const std::bad_alloc&) {
        // The block stays out of use until the arena goes.
    }
}

void Arena::reset_peak() noexcept {
    const std::lock_guard lock(mutex_);
    peak_.store(in_use(), std::memory_order_relaxed);
}

void* Arena::carve(std::size_t bytes) {
    if (bytes > largest_slab / 4) return allocate(bytes);
    if (bytes > slab_left_) {
        // Grow with what is held already, from one large page on.
        slab_left_ = std::clamp(std::max(held_, 4 * bytes), huge_page, largest_slab);
        slab_ = static_cast<std::byte*>(allocate(slab_left_));
    }
    void* const block = slab_;
    slab_ += bytes;
    slab_left_ -= bytes;
    return block;
}

void* Arena::allocate(std::size_t bytes) {
    allocations_.reserve(allocations_.size() + 1);
    void* const block = ::operator new(bytes, std::align_val_t{huge_page});
    allocations_.push_back(block);
    held_ += bytes;
    if (bytes >= huge_page && large_pages_) large_pages_ = take_large_pages(block, bytes);
    return block;
}

}  // namespace shoal
