// Compiled once per instruction set, with SHOAL_INSTRUCTION_SET naming the namespace: see CMakeLists.txt.
// The loops are written once, on 512 bits at a time; only what 512 bits are differs.
#include "shoal/bitmap.hpp"

#include <bit>

#if defined(SHOAL_PORTABLE)
#include <array>
#elif defined(__aarch64__)
#include <arm_neon.h>
#else
#include <immintrin.h>
#endif

namespace shoal::SHOAL_INSTRUCTION_SET {

namespace {

#if defined(SHOAL_PORTABLE)

struct Bits {
    std::array<std::uint64_t, block_words> word;

    static Bits load(const std::uint64_t* words) {
        Bits bits;
        for (std::size_t i = 0; i < block_words; ++i) bits.word[i] = words[i];
        return bits;
    }
    void store(std::uint64_t* words) const {
        for (std::size_t i = 0; i < block_words; ++i) words[i] = word[i];
    }
    Bits operator&(Bits other) const {
        for (std::size_t i = 0; i < block_words; ++i) other.word[i] &= word[i];
        return other;
    }
    Bits operator|(Bits other) const {
        for (std::size_t i = 0; i < block_words; ++i) other.word[i] |= word[i];
        return other;
    }
    Bits without(Bits other) const {
        for (std::size_t i = 0; i < block_words; ++i) other.word[i] = word[i] & ~other.word[i];
        return other;
    }
    bool any() const {
        std::uint64_t either = 0;
        for (const std::uint64_t w : word) either |= w;
        return either != 0;
    }
};

class BitCounter {
public:
    void add(Bits bits) {
        for (const std::uint64_t w : bits.word) total_ += static_cast<std::uint64_t>(std::popcount(w));
    }
    std::uint64_t total() const { return total_; }

private:
    std::uint64_t total_ = 0;
};

#elif defined(__aarch64__)

struct Bits {
    uint64x2x4_t part;

    static Bits load(const std::uint64_t* words) {
        return {{{vld1q_u64(words), vld1q_u64(words + 2), vld1q_u64(words + 4), vld1q_u64(words + 6)}}};
    }
    void store(std::uint64_t* words) const {
        for (int i = 0; i < 4; ++i) vst1q_u64(words + 2 * i, part.val[i]);
    }
    Bits operator&(Bits other) const {
        for (int i = 0; i < 4; ++i) other.part.val[i] = vandq_u64(part.val[i], other.part.val[i]);
        return other;
    }
    Bits operator|(Bits other) const {
        for (int i = 0; i < 4; ++i) other.part.val[i] = vorrq_u64(part.val[i], other.part.val[i]);
        return other;
    }
    Bits without(Bits other) const {
        for (int i = 0; i < 4; ++i) other.part.val[i] = vbicq_u64(part.val[i], other.part.val[i]);
        return other;
    }
    bool any() const {
        const uint64x2_t either =
            vorrq_u64(vorrq_u64(part.val[0], part.val[1]), vorrq_u64(part.val[2], part.val[3]));
        return vmaxvq_u32(vreinterpretq_u32_u64(either)) != 0;
    }
};

class BitCounter {
public:
    void add(Bits bits) {
        // At most 8 bits in each byte, so the sum of the four fits a byte.
        uint8x16_t bytes = vcntq_u8(vreinterpretq_u8_u64(bits.part.val[0]));
        for (int i = 1; i < 4; ++i) bytes = vaddq_u8(bytes, vcntq_u8(vreinterpretq_u8_u64(bits.part.val[i])));
        lanes_ = vaddq_u64(lanes_, vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(bytes))));
    }
    std::uint64_t total() const { return vaddvq_u64(lanes_); }

private:
    uint64x2_t lanes_ = vdupq_n_u64(0);
};

#elif defined(__AVX512VPOPCNTDQ__)

// Operators where GCC 12 takes its own intrinsics for uses of uninitialised values.
struct Bits {
    __m512i all;

    static Bits load(const std::uint64_t* words) { return {_mm512_loadu_si512(words)}; }
    void store(std::uint64_t* words) const { _mm512_storeu_si512(words, all); }
    Bits operator&(Bits other) const { return {all & other.all}; }
    Bits operator|(Bits other) const { return {all | other.all}; }
    Bits without(Bits other) const { return {all & ~other.all}; }
    bool any() const { return _mm512_test_epi64_mask(all, all) != 0; }
};

class BitCounter {
public:
    void add(Bits bits) { lanes_ += _mm512_popcnt_epi64(bits.all); }
    std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (std::size_t lane = 0; lane < block_words; ++lane) sum += static_cast<std::uint64_t>(lanes_[lane]);
        return sum;
    }

private:
    __m512i lanes_ = _mm512_setzero_si512();
};

#else

struct Bits {
    __m256i low;
    __m256i high;

    static Bits load(const std::uint64_t* words) {
        const auto* const lanes = reinterpret_cast<const __m256i*>(words);
        return {_mm256_loadu_si256(lanes), _mm256_loadu_si256(lanes + 1)};
    }
    void store(std::uint64_t* words) const {
        auto* const lanes = reinterpret_cast<__m256i*>(words);
        _mm256_storeu_si256(lanes, low);
        _mm256_storeu_si256(lanes + 1, high);
    }
    Bits operator&(Bits other) const {
        return {_mm256_and_si256(low, other.low), _mm256_and_si256(high, other.high)};
    }
    Bits operator|(Bits other) const { return {_mm256_or_si256(low, other.low), _mm256_or_si256(high, other.high)}; }
    Bits without(Bits other) const {
        return {_mm256_andnot_si256(other.low, low), _mm256_andnot_si256(other.high, high)};
    }
    bool any() const {
        const __m256i either = _mm256_or_si256(low, high);
        return _mm256_testz_si256(either, either) == 0;
    }
};

