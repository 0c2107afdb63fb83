// Memory for frequency sets. A search makes and drops thousands of arrays of similar sizes, and fresh
// pages are expensive, so an Arena cuts blocks from large pages and hands out again what was given back.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

namespace shoal {

class Arena {
public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena();

    // A block of at least `bytes`, aligned for vector loads. `size_class` must go back with it.
    void* take(std::size_t bytes, unsigned& size_class);
    void give(void* block, unsigned size_class) noexcept;

    std::size_t in_use() const noexcept { return in_use_.load(std::memory_order_relaxed); }
    // The most bytes that were in use at one time since the last reset.
    std::size_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
    void reset_peak() noexcept;

private:
    static constexpr unsigned classes = 216;
    void* carve(std::size_t bytes);
    void* allocate(std::size_t bytes);

    std::mutex mutex_;
    std::array<std::vector<void*>, classes> free_;
    std::vector<void*> allocations_;
    std::byte* slab_ = nullptr;
    std::size_t slab_left_ = 0;
    std::size_t held_ = 0;
    // Written under the lock, read without it.
    std::atomic<std::size_t> in_use_ = 0;
    std::atomic<std::size_t> peak_ = 0;
    bool large_pages_ = true;
};

// An uninitialised array of trivial elements that returns to its arena.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Buffer() = default;
    Buffer(Arena& arena, std::size_t size) : arena_(&arena), size_(size) {
        data_ = static_cast<T*>(arena.take(size * sizeof(T), size_class_));
    }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Buffer() {
        if (data_ != nullptr) arena_->give(data_, size_class_);
    }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    // At least `size` elements; what was in it is lost when it has to grow.
    T* require(Arena& arena, std::size_t size) {
        if (size > size_) *this = Buffer(arena, size);
        return data_;
    }
    T& operator[](std::size_t i) noexcept { return data_[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_[i]; }

private:
    void swap(Buffer& other) noexcept {
        std::swap(arena_, other.arena_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(size_class_, other.size_class_);
    }

    Arena* arena_ = nullptr;
    T* data_ = nullptr;
    std::size_t size_ = 0;
    unsigned size_class_ = 0;
};

}  // namespace shoal
