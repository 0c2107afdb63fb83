// What classes hold beside their rows: for each attribute (a sensitive column, the units, a population), how
// often each of its values occurs in each class. Roll-up merges the histograms of the classes that merge.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/buffer.hpp"
#include "shoal/key.hpp"
#include "shoal/stop.hpp"

namespace shoal {

// Of a row that has no value of an attribute: one of a population, say.
constexpr Label no_value = ~Label{0};

// An attribute as it is counted. Where units count and not rows, entries are pairs of a value and a unit, and each
// counts once in a class however often it occurs; otherwise entries are the values.
struct Attribute {
    Label entries = 0;
    Label values = 0;
    bool once = false;
    std::vector<Label> value_of;  // [entry], where entries are not the values

    // Cells of a class that has one per value; a few more let vectors end with it.
    std::size_t width() const noexcept {
        return values < 16 ? std::bit_ceil(std::size_t{values}) : (std::size_t{values} + 15) / 16 * 16;
    }
};

// The histograms of one attribute for all classes of a set. Where most values occur in most classes they are rows
// of cells; otherwise each class has a list of the entries that occur.
template <class Count>
struct Histograms {
    bool dense = false;
    std::size_t width = 0;
    Buffer<Count> cells;           // dense: [class * width + value]
    Buffer<std::uint32_t> starts;  // sparse: where the list of each class begins, and the end of all
    Buffer<Label> entries;
    Buffer<Count> counts;
};

template <int Words, class Count>
struct Contents {
    std::size_t classes = 0;
    // A dense frequency set has cells without a class: the key and the cell of each class. The classes of a sparse
    // set stand in its own order, and it does without these.
    bool listed = false;
    Buffer<Key<Words>> keys;
    Buffer<std::uint32_t> cells;
    std::vector<Histograms<Count>> histograms;

    Contents copy(Arena& arena) const;
};

// Of rows that stand sorted by their class: `class_of` is not decreasing. values[i] is the entry of row i of an
// attribute, counts[i] how much it adds.
template <class Count>
Histograms<Count> count_entries(std::span<const std::uint32_t> class_of, std::size_t classes,
                                std::span<const Label> entries, std::span<const Count> counts,
                                const Attribute& attribute, Arena& arena, const Stop& stop);

// Merges the histograms of classes for one thread; it owns the scratch memory that this takes.
template <class Count>
class Merger {
public:
    Merger(std::span<const Attribute> attributes, Arena& arena, const Stop& stop)
        : attributes_(attributes), arena_(arena), stop_(stop) {}

    // Class i of `from` goes to class places[i] of `target`, of which there are `classes`.
    void merge(std::span<const Histograms<Count>> from, std::span<const std::uint32_t> places, std::size_t classes,
               std::vector<Histograms<Count>>& target);

private:
    void to_dense(const Histograms<Count>& from, std::span<const std::uint32_t> places, std::size_t classes,
                  const Attribute& attribute, Histograms<Count>& target);
    void to_sparse(const Histograms<Count>& from, std::span<const std::uint32_t> places, std::size_t classes,
                   const Attribute& attribute, Histograms<Count>& target);
    void sort_by_place(std::span<const std::uint32_t> places, std::size_t classes);

    std::span<const Attribute> attributes_;
    Arena& arena_;
    const Stop& stop_;
    // Source classes sorted by the class they go to.
    Buffer<std::uint32_t> ends_;
    Buffer<std::uint32_t> sorted_;
    bool is_sorted_ = false;
    // Per entry: which class saw it last, by its number among all that were merged, and where it stands in that
    // class's list.
    std::vector<std::uint64_t> seen_;
    std::uint64_t round_ = 0;
};

}  // namespace shoal