// Bits of each half byte by a table look-up in the register (W. Mula, N. Kurz, D. Lemire, "Faster
// Population Counts Using AVX2 Instructions", The Computer Journal 61(1), 2018).
class BitCounter {
public:
    void add(Bits bits) {
        // At most 4 bits in each half byte, so the sum of the four fits a byte.
        const __m256i bytes = _mm256_add_epi8(_mm256_add_epi8(half_bytes(bits.low), half_bytes(above(bits.low))),
                                              _mm256_add_epi8(half_bytes(bits.high), half_bytes(above(bits.high))));
        lanes_ = _mm256_add_epi64(lanes_, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
    }
    std::uint64_t total() const {
        return static_cast<std::uint64_t>(_mm256_extract_epi64(lanes_, 0) + _mm256_extract_epi64(lanes_, 1) +
                                          _mm256_extract_epi64(lanes_, 2) + _mm256_extract_epi64(lanes_, 3));
    }

private:
    static __m256i above(__m256i bits) { return _mm256_srli_epi16(bits, 4); }
    static __m256i half_bytes(__m256i bits) {
        const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                               0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        return _mm256_shuffle_epi8(table, _mm256_and_si256(bits, _mm256_set1_epi8(15)));
    }
    __m256i lanes_ = _mm256_setzero_si256();
};

#endif

// What is left of a bitmap after its last whole block goes word by word.
template <class OfBits, class OfWord>
void combine(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out, std::size_t words, OfBits of_bits,
             OfWord of_word) {
    std::size_t w = 0;
    for (; w + block_words <= words; w += block_words) of_bits(Bits::load(a + w), Bits::load(b + w)).store(out + w);
    for (; w < words; ++w) out[w] = of_word(a[w], b[w]);
}

void intersect(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out, std::size_t words) {
    combine(a, b, out, words, [](Bits x, Bits y) { return x & y; },
            [](std::uint64_t x, std::uint64_t y) { return x & y; });
}

void subtract(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out, std::size_t words) {
    combine(a, b, out, words, [](Bits x, Bits y) { return x.without(y); },
            [](std::uint64_t x, std::uint64_t y) { return x & ~y; });
}

void unite(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out, std::size_t words) {
    combine(a, b, out, words, [](Bits x, Bits y) { return x | y; },
            [](std::uint64_t x, std::uint64_t y) { return x | y; });
}

std::uint64_t intersect_and_count(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out,
                                  std::size_t words) {
    BitCounter counter;
    std::uint64_t rest = 0;
    std::size_t w = 0;
    for (; w + block_words <= words; w += block_words) {
        const Bits both = Bits::load(a + w) & Bits::load(b + w);
        both.store(out + w);
        counter.add(both);
    }
    for (; w < words; ++w) {
        out[w] = a[w] & b[w];
        rest += static_cast<std::uint64_t>(std::popcount(out[w]));
    }
    return counter.total() + rest;
}

std::uint64_t count_common(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
    BitCounter counter;
    std::uint64_t rest = 0;
    std::size_t w = 0;
    for (; w + block_words <= words; w += block_words) counter.add(Bits::load(a + w) & Bits::load(b + w));
    for (; w < words; ++w) rest += static_cast<std::uint64_t>(std::popcount(a[w] & b[w]));
    return counter.total() + rest;
}

// Blocks are written wherever the next one would go, and stay if they are not empty: no branch to mispredict.
template <bool stored>
Extent split_set(Block* blocks, std::uint32_t* places, std::size_t& size, const Block* dense, Block* part,
                 std::uint32_t* part_places) {
    BitCounter counter;
    std::size_t taken = 0;
    std::size_t kept = 0;
    const std::size_t before = size;
    for (std::size_t i = 0; i < before; ++i) {
        const std::uint32_t place = places[i];
        const Bits set = Bits::load(blocks[i].words.data());
        const Bits of_label = Bits::load(dense[place].words.data());
        const Bits both = set & of_label;
        counter.add(both);
        if constexpr (stored) {
            both.store(part[taken].words.data());
            part_places[taken] = place;
            taken += both.any() ? 1 : 0;
        }
        const Bits others = set.without(of_label);
        others.store(blocks[kept].words.data());
        places[kept] = place;
        kept += others.any() ? 1 : 0;
    }
    size = kept;
    return {taken, counter.total()};
}

std::uint64_t split_and_count(Block* blocks, std::uint32_t* places, std::size_t& size, const Block* dense) {
    return split_set<false>(blocks, places, size, dense, nullptr, nullptr).rows;
}

void scatter(const Block* blocks, const std::uint32_t* places, std::size_t size, Block* dense) {
    for (std::size_t i = 0; i < size; ++i) {
        std::uint64_t* const target = dense[places[i]].words.data();
        (Bits::load(target) | Bits::load(blocks[i].words.data())).store(target);
    }
}

}  // namespace

extern const BitmapLoops bitmap_loops;
const BitmapLoops bitmap_loops{intersect,    subtract,        unite,          intersect_and_count,
                               count_common, split_set<true>, split_and_count, scatter};

}  // namespace shoal::SHOAL_INSTRUCTION_SET
