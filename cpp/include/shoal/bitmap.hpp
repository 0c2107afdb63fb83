// Sets of rows as bits: 64-bit words, and blocks of eight words that fill one cache line and the widest
// vector register. The loops are built once per instruction set, see loops.hpp, and chosen with the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace shoal {

constexpr std::size_t block_words = 8;
constexpr std::size_t block_rows = block_words * 64;

struct alignas(64) Block {
    std::array<std::uint64_t, block_words> words;
};

// A part of a sparse set: how many blocks and rows it has.
struct Extent {
    std::size_t blocks = 0;
    std::uint64_t rows = 0;
};

struct BitmapLoops {
    // out = a & b, a & ~b, a | b. `out` may be `a`. Those that count return the bits of out.
    void (*intersect)(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out, std::size_t words);
    void (*subtract)(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out, std::size_t words);
    void (*unite)(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out, std::size_t words);
    std::uint64_t (*intersect_and_count)(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out,
                                         std::size_t words);
    std::uint64_t (*count_common)(const std::uint64_t* a, const std::uint64_t* b, std::size_t words);

    // A sparse set holds only the blocks that are not empty: blocks[i] is block places[i] of the whole.
    // Move the rows that a dense bitmap has from the set to `part`; the set keeps the others and shrinks to
    // `size` blocks. Without a `part` they are only counted.
    Extent (*split)(Block* blocks, std::uint32_t* places, std::size_t& size, const Block* dense, Block* part,
                    std::uint32_t* part_places);
    std::uint64_t (*split_and_count)(Block* blocks, std::uint32_t* places, std::size_t& size, const Block* dense);
    // Add a sparse set to a dense bitmap.
    void (*scatter)(const Block* blocks, const std::uint32_t* places, std::size_t size, Block* dense);
};

const BitmapLoops& bitmap_loops();

// The same on whole bitmaps. All must have as many words.
void intersect(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::span<std::uint64_t> out);
void subtract(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::span<std::uint64_t> out);
void unite(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::span<std::uint64_t> out);
std::uint64_t intersect_and_count(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                                  std::span<std::uint64_t> out);
std::uint64_t count_common(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

}  // namespace shoal
