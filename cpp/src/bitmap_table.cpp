#include "shoal/bitmap_table.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

namespace shoal {

namespace {

std::vector<std::vector<std::vector<Label>>> maps_of(const std::vector<BitmapColumn>& columns) {
    std::vector<std::vector<std::vector<Label>>> maps;
    for (const BitmapColumn& column : columns) maps.push_back(column.maps);
    return maps;
}

std::size_t first_row(const Block& block, std::uint32_t place) noexcept {
    std::size_t word = 0;
    while (block.words[word] == 0) ++word;
    return place * block_rows + word * 64 + static_cast<std::size_t>(std::countr_zero(block.words[word]));
}

const std::uint64_t* words(const Block* blocks) noexcept { return blocks->words.data(); }
std::uint64_t* words(Block* blocks) noexcept { return blocks->words.data(); }

// Count a class; true when that ends the matter.
bool settles(std::uint64_t class_rows, const BitmapRule& rule, BitmapTally& tally) noexcept {
    ++tally.classes;
    if (class_rows < rule.k) tally.failing_rows += class_rows;
    tally.cut = rule.pruning && tally.failing_rows > rule.limit;
    return tally.cut;
}

void note_operation(std::size_t blocks, BitmapTally& tally) noexcept {
    ++tally.operations;
    tally.words += 2 * block_words * blocks;
}

// Sort numbers by one label of each, those of the same label as they were.
template <class LabelOf>
void sort_by(std::vector<std::uint32_t>& numbers, std::size_t labels, const Stop& stop, LabelOf label_of) {
    std::vector<std::uint32_t> starts(labels + 1);
    in_pieces(numbers.size(), stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++starts[label_of(numbers[i]) + 1];
    });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::uint32_t> sorted(numbers.size());
    in_pieces(numbers.size(), stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) sorted[starts[label_of(numbers[i])]++] = numbers[i];
    });
    numbers.swap(sorted);
}

std::vector<Block> empty_blocks(std::size_t size, const Stop& stop) {
    std::vector<Block> blocks;
    blocks.reserve(size);
    in_pieces(size, stop, [&](std::size_t, std::size_t end) { blocks.resize(end); });
    return blocks;
}

}  // namespace

std::size_t ClassBitmaps::bytes() const noexcept {
    return labels.size() * sizeof(Label) + ends.size() * sizeof(std::size_t) + places.size() * sizeof(std::uint32_t) +
           blocks.size() * sizeof(Block);
}

BitmapTable::BitmapTable(const std::vector<BitmapColumn>& columns, std::size_t rows, const Stop& stop)
    : rows_(rows), blocks_((rows + block_rows - 1) / block_rows), hierarchies_(maps_of(columns), stop) {
    if (rows > ~std::uint32_t{0}) throw std::invalid_argument("more rows than bitmaps can count");
    for (const BitmapColumn& column : columns) {
        stop.poll();
        if (column.codes.size() != rows) throw std::invalid_argument("columns differ in length");
        for (const Label code : column.codes) {
            if (code >= column.maps.front().size()) throw std::invalid_argument("a code is out of range");
        }
    }
    order_.resize(columns.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(), [&](unsigned a, unsigned b) {
        return hierarchies_.labels(a, 0) < hierarchies_.labels(b, 0);
    });
    std::vector<std::uint32_t> sorted(rows);
    std::iota(sorted.begin(), sorted.end(), 0U);
    for (auto c = order_.rbegin(); c != order_.rend(); ++c) {
        sort_by(sorted, hierarchies_.labels(*c, 0), stop, [&](std::uint32_t row) { return columns[*c].codes[row]; });
    }

    for (std::size_t c = 0; c < columns.size(); ++c) {
        std::vector<Label>& codes = codes_.emplace_back(rows);
        in_pieces(rows, stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) codes[row] = columns[c].codes[sorted[row]];
        });
        auto& levels = bitmaps_.emplace_back();
        auto& leaves = levels.emplace_back(empty_blocks(hierarchies_.labels(c, 0) * blocks_, stop));
        in_pieces(rows, stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) {
                Block& block = leaves[codes[row] * blocks_ + row / block_rows];
                block.words[row % block_rows / 64] |= std::uint64_t{1} << row % 64;
            }
        });
        for (unsigned level = 1; level < hierarchies_.levels(c); ++level) {
            auto& upper = levels.emplace_back(empty_blocks(hierarchies_.labels(c, level) * blocks_, stop));
            const auto& lower = levels[level - 1];
            const std::span<const Label> step = hierarchies_.step(c, level - 1, level);
            for (std::size_t label = 0; blocks_ > 0 && label < step.size(); ++label) {
                stop.poll();
                Block* const parent = &upper[step[label] * blocks_];
                bitmap_loops().unite(words(parent), words(&lower[label * blocks_]), words(parent),
                                     blocks_ * block_words);
            }
        }
    }
    prefixes_.resize(columns.size() + 1);
    for (Sparse& prefix : prefixes_) {
        prefix.blocks.resize(blocks_);
        prefix.places.resize(blocks_);
    }
}

