// The rows of a table as bitmaps, one for each label of each level of each column, and the classes of nodes
// made from them: a class is the AND of one label per column, a generalization the OR of its parts.
//
// The rows are sorted, so that the rows of a class are near each other, and the sets that come up on the way are
// sparse: see BitmapLoops::split. Which combinations of labels occur is read off the rows: the first row that
// is not yet in a class names the labels of the next one, so no AND comes out empty.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "shoal/bitmap.hpp"
#include "shoal/hierarchies.hpp"
#include "shoal/stop.hpp"

namespace shoal {

struct BitmapColumn {
    std::span<const Label> codes;          // per row, in leaf order
    std::vector<std::vector<Label>> maps;  // [level][code], level 0 the identity
};

// What a node is judged by, and how.
struct BitmapRule {
    std::uint64_t k = 1;
    std::uint64_t limit = 0;
    bool pruning = true;  // stop when more than `limit` rows are in classes of fewer than k
};

struct BitmapTally {
    std::uint64_t failing_rows = 0;  // so far, where cut short
    std::uint64_t classes = 0;       // counted; classes that are sure to fail may be counted together
    std::uint64_t operations = 0;    // AND, OR and AND NOT of bitmaps
    std::uint64_t words = 0;         // read for them
    bool cut = false;                // ended early, since the node fails
};

// The classes of a node with the rows of each, as sparse sets. After a cut they are incomplete, and of no use.
struct ClassBitmaps {
    std::vector<unsigned> columns;  // ascending
    std::vector<unsigned> levels;
    std::vector<Label> labels;        // [class * columns + position]
    std::vector<std::size_t> ends;    // the blocks of a class end here, those of the next one begin
    std::vector<std::uint32_t> places;
    std::vector<Block> blocks;

    std::size_t classes() const noexcept { return ends.size(); }
    std::size_t bytes() const noexcept;
};

struct CountedClasses {
    BitmapTally tally;
    ClassBitmaps classes;
};

// The bitmaps never change. Judging and making classes share work space: that goes for one thread at a time, and
// others wait.
class BitmapTable {
public:
    BitmapTable(const std::vector<BitmapColumn>& columns, std::size_t rows, const Stop& stop);

    std::size_t rows() const noexcept { return rows_; }
    std::size_t bytes() const noexcept;
    // The rows of a label, as a dense bitmap over the sorted rows.
    std::span<const Block> bitmap(unsigned column, unsigned level, Label label) const;

    // Judge a node from the bitmaps of single columns. With `reusing`, the sets of rows that share the labels of
    // the first columns are kept while they are split by the next, so a class costs one AND; otherwise each
    // class is made from the bitmaps of all its labels.
    BitmapTally count(std::span<const unsigned> columns, std::span<const unsigned> levels, const BitmapRule& rule,
                      bool reusing, const Stop& stop);

    // All rows in one class, at the node of no columns.
    ClassBitmaps everything() const;
    // AND: the classes of a node with one more column.
    CountedClasses extend(const ClassBitmaps& source, unsigned column, unsigned level, const BitmapRule& rule,
                          const Stop& stop);
    // OR: the classes of a generalization.
    CountedClasses generalize(const ClassBitmaps& source, std::span<const unsigned> levels, const BitmapRule& rule,
                              const Stop& stop);

private:
    // A column at a level.
    struct Axis {
        const Label* codes;  // of the sorted rows
        const Label* map;    // from them to labels
        const Block* first;  // bitmap of label 0; the others follow
    };
    struct Sparse {
        std::vector<Block> blocks;
        std::vector<std::uint32_t> places;
    };

    Axis axis(unsigned column, unsigned level) const;
    std::vector<Axis> axes(std::span<const unsigned> columns, std::span<const unsigned> levels) const;
    const Block* bitmap_of(const Axis& axis, std::size_t row) const noexcept {
        return axis.first + axis.map[axis.codes[row]] * blocks_;
    }
    std::size_t fill_with_all_rows(Sparse& set) const;
    void check_node(std::span<const unsigned> columns, std::span<const unsigned> levels) const;
    void walk(std::span<const Axis> path, std::size_t depth, Extent prefix, const BitmapRule& rule,
              BitmapTally& tally, const Stop& stop);
    void count_one_by_one(std::span<const Axis> path, const BitmapRule& rule, BitmapTally& tally, const Stop& stop);

    std::size_t rows_;
    std::size_t blocks_;  // of a bitmap of all rows
    Hierarchies hierarchies_;
    std::vector<unsigned> order_;  // of the columns that the rows are sorted by, few labels first
    std::vector<std::vector<Label>> codes_;              // [column][sorted row]
    std::vector<std::vector<std::vector<Block>>> bitmaps_;  // [column][level], label after label
    std::mutex mutex_;                                   // for the work space
    std::vector<Sparse> prefixes_;                       // work space, by depth
};

}  // namespace shoal
