#include "shoal/histograms.hpp"

#include <algorithm>

#include "shoal/loops.hpp"

namespace shoal {

namespace {

// Rows of cells are added up by the vector; lists by the entry. So cells may be several times as many.
constexpr std::size_t cells_per_entry = 6;
constexpr std::size_t always_dense = 4096;  // cells

bool worth_cells(const Attribute& attribute, std::size_t classes, std::size_t entries) {
    if (attribute.once || attribute.values > 4096) return false;
    const std::size_t cells = classes * attribute.width();
    return cells <= std::max(always_dense, cells_per_entry * entries);
}

// The low bits: where an entry stands in the list of the class that saw it last. The high bits: which that was.
constexpr unsigned place_bits = 32;

constexpr std::size_t merged_between_polls = 1024;  // lists

}  // namespace

template <int Words, class Count>
Contents<Words, Count> Contents<Words, Count>::copy(Arena& arena) const {
    const auto copied = [&](const auto& buffer, std::size_t size) {
        std::remove_cvref_t<decltype(buffer)> result(arena, size);
        std::copy_n(buffer.data(), size, result.data());
        return result;
    };
    Contents result;
    result.classes = classes;
    result.listed = listed;
    if (listed) {
        result.keys = copied(keys, classes);
        result.cells = copied(cells, classes);
    }
    for (const Histograms<Count>& from : histograms) {
        Histograms<Count>& to = result.histograms.emplace_back();
        to.dense = from.dense;
        to.width = from.width;
        if (from.dense) {
            to.cells = copied(from.cells, classes * from.width);
        } else {
            to.starts = copied(from.starts, classes + 1);
            to.entries = copied(from.entries, from.starts[classes]);
            to.counts = copied(from.counts, from.starts[classes]);
        }
    }
    return result;
}

template <class Count>
Histograms<Count> count_entries(std::span<const std::uint32_t> class_of, std::size_t classes,
                                std::span<const Label> entries, std::span<const Count> counts,
                                const Attribute& attribute, Arena& arena, const Stop& stop) {
    Histograms<Count> lists;
    lists.starts = Buffer<std::uint32_t>(arena, classes + 1);
    lists.entries = Buffer<Label>(arena, entries.size());
    lists.counts = Buffer<Count>(arena, entries.size());
    std::vector<std::uint32_t> place(attribute.entries, 0);
    std::uint32_t size = 0;
    std::size_t row = 0;
    for (std::size_t c = 0; c < classes; ++c) {
        const std::uint32_t start = size;
        lists.starts[c] = start;
        for (; row < class_of.size() && class_of[row] == c; ++row) {
            if (row % polled_piece == 0) stop.poll();
            const Label entry = entries[row];
            if (entry == no_value) continue;
            std::uint32_t& at = place[entry];
            // Places only grow, so one before the start is of a class before.
            if (at < start || at >= size || lists.entries[at] != entry) {
                at = size++;
                lists.entries[at] = entry;
                lists.counts[at] = 0;
            }
            lists.counts[at] = attribute.once ? Count{1} : static_cast<Count>(lists.counts[at] + counts[row]);
        }
    }
    lists.starts[classes] = size;
    if (!worth_cells(attribute, classes, size)) return lists;
    Histograms<Count> rows;
    rows.dense = true;
    rows.width = attribute.width();
    rows.cells = Buffer<Count>(arena, classes * rows.width);
    std::fill_n(rows.cells.data(), classes * rows.width, Count{0});
    in_pieces(classes, stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            for (std::uint32_t i = lists.starts[c]; i < lists.starts[c + 1]; ++i) {
                rows.cells[c * rows.width + lists.entries[i]] = lists.counts[i];
            }
        }
    });
    return rows;
}

template <class Count>
void Merger<Count>::merge(std::span<const Histograms<Count>> from, std::span<const std::uint32_t> places,
                          std::size_t classes, std::vector<Histograms<Count>>& target) {
    target.resize(from.size());
    is_sorted_ = false;
    for (std::size_t a = 0; a < from.size(); ++a) {
        const Attribute& attribute = attributes_[a];
        if (from[a].dense || worth_cells(attribute, classes, from[a].starts[places.size()])) {
            to_dense(from[a], places, classes, attribute, target[a]);
        } else {
            to_sparse(from[a], places, classes, attribute, target[a]);
        }
    }
}

