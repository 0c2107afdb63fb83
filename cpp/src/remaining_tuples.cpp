#include "shoal/remaining_tuples.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace shoal {

namespace {

// The tables of a part stay in the processor's nearest caches.
constexpr std::size_t most_codes = std::size_t{1} << 12;
constexpr std::size_t most_labels = std::size_t{1} << 18;

constexpr std::uint32_t no_group = ~std::uint32_t{0};

std::uint32_t odd_number(std::size_t part) {
    std::uint64_t x = (part + 1) * 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return static_cast<std::uint32_t>(x >> 32) | 1U;
}

// The labels of a part at a node, by the part's codes of the tuples.
template <class Code>
struct View {
    const Code* codes;
    const std::uint32_t* labels;
    std::uint32_t multiplier;
};

template <std::size_t Parts, bool first, class Code>
void hash_some(const View<Code>* views, std::size_t size, std::uint32_t* hashes) {
    std::array<View<Code>, Parts> view;
    std::copy_n(views, Parts, view.begin());
    for (std::size_t i = 0; i < size; ++i) {
        std::uint32_t sum = first ? 0 : hashes[i];
        for (std::size_t p = 0; p < Parts; ++p) sum += view[p].labels[view[p].codes[i]] * view[p].multiplier;
        hashes[i] = sum;
    }
}

template <class Code>
void hash_views(const View<Code>* views, std::size_t parts, std::size_t size, std::uint32_t* hashes) {
    switch (parts) {
        case 1: return hash_some<1, true>(views, size, hashes);
        case 2: return hash_some<2, true>(views, size, hashes);
        case 3: return hash_some<3, true>(views, size, hashes);
        case 4: return hash_some<4, true>(views, size, hashes);
        default: hash_some<4, true>(views, size, hashes);
    }
    for (std::size_t p = 4; p < parts; ++p) hash_some<1, false>(views + p, size, hashes);
}

unsigned bits_for(std::size_t size) { return std::clamp(static_cast<unsigned>(std::bit_width(size)), 4U, 30U); }

}  // namespace

RemainingTuples::RemainingTuples(const Tuples& tuples, std::uint64_t least_rows)
    : least_rows_(std::max<std::uint64_t>(least_rows, 1)),
      enough_(static_cast<unsigned>(std::min<std::uint64_t>(least_rows_, 255))),
      rows_(tuples.rows),
      ids_(tuples.size()) {
    std::iota(ids_.begin(), ids_.end(), 0U);
    weights_.reserve(rows_.size());
    for (const std::uint64_t rows : rows_) {
        // Rounded up, so that no group is missed.
        const std::uint64_t share = least_rows_ <= 255 ? rows : rows / (least_rows_ / 255) + (rows > 0 ? 1 : 0);
        weights_.push_back(static_cast<std::uint8_t>(std::min<std::uint64_t>(share, enough_)));
    }
    const Hierarchies& hierarchies = tuples.hierarchies;
    std::vector<std::size_t> order(tuples.columns());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return hierarchies.labels(a, 0) > hierarchies.labels(b, 0); });
    for (const std::size_t column : order) {
        const std::size_t values = hierarchies.labels(column, 0);
        const unsigned levels = hierarchies.levels(column);
        const auto fits = [&](const Part& part) {
            const std::size_t codes = part.codes * values;
            const std::size_t nodes = std::accumulate(part.levels.begin(), part.levels.end(), std::size_t{levels},
                                                      [](std::size_t a, unsigned b) { return a * b; });
            return codes <= most_codes && codes * nodes <= most_labels;
        };
        auto part = std::find_if(parts_.begin(), parts_.end(), fits);
        if (part == parts_.end()) part = parts_.insert(parts_.end(), Part{});
        part->columns.push_back(column);
        part->levels.push_back(levels);
        part->codes *= values;
    }
    const bool narrow = std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.codes <= 65536; });
    for (Part& part : parts_) {
        fill(part, tuples);
        std::vector<std::uint32_t> codes(tuples.size());
        for (const std::size_t column : part.columns) {
            const Label values = hierarchies.labels(column, 0);
            for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = codes[i] * values + tuples.labels[column][i];
        }
        if (narrow) {
            narrow_.emplace_back(codes.begin(), codes.end());
        } else {
            wide_.push_back(std::move(codes));
        }
    }
}

void RemainingTuples::fill(Part& part, const Tuples& tuples) {
    const std::size_t nodes =
        std::accumulate(part.levels.begin(), part.levels.end(), std::size_t{1}, [](auto a, auto b) { return a * b; });
    part.labels.reserve(nodes * part.codes);
    std::vector<unsigned> level(part.columns.size());
    for (std::size_t node = 0; node < nodes; ++node) {
        for (std::size_t i = part.columns.size(), rest = node; i-- > 0; rest /= part.levels[i]) {
            level[i] = static_cast<unsigned>(rest % part.levels[i]);
        }
        // The columns before give the high digits.
        std::vector<std::uint32_t> labels{0};
        for (std::size_t i = 0; i < part.columns.size(); ++i) {
            const auto step = tuples.hierarchies.step(part.columns[i], 0, level[i]);
            const Label count = tuples.hierarchies.labels(part.columns[i], level[i]);
            std::vector<std::uint32_t> next;
            next.reserve(labels.size() * step.size());
            for (const std::uint32_t high : labels) {
                for (const Label low : step) next.push_back(high * count + low);
            }
            labels = std::move(next);
        }
        part.labels.insert(part.labels.end(), labels.begin(), labels.end());
    }
}

