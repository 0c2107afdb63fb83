#include "shoal/bitmap.hpp"
#include "shoal/loops.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

namespace shoal {

namespace portable {
extern const Loops<std::uint16_t> loops16;
extern const Loops<std::uint32_t> loops32;
extern const Loops<std::uint64_t> loops64;
extern const BitmapLoops bitmap_loops;
}  // namespace portable
#ifdef SHOAL_X86
namespace avx2 {
extern const Loops<std::uint16_t> loops16;
extern const Loops<std::uint32_t> loops32;
extern const Loops<std::uint64_t> loops64;
extern const BitmapLoops bitmap_loops;
}  // namespace avx2
namespace avx512 {
extern const Loops<std::uint16_t> loops16;
extern const Loops<std::uint32_t> loops32;
extern const Loops<std::uint64_t> loops64;
}  // namespace avx512
namespace avx512vpopcntdq {
extern const BitmapLoops bitmap_loops;
}  // namespace avx512vpopcntdq
#endif
#ifdef SHOAL_NEON
namespace neon {
extern const BitmapLoops bitmap_loops;
}  // namespace neon
#endif

namespace {

struct Choice {
    std::string_view name;
    const Loops<std::uint16_t>* loops16;
    const Loops<std::uint32_t>* loops32;
    const Loops<std::uint64_t>* loops64;
    const BitmapLoops* bitmap;
};

std::vector<Choice> choices() {
    std::vector<Choice> found{
        {"portable", &portable::loops16, &portable::loops32, &portable::loops64, &portable::bitmap_loops}};
#ifdef SHOAL_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) {
        found.push_back({"avx2", &avx2::loops16, &avx2::loops32, &avx2::loops64, &avx2::bitmap_loops});
    }
    if (found.back().name == "avx2" && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        // Wide registers that cannot count bits gain nothing over AVX2 here.
        found.push_back({"avx512", &avx512::loops16, &avx512::loops32, &avx512::loops64, &avx2::bitmap_loops});
        if (__builtin_cpu_supports("avx512vpopcntdq")) {
            found.push_back({"avx512vpopcntdq", &avx512::loops16, &avx512::loops32, &avx512::loops64,
                             &avx512vpopcntdq::bitmap_loops});
        }
    }
#endif
#ifdef SHOAL_NEON
    // Every such machine has it, and the compiler uses it for the plain loops unasked.
    found.push_back({"neon", &portable::loops16, &portable::loops32, &portable::loops64, &neon::bitmap_loops});
#endif
    return found;
}

std::atomic<const Loops<std::uint16_t>*> chosen16 = choices().back().loops16;
std::atomic<const Loops<std::uint32_t>*> chosen32 = choices().back().loops32;
std::atomic<const Loops<std::uint64_t>*> chosen64 = choices().back().loops64;
std::atomic<const BitmapLoops*> chosen_bitmap = choices().back().bitmap;

}  // namespace

template <>
const Loops<std::uint16_t>& loops<std::uint16_t>() {
    return *chosen16.load(std::memory_order_relaxed);
}

template <>
const Loops<std::uint32_t>& loops<std::uint32_t>() {
    return *chosen32.load(std::memory_order_relaxed);
}

template <>
const Loops<std::uint64_t>& loops<std::uint64_t>() {
    return *chosen64.load(std::memory_order_relaxed);
}

const BitmapLoops& bitmap_loops() { return *chosen_bitmap.load(std::memory_order_relaxed); }

std::vector<std::string_view> instruction_sets() {
    std::vector<std::string_view> names;
    for (const Choice& choice : choices()) names.push_back(choice.name);
    return names;
}

void use_instruction_set(std::string_view name) {
    for (const Choice& choice : choices()) {
        if (choice.name == name) {
            chosen16 = choice.loops16;
            chosen32 = choice.loops32;
            chosen64 = choice.loops64;
            chosen_bitmap = choice.bitmap;
            return;
        }
    }
    throw std::invalid_argument("this machine does not run instruction set " + std::string(name));
}

}  // namespace shoal
