#include "shoal/buffer.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace shoal {

namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t huge_page = std::size_t{1} << 21;

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
    for (auto& blocks : free_) {
        for (void* block : blocks) ::operator delete(block, std::align_val_t{alignment});
    }
}

void* Arena::take(std::size_t bytes, unsigned& size_class) {
    size_class = class_of(bytes);
    {
        const std::lock_guard lock(mutex_);
        auto& blocks = free_.at(size_class);
        if (!blocks.empty()) {
            void* block = blocks.back();
            blocks.pop_back();
            return block;
        }
        held_ += bytes_of(size_class);
        peak_ = std::max(peak_, held_);
    }
    const std::size_t size = bytes_of(size_class);
    void* block = ::operator new(size, std::align_val_t{alignment});
#ifdef __linux__
    if (size >= 2 * huge_page) {
        const auto address = reinterpret_cast<std::uintptr_t>(block);
        const auto start = (address + huge_page - 1) & ~(huge_page - 1);
        const auto end = (address + size) & ~(huge_page - 1);
        if (end > start) madvise(reinterpret_cast<void*>(start), end - start, MADV_HUGEPAGE);
    }
#endif
    return block;
}

void Arena::give(void* block, unsigned size_class) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        free_[size_class].push_back(block);
    } catch (const std::bad_alloc&) {
        held_ -= bytes_of(size_class);
        ::operator delete(block, std::align_val_t{alignment});
    }
}

}  // namespace shoal
