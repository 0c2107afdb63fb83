#include "shoal/frequency_set.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace shoal {

namespace {

constexpr unsigned digit_bits = 12;
constexpr std::size_t digits = std::size_t{1} << digit_bits;

// Pack column by column in blocks that stay in the first cache.
template <int Words>
void pack(std::span<const std::span<const Label>> codes, const KeyLayout& layout, Key<Words>* keys, std::size_t rows,
          const Stop& stop) {
    constexpr std::size_t block = 2048;
    for (std::size_t start = 0; start < rows; start += block) {
        stop.poll();
        const std::size_t end = std::min(rows, start + block);
        std::fill(keys + start, keys + end, Key<Words>{});
        for (std::size_t column = 0; column < codes.size(); ++column) {
            const Field field = layout.field(column);
            if (field.bits == 0) continue;
            const Label* const labels = codes[column].data();
            for (std::size_t row = start; row < end; ++row) {
                keys[row].word[field.word] |= std::uint64_t{labels[row]} << field.shift;
            }
        }
    }
}

struct Digit {
    unsigned word;
    unsigned shift;
    template <int Words>
    std::size_t of(const Key<Words>& key) const noexcept {
        return (key.word[word] >> shift) & (digits - 1);
    }
};

// Least significant digit first, each pass stable. `payload` moves along unless it is empty.
template <int Words, class Count>
void radix_sort(Buffer<Key<Words>>& keys, Buffer<Count>& payload, std::size_t size, const KeyLayout& layout,
                Arena& arena, const Stop& stop) {
    std::vector<Digit> passes;
    for (unsigned word = 0; word < layout.words(); ++word) {
        for (unsigned shift = 0; shift < layout.bits(word); shift += digit_bits) passes.push_back({word, shift});
    }
    // One reading of the keys counts the digits of all passes.
    std::vector<std::array<std::size_t, digits>> offsets(passes.size());
    in_pieces(size, stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            for (std::size_t p = 0; p < passes.size(); ++p) ++offsets[p][passes[p].of(keys[i])];
        }
    });
    Buffer<Key<Words>> keys_out(arena, size);
    Buffer<Count> payload_out;
    const bool carries = payload.data() != nullptr;
    if (carries) payload_out = Buffer<Count>(arena, size);
    for (std::size_t p = 0; p < passes.size(); ++p) {
        std::size_t sum = 0;
        bool shared = false;
        for (std::size_t& offset : offsets[p]) {
            shared |= offset == size;
            sum += std::exchange(offset, sum);
        }
        if (shared) continue;  // all keys have the same digit
        const Digit digit = passes[p];
        std::size_t* const at = offsets[p].data();
        in_pieces(size, stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t to = at[digit.of(keys[i])]++;
                keys_out[to] = keys[i];
                if (carries) payload_out[to] = payload[i];
            }
        });
        std::swap(keys, keys_out);
        if (carries) std::swap(payload, payload_out);
    }
}

template <int Words>
RowIndex index_packed_rows(std::span<const std::span<const Label>> codes, const KeyLayout& layout, const Stop& stop) {
    const std::size_t rows = codes.front().size();
    Arena arena;
    Buffer<Key<Words>> keys(arena, rows);
    Buffer<std::uint32_t> row_of(arena, rows);
    pack(codes, layout, keys.data(), rows, stop);
    std::iota(row_of.data(), row_of.data() + rows, std::uint32_t{0});
    radix_sort(keys, row_of, rows, layout, arena, stop);
    RowIndex index{std::vector<std::uint32_t>(rows), {}};
    in_pieces(rows, stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (i == 0 || !(keys[i] == keys[i - 1])) index.counts.push_back(0);
            ++index.counts.back();
            index.tuple[row_of[i]] = static_cast<std::uint32_t>(index.counts.size() - 1);
        }
    });
    return index;
}

}  // namespace