std::size_t BitmapTable::bytes() const noexcept {
    std::size_t total = codes_.size() * rows_ * sizeof(Label);
    for (const auto& levels : bitmaps_) {
        for (const auto& blocks : levels) total += blocks.size() * sizeof(Block);
    }
    return total + prefixes_.size() * blocks_ * (sizeof(Block) + sizeof(std::uint32_t));
}

std::span<const Block> BitmapTable::bitmap(unsigned column, unsigned level, Label label) const {
    check_node({&column, 1}, {&level, 1});
    if (label >= hierarchies_.labels(column, level)) throw std::out_of_range("no such label");
    return {bitmaps_[column][level].data() + label * blocks_, blocks_};
}

void BitmapTable::check_node(std::span<const unsigned> columns, std::span<const unsigned> levels) const {
    if (columns.size() != levels.size()) throw std::invalid_argument("a node needs one level per column");
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] >= codes_.size() || (i > 0 && columns[i] <= columns[i - 1])) {
            throw std::invalid_argument("columns must be in order");
        }
        if (levels[i] >= hierarchies_.levels(columns[i])) throw std::out_of_range("no such level");
    }
}

BitmapTable::Axis BitmapTable::axis(unsigned column, unsigned level) const {
    return {codes_[column].data(), hierarchies_.step(column, 0, level).data(), bitmaps_[column][level].data()};
}

// Columns in the order that the rows are sorted by, so that the rows of a prefix are together. A single label
// splits nothing.
std::vector<BitmapTable::Axis> BitmapTable::axes(std::span<const unsigned> columns,
                                                 std::span<const unsigned> levels) const {
    std::vector<Axis> path;
    for (const unsigned column : order_) {
        const auto found = std::ranges::find(columns, column);
        if (found == columns.end()) continue;
        const unsigned level = levels[static_cast<std::size_t>(found - columns.begin())];
        if (hierarchies_.labels(column, level) > 1) path.push_back(axis(column, level));
    }
    return path;
}

std::size_t BitmapTable::fill_with_all_rows(Sparse& set) const {
    for (std::size_t b = 0; b < blocks_; ++b) {
        set.places[b] = static_cast<std::uint32_t>(b);
        set.blocks[b].words.fill(~std::uint64_t{0});
    }
    for (std::size_t row = rows_; row < blocks_ * block_rows; ++row) {
        set.blocks[row / block_rows].words[row % block_rows / 64] &= ~(std::uint64_t{1} << row % 64);
    }
    return blocks_;
}

BitmapTally BitmapTable::count(std::span<const unsigned> columns, std::span<const unsigned> levels,
                               const BitmapRule& rule, bool reusing, const Stop& stop) {
    check_node(columns, levels);
    const auto lock = lock_unless_stopped(mutex_, stop);
    BitmapTally tally;
    const std::vector<Axis> path = axes(columns, levels);
    if (path.empty()) {
        if (rows_ > 0) settles(rows_, rule, tally);
    } else if (reusing) {
        walk(path, 0, {fill_with_all_rows(prefixes_[0]), rows_}, rule, tally, stop);
    } else {
        count_one_by_one(path, rule, tally, stop);
    }
    return tally;
}

