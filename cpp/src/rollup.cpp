#include "shoal/rollup.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "shoal/loops.hpp"
#include "shoal/scatter.hpp"

namespace shoal {

namespace {

// Tuples grouped at once: everything stays in the second cache. A longer run is worth splitting only when it
// is much longer.
constexpr std::size_t block_size = 16384;
constexpr std::size_t longest_run = 2 * block_size;
static_assert(longest_run <= 65535, "indices have 16 bits");
constexpr std::uint64_t first_multiplier = 0x9E3779B97F4A7C15;
constexpr std::uint64_t next_multiplier = 0xD1342543DE82EF95;

// Selecting by arithmetic: a branch here would be mispredicted half of the time.
template <class Count>
inline Count all_ones_if(bool condition) {
    return static_cast<Count>(Count{0} - static_cast<Count>(condition));
}

template <int Words, class Look>
inline auto look_up(const Key<Words>& key, const Look& look) {
    return look.table[(key.word[look.word] >> look.shift) & look.mask];
}

// Add up what the look-ups say of each key. At most two look-ups in one pass: more would not fit the
// registers, and the block is in the first cache anyway.
template <int Words, class Look, class Value>
void sum_lookups(const Key<Words>* keys, std::size_t size, const std::vector<Look>& lookups, Value* sums) {
    std::size_t next = lookups.size() % 2;
    if (next == 1) {
        const Look a = lookups[0];
        for (std::size_t i = 0; i < size; ++i) sums[i] = look_up(keys[i], a);
    } else if (lookups.empty()) {
        std::fill_n(sums, size, Value{0});
    } else {
        const Look a = lookups[0];
        const Look b = lookups[1];
        for (std::size_t i = 0; i < size; ++i) sums[i] = look_up(keys[i], a) + look_up(keys[i], b);
        next = 2;
    }
    for (; next + 1 < lookups.size(); next += 2) {
        const Look a = lookups[next];
        const Look b = lookups[next + 1];
        for (std::size_t i = 0; i < size; ++i) sums[i] += look_up(keys[i], a) + look_up(keys[i], b);
    }
}

constexpr std::size_t lookup_block = 1024;

}  // namespace

template <int Words, class Count>
void Roller<Words, Count>::roll(const Set& from, const Node& to, Set& target, Projection<Words>* projection) {
    target.node = to;
    target.sorted_from = 0;
    if (from.dense) {
        dense_to_dense(from, to, target);
    } else if (dense_at(from, to)) {
        sparse_to_dense(from, to, target);
    } else {
        sparse_to_sparse(from, to, target, projection);
    }
}

template <int Words, class Count>
void Roller<Words, Count>::dense_to_dense(const Set& from, const Node& to, Set& target) {
    target.dense = true;
    target.size = dense_cells(hierarchies_, to, max_cells);
    Count* const result = target.counts.require(arena_, target.size);
    const Count* source = from.counts.data();
    std::size_t cells = from.size;
    unsigned turn = 0;
    // The last axes first: their slices are the longest, and what they merge the first axes need not touch.
    std::size_t outer = 1;
    for (std::size_t column = hierarchies_.columns(); column-- > 0;) {
        const Label had = hierarchies_.labels(column, from.node[column]);
        const Label has = hierarchies_.labels(column, to[column]);
        const std::size_t inner = cells / (outer * had);
        if (had != has) {
            cells = outer * has * inner;
            stop_.poll();
            // Once nothing is left to merge, this was the last pass and it wrote the result.
            Count* const next =
                cells == target.size ? result : dense_scratch_[turn].require(arena_, cells);
            loops<Count>().merge(source, next, hierarchies_.step(column, from.node[column], to[column]).data(), had,
                                 has, inner, outer);
            source = next;
            turn ^= 1U;
        }
        outer *= has;
    }
    if (source != result) std::copy_n(source, target.size, result);
}

// Tables over one or more neighbouring columns, so that a key takes few look-ups. A contribution says
// which columns count and what a label of theirs adds.
template <int Words, class Count>
template <class Value, class Contribution>
void Roller<Words, Count>::build(Lookups<Value>& lookups, const Node& from, std::size_t keys,
                                 Contribution contribution) {
    const unsigned size_bits = static_cast<unsigned>(std::bit_width(keys));
    const unsigned limit = std::clamp(size_bits, 8U, 14U) - 3;
    struct Span {
        std::size_t first, last;
        unsigned bits;
    };
    std::vector<Span> spans;
    for (std::size_t column = 0; column < hierarchies_.columns(); ++column) {
        const Field field = layout_.field(column);
        if (field.bits == 0 || !contribution.counts(column)) continue;
        if (!spans.empty()) {
            Span& open = spans.back();
            const Field start = layout_.field(open.first);
            const unsigned bits = field.shift + field.bits - start.shift;
            if (start.word == field.word && bits <= limit) {
                open.last = column;
                open.bits = bits;
                continue;
            }
        }
        spans.push_back({column, column, field.bits});
    }
    std::size_t total = 0;
    for (const Span& span : spans) total += std::size_t{1} << span.bits;
    lookups.storage.assign(total, Value{0});
    lookups.list.clear();
    Value* table = lookups.storage.data();
    for (const Span& span : spans) {
        const Field start = layout_.field(span.first);
        for (std::size_t column = span.first; column <= span.last; ++column) {
            const Field field = layout_.field(column);
            const std::size_t below = std::size_t{1} << (field.shift - start.shift);
            const Label labels = hierarchies_.labels(column, from[column]);
            const bool counts = contribution.counts(column);
            for (std::size_t label = labels; label-- > 0;) {
                const Value value = counts ? contribution.value(column, static_cast<Label>(label)) : Value{0};
                for (std::size_t low = 0; low < below; ++low) table[label * below + low] = table[low] + value;
            }
        }
        lookups.list.push_back({start.word, start.shift, (std::uint64_t{1} << span.bits) - 1, table});
        table += std::size_t{1} << span.bits;
    }
}

// Look-ups from keys to cells of a dense set.
template <int Words, class Count>
void Roller<Words, Count>::build_cells(const Node& from, const Node& to, std::size_t keys) {
    struct Offsets {
        const Hierarchies& hierarchies;
        const Node& from;
        const Node& to;
        std::array<std::uint32_t, max_columns> strides{};
        bool counts(std::size_t column) const { return hierarchies.labels(column, to[column]) > 1; }
        std::uint32_t value(std::size_t column, Label label) const {
            return hierarchies.step(column, from[column], to[column])[label] * strides[column];
        }
    } offsets{hierarchies_, from, to};
    std::uint32_t stride = 1;
    for (std::size_t column = 0; column < hierarchies_.columns(); ++column) {
        offsets.strides[column] = stride;
        stride *= hierarchies_.labels(column, to[column]);
    }
    build(cell_lookups_, from, keys, offsets);
}

template <int Words, class Count>
void Roller<Words, Count>::sparse_to_dense(const Set& from, const Node& to, Set& target) {
    target.dense = true;
    target.size = dense_cells(hierarchies_, to, max_cells);
    Count* const cells = target.counts.require(arena_, target.size);
    std::fill_n(cells, target.size, Count{0});
    build_cells(from.node, to, from.size);
    std::array<std::uint32_t, lookup_block> at;
    for (std::size_t start = 0; start < from.size; start += lookup_block) {
        stop_.poll();
        const std::size_t size = std::min(lookup_block, from.size - start);
        sum_lookups(from.keys.data() + start, size, cell_lookups_.list, at.data());
        scatter(from.counts.data() + start, size, cells, [&](std::size_t i) { return at[i]; });
    }
}

template <int Words, class Count>
std::span<const std::uint32_t> Roller<Words, Count>::places(const Set& from, const Set& target) {
    if (!target.dense) return {places_.data(), from.size};
    const std::size_t classes = from.contents.classes;
    const Key<Words>* const keys = from.dense ? from.contents.keys.data() : from.keys.data();
    build_cells(from.node, target.node, classes);
    std::uint32_t* const cells = places_.require(arena_, classes);
    for (std::size_t start = 0; start < classes; start += lookup_block) {
        stop_.poll();
        const std::size_t size = std::min(lookup_block, classes - start);
        sum_lookups(keys + start, size, cell_lookups_.list, cells + start);
    }
    return {cells, classes};
}

template <int Words, class Count>
void Roller<Words, Count>::raise_keys(const Set& from, const Node& to, std::span<const std::uint32_t> classes,
                                      Key<Words>* out) {
    const Key<Words>* const keys = from.dense ? from.contents.keys.data() : from.keys.data();
    Key<Words>* const chosen = mapped_.require(arena_, classes.size());
    for (std::size_t i = 0; i < classes.size(); ++i) chosen[i] = keys[classes[i]];
    prepare_map(from.node, classes.size(), from.node, to);
    map(chosen, chosen, out, classes.size());
}

// Of keys that stand at the node `current`, change the columns that differ at `to`.
template <int Words, class Count>
void Roller<Words, Count>::prepare_map(const Node& from, std::size_t keys, const Node& current, const Node& to) {
    struct Fields {
        const Hierarchies& hierarchies;
        const KeyLayout& layout;
        const Node& from;
        const Node& current;
        const Node& to;
        bool counts(std::size_t column) const {
            return hierarchies.labels(column, current[column]) != hierarchies.labels(column, to[column]);
        }
        std::uint64_t value(std::size_t column, Label label) const {
            const std::uint64_t parent = hierarchies.step(column, from[column], to[column])[label];
            return parent << layout.field(column).shift;
        }
    };
    const Fields fields{hierarchies_, layout_, from, current, to};
    build(key_lookups_, from, keys, fields);
    for (int w = 0; w < Words; ++w) unchanged_.word[w] = ~std::uint64_t{0};
    for (std::size_t column = 0; column < hierarchies_.columns(); ++column) {
        if (!fields.counts(column)) continue;
        const Field field = layout_.field(column);
        unchanged_.word[field.word] &= ~(((std::uint64_t{1} << field.bits) - 1) << field.shift);
    }
}

// Map keys as prepared. `current` are the same keys where they stand now, which may be where they go.
template <int Words, class Count>
void Roller<Words, Count>::map(const Key<Words>* keys, const Key<Words>* current, Key<Words>* out, std::size_t size) {
    for (std::size_t start = 0; start < size; start += lookup_block) {
        stop_.poll();
        const std::size_t end = std::min(start + lookup_block, size);
        for (std::size_t i = start; i < end; ++i) {
            for (int w = 0; w < Words; ++w) out[i].word[w] = current[i].word[w] & unchanged_.word[w];
        }
        for (const auto& look : key_lookups_.list) {
            const auto local = look;
            for (std::size_t i = start; i < end; ++i) out[i].word[local.word] |= look_up(keys[i], local);
        }
    }
}

template <int Words, class Count>
template <class Mapped>
std::size_t Roller<Words, Count>::group_runs(const Set& from, const Node& to, Set& target, const Mapped& mapped) {
    // A run shares the columns that are sorted: those after the first of them as they are, that one as mapped.
    const std::size_t first = target.sorted_from;
    const Key<Words>* const keys = from.keys.data();
    const Count* const counts = from.counts.data();
    Key<Words>* const keys_out = target.keys.data();
    Count* const counts_out = target.counts.data();
    const auto step = hierarchies_.step(first, from.node[first], to[first]);
    Key<Words> later{};
    for (std::size_t column = first + 1; column < hierarchies_.columns(); ++column) {
        const Field field = layout_.field(column);
        later.word[field.word] |= ((std::uint64_t{1} << field.bits) - 1) << field.shift;
    }
    const auto starts_run = [&](std::size_t i) {
        std::uint64_t differs = 0;
        for (int w = 0; w < Words; ++w) differs |= (keys[i].word[w] ^ keys[i - 1].word[w]) & later.word[w];
        return differs != 0 || step[layout_.label(keys[i], first)] != step[layout_.label(keys[i - 1], first)];
    };
    std::size_t size = 0;
    for (std::size_t start = 0; start < from.size;) {
        std::size_t end = std::min(start + block_size, from.size);
        if (end < from.size) {
            while (end > start && !starts_run(end)) --end;
        }
        if (end == start) {
            end = start + block_size;
            while (end < from.size && !starts_run(end)) ++end;
        }
        const std::size_t length = end - start;
        const Block block{mapped(start, length), counts + start,    length, keys_out + size,
                          counts_out + size,     size, tracks_ ? places_.data() + start : nullptr};
        size += length <= longest_run ? group<std::uint16_t>(block) : partition_and_group(block);
        start = end;
    }
    return size;
}

template <int Words, class Count>
void Roller<Words, Count>::sparse_to_sparse(const Set& from, const Node& to, Set& target,
                                            Projection<Words>* projection) {
    target.dense = false;
    std::size_t last_changed = 0;
    for (std::size_t column = 0; column < hierarchies_.columns(); ++column) {
        if (hierarchies_.labels(column, from.node[column]) != hierarchies_.labels(column, to[column])) {
            last_changed = column;
        }
    }
    // Maps are monotone, so the keys stay sorted from the last changed column on.
    target.sorted_from = std::max(last_changed, from.sorted_from);
    const Key<Words>* const keys = from.keys.data();
    const Key<Words>* current = keys;
    Key<Words>* projected = nullptr;
    if (projection != nullptr) {
        projected = projection->keys.require(arena_, from.size);
        // Until the end it is of no node: what fails on the way leaves it unfilled.
        if (std::exchange(projection->filled, false)) current = projected;
    }
    prepare_map(from.node, from.size, current == keys ? from.node : projection->node, to);
    if (tracks_) places_.require(arena_, from.size);
    const auto mapped = [&](std::size_t start, std::size_t length) {
        Key<Words>* const out = projected != nullptr ? projected + start : mapped_.require(arena_, length);
        map(keys + start, current + start, out, length);
        return const_cast<const Key<Words>*>(out);
    };
    target.keys.require(arena_, from.size);
    target.counts.require(arena_, from.size);
    if (target.sorted_from == 0) {
        target.size = merge_neighbours(mapped(0, from.size), from.counts.data(), from.size, target);
    } else {
        target.size = group_runs(from, to, target, mapped);
    }
    if (projection != nullptr) {
        projection->node = to;
        projection->filled = true;
    }
}

template <int Words, class Count>
std::size_t Roller<Words, Count>::merge_neighbours(const Key<Words>* keys, const Count* counts, std::size_t size,
                                                   Set& target) {
    Key<Words>* const keys_out = target.keys.data();
    Count* const counts_out = target.counts.data();
    if (size == 0) return 0;
    std::size_t last = 0;
    Count sum = counts[0];
    keys_out[0] = keys[0];
    if (tracks_) places_[0] = 0;
    for (std::size_t begin = 0; begin < size; begin += polled_piece) {
        stop_.poll();
        const std::size_t end = std::min(begin + polled_piece, size);
        for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i) {
            const bool fresh = !(keys[i] == keys[i - 1]);
            counts_out[last] = sum;
            last += fresh;
            sum = static_cast<Count>((sum & all_ones_if<Count>(!fresh)) + counts[i]);
            keys_out[last] = keys[i];
            if (tracks_) places_[i] = static_cast<std::uint32_t>(last);
        }
    }
    counts_out[last] = sum;
    return last + 1;
}