RowIndex index_rows(std::span<const std::span<const Label>> codes, std::span<const Label> cardinalities,
                    const Stop& stop) {
    if (codes.empty()) throw std::invalid_argument("rows need columns");
    for (const auto& column : codes) {
        if (column.size() != codes.front().size()) throw std::invalid_argument("columns differ in length");
    }
    if (codes.front().size() > std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("more than 2^32 rows in memory");
    }
    const KeyLayout layout(cardinalities);
    if (layout.words() <= 1) return index_packed_rows<1>(codes, layout, stop);
    if (layout.words() <= 2) return index_packed_rows<2>(codes, layout, stop);
    if (layout.words() <= 4) return index_packed_rows<4>(codes, layout, stop);
    throw std::length_error("the distinct values of the columns need more than 252 bits");
}

template <int Words, class Count>
FrequencySet<Words, Count> FrequencySet<Words, Count>::copy(Arena& arena) const {
    FrequencySet result{node, dense, sorted_from, size, {}, {}, contents.copy(arena)};
    if (!dense) {
        result.keys = Buffer<Key<Words>>(arena, size);
        std::copy_n(keys.data(), size, result.keys.data());
    }
    result.counts = Buffer<Count>(arena, size);
    std::copy_n(counts.data(), size, result.counts.data());
    return result;
}

std::size_t dense_cells(const Hierarchies& hierarchies, const Node& node, std::size_t limit) {
    std::size_t cells = 1;
    for (std::size_t column = 0; column < hierarchies.columns(); ++column) {
        cells *= hierarchies.labels(column, node[column]);
        if (cells > limit) return limit + 1;
    }
    return cells;
}

template <int Words, class Count>
FrequencySet<Words, Count> group_rows(std::span<const std::span<const Label>> codes, std::span<const Count> weights,
                                      const KeyLayout& layout, Arena& arena, const Stop& stop) {
    const std::size_t rows = codes.front().size();
    Buffer<Key<Words>> keys(arena, rows);
    Buffer<Count> tuple_weights;
    pack(codes, layout, keys.data(), rows, stop);
    if (!weights.empty()) {
        tuple_weights = Buffer<Count>(arena, rows);
        std::copy(weights.begin(), weights.end(), tuple_weights.data());
    }
    radix_sort(keys, tuple_weights, rows, layout, arena, stop);

    Buffer<Count> counts(arena, rows);
    std::size_t size = 0;
    for (std::size_t begin = 0; begin < rows; begin += polled_piece) {
        stop.poll();
        const std::size_t end = std::min(begin + polled_piece, rows);
        for (std::size_t row = begin; row < end; ++row) {
            const Count weight = weights.empty() ? Count{1} : tuple_weights[row];
            if (row > 0 && keys[row] == keys[size - 1]) {
                counts[size - 1] += weight;
            } else {
                keys[size] = keys[row];
                counts[size++] = weight;
            }
        }
    }
    FrequencySet<Words, Count> set{{}, false, 0, size, std::move(keys), std::move(counts), {}};
    return set.copy(arena);
}