// Split the rows of a prefix by the labels of the next column, and each part by the columns after it.
void BitmapTable::walk(std::span<const Axis> path, std::size_t depth, Extent prefix, const BitmapRule& rule,
                       BitmapTally& tally, const Stop& stop) {
    const BitmapLoops& loops = bitmap_loops();
    Sparse& set = prefixes_[depth];
    Sparse& part = prefixes_[depth + 1];
    const bool last = depth + 1 == path.size();
    while (prefix.rows > 0) {
        stop.poll();
        // All classes that these rows can still be in are too small.
        if (prefix.rows == 1 || (rule.pruning && prefix.rows < rule.k)) {
            settles(prefix.rows, rule, tally);
            return;
        }
        const Block* const label = bitmap_of(path[depth], first_row(set.blocks[0], set.places[0]));
        note_operation(prefix.blocks, tally);
        Extent found;
        if (last) {
            found.rows = loops.split_and_count(set.blocks.data(), set.places.data(), prefix.blocks, label);
        } else {
            found = loops.split(set.blocks.data(), set.places.data(), prefix.blocks, label, part.blocks.data(),
                                part.places.data());
        }
        prefix.rows -= found.rows;
        if (last) {
            settles(found.rows, rule, tally);
        } else {
            walk(path, depth + 1, found, rule, tally, stop);
        }
        if (tally.cut) return;
    }
}

// As if there were no prefixes: every class from the bitmaps of single columns.
void BitmapTable::count_one_by_one(std::span<const Axis> path, const BitmapRule& rule, BitmapTally& tally,
                                   const Stop& stop) {
    const BitmapLoops& loops = bitmap_loops();
    Sparse& left = prefixes_[0];
    Block* const made = prefixes_[1].blocks.data();
    fill_with_all_rows(left);
    for (std::size_t b = 0; b < blocks_;) {
        Block& block = left.blocks[b];
        if (std::ranges::all_of(block.words, [](std::uint64_t word) { return word == 0; })) {
            ++b;
            continue;
        }
        stop.poll();
        // No row before this one is in the class: it would have been the first.
        const std::size_t row = first_row(block, static_cast<std::uint32_t>(b));
        const std::size_t size = (blocks_ - b) * block_words;
        const Block* class_rows = bitmap_of(path[0], row) + b;
        std::uint64_t found = 0;
        if (path.size() == 1) {
            found = loops.count_common(words(class_rows), words(class_rows), size);
            note_operation(blocks_ - b, tally);
        }
        for (std::size_t depth = 1; depth < path.size(); ++depth) {
            const Block* const label = bitmap_of(path[depth], row) + b;
            note_operation(blocks_ - b, tally);
            if (depth + 1 < path.size()) {
                loops.intersect(words(class_rows), words(label), words(made + b), size);
            } else {
                found = loops.intersect_and_count(words(class_rows), words(label), words(made + b), size);
            }
            class_rows = made + b;
        }
        loops.subtract(words(&block), words(class_rows), words(&block), size);
        note_operation(blocks_ - b, tally);
        if (settles(found, rule, tally)) return;
    }
}

ClassBitmaps BitmapTable::everything() const {
    ClassBitmaps all;
    if (rows_ == 0) return all;
    Sparse set{std::vector<Block>(blocks_), std::vector<std::uint32_t>(blocks_)};
    all.ends.push_back(fill_with_all_rows(set));
    all.places = std::move(set.places);
    all.blocks = std::move(set.blocks);
    return all;
}