// Group without branches that the data decides: every tuple writes its index into the slot of its key's
// hash, the last writer owns the slot, tuples with the owner's key add to its sum, and the few others go
// round again with another hash. All tuples of one key share their slot, so a key is never split. The
// owners come out in their order, which keeps runs together.
template <int Words, class Count>
template <class Index>
std::size_t Roller<Words, Count>::group(const Block& block) {
    return block.places != nullptr ? group_as<Index, true>(block) : group_as<Index, false>(block);
}

template <int Words, class Count>
template <class Index, bool tracks>
std::size_t Roller<Words, Count>::group_as(const Block& block) {
    const auto& [keys, counts, size, keys_out, counts_out, first, places] = block;
    const unsigned slot_bits = static_cast<unsigned>(std::bit_width(size)) + 1;
    const unsigned shift = 64 - slot_bits;
    Index* const slots = std::get<Buffer<Index>>(slots_).require(arena_, std::size_t{1} << slot_bits);
    Count* const sums = sums_.require(arena_, size);
    Index* const losers = std::get<Buffer<Index>>(losers_).require(arena_, size + 1);
    Index* owners = nullptr;
    if constexpr (tracks) owners = std::get<Buffer<Index>>(owners_).require(arena_, size);
    std::fill_n(sums, size, Count{0});

    stop_.poll();
    std::uint64_t multiplier = first_multiplier;
    for (std::size_t i = 0; i < size; ++i) slots[hash(keys[i], multiplier) >> shift] = static_cast<Index>(i);
    std::size_t lost = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t owner = slots[hash(keys[i], multiplier) >> shift];
        const bool same = keys[owner] == keys[i];
        sums[owner] = static_cast<Count>(sums[owner] + (counts[i] & all_ones_if<Count>(same)));
        if constexpr (tracks) owners[i] = static_cast<Index>(owner);
        losers[lost] = static_cast<Index>(i);
        lost += !same;
    }
    while (lost > 0) {
        stop_.poll();
        multiplier *= next_multiplier;
        for (std::size_t j = 0; j < lost; ++j) slots[hash(keys[losers[j]], multiplier) >> shift] = losers[j];
        std::size_t left = 0;
        for (std::size_t j = 0; j < lost; ++j) {
            const Index i = losers[j];
            const std::size_t owner = slots[hash(keys[i], multiplier) >> shift];
            const bool same = keys[owner] == keys[i];
            sums[owner] = static_cast<Count>(sums[owner] + (counts[i] & all_ones_if<Count>(same)));
            if constexpr (tracks) owners[i] = static_cast<Index>(owner);
            losers[left] = i;
            left += !same;
        }
        lost = left;
    }
    std::size_t out = 0;
    for (std::size_t i = 0; i < size; ++i) {
        keys_out[out] = keys[i];
        counts_out[out] = sums[i];
        if constexpr (tracks) {
            // A group without rows stays too: a population may have some in it.
            losers[i] = static_cast<Index>(out);
            out += owners[i] == i;
        } else {
            out += sums[i] != 0;
        }
    }
    if constexpr (tracks) {
        for (std::size_t i = 0; i < size; ++i) places[i] = static_cast<std::uint32_t>(first + losers[owners[i]]);
    }
    return out;
}