template <int Words, class Count>
SortedRows<Words, Count> sort_rows(std::span<const std::span<const Label>> codes, std::span<const Count> weights,
                                   const KeyLayout& layout, Arena& arena, const Stop& stop) {
    const std::size_t rows = codes.front().size();
    if (rows > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("more than 2^32 rows in memory");
    Buffer<Key<Words>> keys(arena, rows);
    Buffer<std::uint32_t> row_of(arena, rows);
    pack(codes, layout, keys.data(), rows, stop);
    std::iota(row_of.data(), row_of.data() + rows, std::uint32_t{0});
    radix_sort(keys, row_of, rows, layout, arena, stop);
    SortedRows<Words, Count> sorted;
    sorted.row.assign(row_of.data(), row_of.data() + rows);
    sorted.tuple.resize(rows);
    Buffer<Count> counts(arena, rows);
    std::size_t size = 0;
    for (std::size_t begin = 0; begin < rows; begin += polled_piece) {
        stop.poll();
        const std::size_t end = std::min(begin + polled_piece, rows);
        for (std::size_t i = begin; i < end; ++i) {
            if (i == 0 || !(keys[i] == keys[size - 1])) {
                keys[size] = keys[i];
                counts[size++] = 0;
            }
            const Count weight = weights.empty() ? Count{1} : weights[sorted.row[i]];
            counts[size - 1] = static_cast<Count>(counts[size - 1] + weight);
            sorted.tuple[i] = static_cast<std::uint32_t>(size - 1);
        }
    }
    FrequencySet<Words, Count> set{{}, false, 0, size, std::move(keys), std::move(counts), {}};
    sorted.set = set.copy(arena);
    return sorted;
}

template struct FrequencySet<1, std::uint16_t>;
template struct FrequencySet<1, std::uint32_t>;
template struct FrequencySet<2, std::uint16_t>;
template struct FrequencySet<2, std::uint32_t>;
template struct FrequencySet<4, std::uint16_t>;
template struct FrequencySet<4, std::uint32_t>;
template struct FrequencySet<1, std::uint64_t>;
template struct FrequencySet<2, std::uint64_t>;
template struct FrequencySet<4, std::uint64_t>;
using Codes = std::span<const std::span<const Label>>;
template FrequencySet<1, std::uint16_t> group_rows(Codes, std::span<const std::uint16_t>, const KeyLayout&, Arena&, const Stop&);
template FrequencySet<1, std::uint32_t> group_rows(Codes, std::span<const std::uint32_t>, const KeyLayout&, Arena&, const Stop&);
template FrequencySet<2, std::uint16_t> group_rows(Codes, std::span<const std::uint16_t>, const KeyLayout&, Arena&, const Stop&);
template FrequencySet<2, std::uint32_t> group_rows(Codes, std::span<const std::uint32_t>, const KeyLayout&, Arena&, const Stop&);
template FrequencySet<4, std::uint16_t> group_rows(Codes, std::span<const std::uint16_t>, const KeyLayout&, Arena&, const Stop&);
template FrequencySet<4, std::uint32_t> group_rows(Codes, std::span<const std::uint32_t>, const KeyLayout&, Arena&, const Stop&);
template FrequencySet<1, std::uint64_t> group_rows(Codes, std::span<const std::uint64_t>, const KeyLayout&, Arena&, const Stop&);
template FrequencySet<2, std::uint64_t> group_rows(Codes, std::span<const std::uint64_t>, const KeyLayout&, Arena&, const Stop&);
template FrequencySet<4, std::uint64_t> group_rows(Codes, std::span<const std::uint64_t>, const KeyLayout&, Arena&, const Stop&);

template SortedRows<1, std::uint16_t> sort_rows(Codes, std::span<const std::uint16_t>, const KeyLayout&, Arena&, const Stop&);
template SortedRows<1, std::uint32_t> sort_rows(Codes, std::span<const std::uint32_t>, const KeyLayout&, Arena&, const Stop&);
template SortedRows<1, std::uint64_t> sort_rows(Codes, std::span<const std::uint64_t>, const KeyLayout&, Arena&, const Stop&);
template SortedRows<2, std::uint16_t> sort_rows(Codes, std::span<const std::uint16_t>, const KeyLayout&, Arena&, const Stop&);
template SortedRows<2, std::uint32_t> sort_rows(Codes, std::span<const std::uint32_t>, const KeyLayout&, Arena&, const Stop&);
template SortedRows<2, std::uint64_t> sort_rows(Codes, std::span<const std::uint64_t>, const KeyLayout&, Arena&, const Stop&);
template SortedRows<4, std::uint16_t> sort_rows(Codes, std::span<const std::uint16_t>, const KeyLayout&, Arena&, const Stop&);
template SortedRows<4, std::uint32_t> sort_rows(Codes, std::span<const std::uint32_t>, const KeyLayout&, Arena&, const Stop&);
template SortedRows<4, std::uint64_t> sort_rows(Codes, std::span<const std::uint64_t>, const KeyLayout&, Arena&, const Stop&);

}  // namespace shoal