template <class Count>
void Merger<Count>::to_dense(const Histograms<Count>& from, std::span<const std::uint32_t> places,
                             std::size_t classes, const Attribute& attribute, Histograms<Count>& target) {
    const std::size_t width = attribute.width();
    target.dense = true;
    target.width = width;
    Count* const cells = target.cells.require(arena_, classes * width);
    std::fill_n(cells, classes * width, Count{0});
    if (from.dense) {
        const std::size_t piece = std::max<std::size_t>(polled_piece / width, 1);
        for (std::size_t start = 0; start < places.size(); start += piece) {
            stop_.poll();
            loops<Count>().add_rows(from.cells.data() + start * width, places.data() + start,
                                    std::min(piece, places.size() - start), width, cells);
        }
        return;
    }
    const Label* const entries = from.entries.data();
    const Count* const counts = from.counts.data();
    in_pieces(places.size(), stop_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            Count* const row = cells + places[c] * width;
            for (std::uint32_t i = from.starts[c]; i < from.starts[c + 1]; ++i) {
                row[entries[i]] = static_cast<Count>(row[entries[i]] + counts[i]);
            }
        }
    });
}

template <class Count>
void Merger<Count>::sort_by_place(std::span<const std::uint32_t> places, std::size_t classes) {
    if (is_sorted_) return;
    std::uint32_t* const ends = ends_.require(arena_, classes + 1);
    std::uint32_t* const sorted = sorted_.require(arena_, places.size());
    std::fill_n(ends, classes + 1, 0U);
    for (const std::uint32_t place : places) ++ends[place + 1];
    for (std::size_t c = 0; c < classes; ++c) ends[c + 1] += ends[c];
    in_pieces(places.size(), stop_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) sorted[ends[places[i]]++] = static_cast<std::uint32_t>(i);
    });
    is_sorted_ = true;
}

// One class after the other: an entry that the class has seen already is added to where it stands.
template <class Count>
void Merger<Count>::to_sparse(const Histograms<Count>& from, std::span<const std::uint32_t> places,
                              std::size_t classes, const Attribute& attribute, Histograms<Count>& target) {
    sort_by_place(places, classes);
    target.dense = false;
    const std::size_t most = from.starts[places.size()];
    std::uint32_t* const starts = target.starts.require(arena_, classes + 1);
    Label* const entries = target.entries.require(arena_, most);
    Count* const counts = target.counts.require(arena_, most);
    if (seen_.size() < attribute.entries) seen_.resize(attribute.entries, 0);
    std::uint32_t size = 0;
    std::size_t next = 0;
    for (std::size_t c = 0; c < classes; ++c) {
        starts[c] = size;
        // Not the same again for long, so that nothing needs clearing from class to class.
        if (++round_ >> (64 - place_bits) != 0) {
            std::fill(seen_.begin(), seen_.end(), 0);
            round_ = 1;
        }
        const std::size_t end = ends_[c];
        for (; next < end; ++next) {
            if (next % merged_between_polls == 0) stop_.poll();
            const std::uint32_t source = sorted_[next];
            for (std::uint32_t i = from.starts[source]; i < from.starts[source + 1]; ++i) {
                const Label entry = from.entries[i];
                std::uint64_t& seen = seen_[entry];
                if (seen >> place_bits == round_) {
                    Count& count = counts[static_cast<std::uint32_t>(seen)];
                    if (!attribute.once) count = static_cast<Count>(count + from.counts[i]);
                } else {
                    seen = round_ << place_bits | size;
                    entries[size] = entry;
                    counts[size++] = from.counts[i];
                }
            }
        }
    }
    starts[classes] = size;
}

template struct Contents<1, std::uint16_t>;
template struct Contents<1, std::uint32_t>;
template struct Contents<1, std::uint64_t>;
template struct Contents<2, std::uint16_t>;
template struct Contents<2, std::uint32_t>;
template struct Contents<2, std::uint64_t>;
template struct Contents<4, std::uint16_t>;
template struct Contents<4, std::uint32_t>;
template struct Contents<4, std::uint64_t>;
template class Merger<std::uint16_t>;
template class Merger<std::uint32_t>;
template class Merger<std::uint64_t>;
using Places = std::span<const std::uint32_t>;
using Labels = std::span<const Label>;
template Histograms<std::uint16_t> count_entries(Places, std::size_t, Labels, std::span<const std::uint16_t>, const Attribute&, Arena&, const Stop&);
template Histograms<std::uint32_t> count_entries(Places, std::size_t, Labels, std::span<const std::uint32_t>, const Attribute&, Arena&, const Stop&);
template Histograms<std::uint64_t> count_entries(Places, std::size_t, Labels, std::span<const std::uint64_t>, const Attribute&, Arena&, const Stop&);

}  // namespace shoal