CountedClasses BitmapTable::extend(const ClassBitmaps& source, unsigned column, unsigned level,
                                   const BitmapRule& rule, const Stop& stop) {
    CountedClasses result;
    ClassBitmaps& made = result.classes;
    made.columns = source.columns;
    made.levels = source.levels;
    const auto after = std::upper_bound(made.columns.begin(), made.columns.end(), column);
    const auto position = after - made.columns.begin();
    made.columns.insert(after, column);
    made.levels.insert(made.levels.begin() + position, level);
    check_node(made.columns, made.levels);

    const auto lock = lock_unless_stopped(mutex_, stop);
    const BitmapLoops& loops = bitmap_loops();
    const Axis next = axis(column, level);
    const std::size_t width = source.columns.size();
    Sparse& set = prefixes_[0];
    Sparse& part = prefixes_[1];
    std::size_t begin = 0;
    for (std::size_t c = 0; c < source.classes(); ++c) {
        std::size_t size = source.ends[c] - begin;
        std::copy_n(source.blocks.begin() + static_cast<std::ptrdiff_t>(begin), size, set.blocks.begin());
        std::copy_n(source.places.begin() + static_cast<std::ptrdiff_t>(begin), size, set.places.begin());
        begin = source.ends[c];
        const auto labels = source.labels.begin() + static_cast<std::ptrdiff_t>(c * width);
        while (size > 0) {
            stop.poll();
            const std::size_t row = first_row(set.blocks[0], set.places[0]);
            note_operation(size, result.tally);
            const Extent found = loops.split(set.blocks.data(), set.places.data(), size, bitmap_of(next, row),
                                             part.blocks.data(), part.places.data());
            if (settles(found.rows, rule, result.tally)) {
                made = {};
                return result;
            }
            const auto count = static_cast<std::ptrdiff_t>(found.blocks);
            made.blocks.insert(made.blocks.end(), part.blocks.begin(), part.blocks.begin() + count);
            made.places.insert(made.places.end(), part.places.begin(), part.places.begin() + count);
            made.ends.push_back(made.blocks.size());
            made.labels.insert(made.labels.end(), labels, labels + position);
            made.labels.push_back(next.map[next.codes[row]]);
            made.labels.insert(made.labels.end(), labels + position, labels + static_cast<std::ptrdiff_t>(width));
        }
    }
    made.blocks.shrink_to_fit();
    made.places.shrink_to_fit();
    return result;
}

CountedClasses BitmapTable::generalize(const ClassBitmaps& source, std::span<const unsigned> levels,
                                       const BitmapRule& rule, const Stop& stop) {
    check_node(source.columns, levels);
    const auto lock = lock_unless_stopped(mutex_, stop);
    CountedClasses result;
    ClassBitmaps& made = result.classes;
    made.columns = source.columns;
    made.levels.assign(levels.begin(), levels.end());
    const std::size_t width = source.columns.size();
    std::vector<Label> labels = source.labels;
    std::vector<std::uint32_t> order(source.classes());
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = 0; i < width; ++i) {
        if (levels[i] < source.levels[i]) throw std::invalid_argument("not a generalization");
        const std::span<const Label> step = hierarchies_.step(source.columns[i], source.levels[i], levels[i]);
        for (std::size_t c = 0; c < source.classes(); ++c) labels[c * width + i] = step[labels[c * width + i]];
        sort_by(order, hierarchies_.labels(source.columns[i], levels[i]), stop,
                [&](std::uint32_t c) { return labels[c * width + i]; });
    }
    const auto labels_of = [&](std::size_t c) { return std::span<const Label>(labels).subspan(c * width, width); };

    const BitmapLoops& loops = bitmap_loops();
    std::vector<Block> dense(blocks_);
    std::vector<std::uint32_t>& places = prefixes_[0].places;
    std::vector<bool> used(blocks_);
    for (std::size_t i = 0; i < order.size();) {
        const std::span<const Label> group = labels_of(order[i]);
        std::size_t size = 0;
        for (; i < order.size() && std::ranges::equal(labels_of(order[i]), group); ++i) {
            stop.poll();
            const std::size_t begin = order[i] == 0 ? 0 : source.ends[order[i] - 1];
            const std::size_t count = source.ends[order[i]] - begin;
            loops.scatter(&source.blocks[begin], &source.places[begin], count, dense.data());
            note_operation(count, result.tally);
            for (std::size_t b = begin; b < begin + count; ++b) {
                if (!used[source.places[b]]) places[size++] = source.places[b];
                used[source.places[b]] = true;
            }
        }
        std::sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(size));
        for (std::size_t b = 0; b < size; ++b) {
            Block& block = dense[places[b]];
            made.blocks.push_back(block);
            made.places.push_back(places[b]);
            block = {};
            used[places[b]] = false;
        }
        const Block* const class_rows = made.blocks.data() + (made.blocks.size() - size);
        const std::uint64_t found = loops.count_common(words(class_rows), words(class_rows), size * block_words);
        made.ends.push_back(made.blocks.size());
        made.labels.insert(made.labels.end(), group.begin(), group.end());
        if (settles(found, rule, result.tally)) {
            made = {};
            return result;
        }
    }
    made.blocks.shrink_to_fit();
    made.places.shrink_to_fit();
    return result;
}

}  // namespace shoal