// A run too long for one block: split it by hash, then group the parts.
template <int Words, class Count>
std::size_t Roller<Words, Count>::partition_and_group(const Block& block) {
    const auto& [keys, counts, size, keys_out, counts_out, first, places] = block;
    constexpr std::uint64_t multiplier = 0xBF58476D1CE4E5B9;
    const unsigned bits = static_cast<unsigned>(std::bit_width(size / (block_size / 2)));
    const unsigned shift = 64 - bits;
    std::vector<std::size_t> ends(std::size_t{1} << bits, 0);
    in_pieces(size, stop_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++ends[hash(keys[i], multiplier) >> shift];
    });
    std::size_t sum = 0;
    for (std::size_t& end : ends) sum += std::exchange(end, sum);
    Key<Words>* const part_keys = partition_keys_.require(arena_, size);
    Count* const part_counts = partition_counts_.require(arena_, size);
    std::uint32_t* const part_indices = places == nullptr ? nullptr : partition_indices_.require(arena_, size);
    std::uint32_t* const part_places = places == nullptr ? nullptr : partition_places_.require(arena_, size);
    in_pieces(size, stop_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t at = ends[hash(keys[i], multiplier) >> shift]++;
            part_keys[at] = keys[i];
            part_counts[at] = counts[i];
            if (places != nullptr) part_indices[at] = static_cast<std::uint32_t>(i);
        }
    });
    std::size_t out = 0;
    std::size_t start = 0;
    for (const std::size_t end : ends) {
        const std::size_t part = end - start;
        const Block piece{part_keys + start, part_counts + start, part, keys_out + out,
                          counts_out + out,  first + out, places == nullptr ? nullptr : part_places + start};
        // A key with very many tuples makes its part large; then the indices need more bits.
        if (part > 65535) {
            out += group<std::uint32_t>(piece);
        } else if (part > 0) {
            out += group<std::uint16_t>(piece);
        }
        start = end;
    }
    if (places != nullptr) {
        in_pieces(size, stop_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) places[part_indices[i]] = part_places[i];
        });
    }
    return out;
}

template class Roller<1, std::uint16_t>;
template class Roller<1, std::uint32_t>;
template class Roller<2, std::uint16_t>;
template class Roller<2, std::uint32_t>;
template class Roller<4, std::uint16_t>;
template class Roller<4, std::uint32_t>;
template class Roller<1, std::uint64_t>;
template class Roller<2, std::uint64_t>;
template class Roller<4, std::uint64_t>;

}  // namespace shoal