void RemainingTuples::keep_unless(std::span<const std::uint8_t> taken) {
    const auto keep = [&](auto& values) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[kept] = values[i];
            kept += taken[ids_[i]] == 0;
        }
        values.resize(kept);
    };
    for (auto& codes : narrow_) keep(codes);
    for (auto& codes : wide_) keep(codes);
    keep(weights_);
    keep(rows_);
    std::erase_if(ids_, [&](std::uint32_t tuple) { return taken[tuple] != 0; });
}

void RemainingTuples::group(const Levels& levels, Scratch& scratch, TupleGroups& groups) const {
    if (wide_.empty()) {
        group_codes(narrow_, levels, scratch, groups);
    } else {
        group_codes(wide_, levels, scratch, groups);
    }
}

template <class Code>
void RemainingTuples::group_codes(const std::vector<std::vector<Code>>& codes, const Levels& levels, Scratch& scratch,
                                  TupleGroups& groups) const {
    const std::size_t size = ids_.size();
    std::array<View<Code>, max_columns> views;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const Part& part = parts_[p];
        std::size_t node = 0;
        for (std::size_t i = 0; i < part.columns.size(); ++i) node = node * part.levels[i] + levels[part.columns[i]];
        views[p] = {codes[p].data(), part.labels.data() + node * part.codes, odd_number(p)};
    }
    scratch.hashes.resize(size);
    std::uint32_t* const hashes = scratch.hashes.data();
    hash_views(views.data(), parts_.size(), size, hashes);

    // Count in a small table first: where the tuples of a place are too few, so is every group among them.
    const unsigned bits = bits_for(2 * size);
    const unsigned shift = 32 - bits;
    scratch.sketch.assign(std::size_t{1} << bits, 0);
    std::uint8_t* const sketch = scratch.sketch.data();
    // Bytes may alias members, so these are copied.
    const std::uint8_t* const weights = weights_.data();
    const unsigned enough = enough_;
    for (std::size_t i = 0; i < size; ++i) {
        std::uint8_t& count = sketch[hashes[i] >> shift];
        count = static_cast<std::uint8_t>(std::min<unsigned>(count + weights[i], enough));
    }
    scratch.candidates.resize(size);
    std::uint32_t* const candidates = scratch.candidates.data();
    std::size_t found = 0;
    for (std::size_t i = 0; i < size; ++i) {
        candidates[found] = static_cast<std::uint32_t>(i);
        found += sketch[hashes[i] >> shift] >= enough;
    }
    if (found == 0) return;

    const auto equal = [&](std::size_t a, std::size_t b) {
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            if (views[p].labels[views[p].codes[a]] != views[p].labels[views[p].codes[b]]) return false;
        }
        return true;
    };
    const unsigned slot_bits = bits_for(2 * found);
    const std::size_t mask = (std::size_t{1} << slot_bits) - 1;
    scratch.slots.assign(mask + 1, no_group);
    scratch.group_of.resize(found);
    scratch.first.clear();
    scratch.rows.clear();
    scratch.ends.clear();
    for (std::size_t j = 0; j < found; ++j) {
        const std::uint32_t i = candidates[j];
        std::size_t slot = hashes[i] >> (32 - slot_bits);
        while (scratch.slots[slot] != no_group && !equal(i, scratch.first[scratch.slots[slot]])) slot = (slot + 1) & mask;
        std::uint32_t& group = scratch.slots[slot];
        if (group == no_group) {
            group = static_cast<std::uint32_t>(scratch.first.size());
            scratch.first.push_back(i);
            scratch.rows.push_back(0);
            scratch.ends.push_back(0);
        }
        scratch.group_of[j] = group;
        scratch.rows[group] += rows_[i];
        ++scratch.ends[group];
    }
    auto place = static_cast<std::uint32_t>(groups.tuples.size());
    for (std::size_t group = 0; group < scratch.rows.size(); ++group) {
        const std::uint32_t tuples = scratch.ends[group];
        scratch.ends[group] = place;
        if (scratch.rows[group] < least_rows_) continue;
        place += tuples;
        groups.starts.push_back(place);
    }
    groups.tuples.resize(place);
    for (std::size_t j = 0; j < found; ++j) {
        const std::uint32_t group = scratch.group_of[j];
        if (scratch.rows[group] >= least_rows_) groups.tuples[scratch.ends[group]++] = ids_[candidates[j]];
    }
}

}  // namespace shoal
