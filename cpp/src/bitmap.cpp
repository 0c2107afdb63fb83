#include "shoal/bitmap.hpp"

#include <stdexcept>

namespace shoal {

namespace {

void require_same_size(std::size_t a, std::size_t b, std::size_t out) {
    if (a != b || a != out) throw std::invalid_argument("bitmaps differ in size");
}

}  // namespace

void intersect(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::span<std::uint64_t> out) {
    require_same_size(a.size(), b.size(), out.size());
    bitmap_loops().intersect(a.data(), b.data(), out.data(), a.size());
}

void subtract(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::span<std::uint64_t> out) {
    require_same_size(a.size(), b.size(), out.size());
    bitmap_loops().subtract(a.data(), b.data(), out.data(), a.size());
}

void unite(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::span<std::uint64_t> out) {
    require_same_size(a.size(), b.size(), out.size());
    bitmap_loops().unite(a.data(), b.data(), out.data(), a.size());
}

std::uint64_t intersect_and_count(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                                  std::span<std::uint64_t> out) {
    require_same_size(a.size(), b.size(), out.size());
    return bitmap_loops().intersect_and_count(a.data(), b.data(), out.data(), a.size());
}

std::uint64_t count_common(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
    require_same_size(a.size(), b.size(), a.size());
    return bitmap_loops().count_common(a.data(), b.data(), a.size());
}

}  // namespace shoal
