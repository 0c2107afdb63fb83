// The inner loops that gain from vector instructions, built once per instruction set from plain C++ and
// chosen at run time. The portable build is always there, and the tests compare the others with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace shoal {

// What one pass over the class sizes of a node tells.
struct Tally {
    std::uint64_t classes = 0;
    std::uint64_t squares = 0;          // sum of n^2 over all classes
    std::uint64_t failing_rows = 0;     // rows in classes that may not be released
    std::uint64_t failing_squares = 0;  // sum of n^2 over those classes
};

// A search asks for no more than its measure needs.
enum class Detail { rows, squares, all };

// Rows of `width` cells, one per class, of which some are looked at.
template <class Count>
struct Rows {
    const Count* cells;
    std::size_t width;
    const std::uint32_t* classes;
    std::size_t size;
    const double* people;  // per class
};

template <class Count>
struct Loops {
    // Classes smaller than k fail. Cells of 0 are no classes, so the same loop serves sparse and dense sets.
    Tally (*tally)(const Count* counts, std::size_t size, Count k, Detail detail);
    // Merge neighbouring slices of a dense array along one axis: slice `a` of `inner` cells is added to
    // slice step[a] of the target, for each of `outer` repeats.
    void (*merge)(const Count* source, Count* target, const std::uint32_t* step, std::size_t from, std::size_t to,
                  std::size_t inner, std::size_t outer);
    // Add rows of `width` cells to rows of the target: row i to row places[i].
    void (*add_rows)(const Count* rows, const std::uint32_t* places, std::size_t size, std::size_t width,
                     Count* target);
    // Of some rows of cells, whether each meets a condition.
    void (*occur)(const Rows<Count>& rows, std::size_t least, std::uint8_t* meets);
    void (*between)(const Rows<Count>& rows, const double* lower, const double* upper, std::uint8_t* meets);
    // The sum of what the cells of each, times `total`, have beyond totals times people; and its largest cell.
    void (*excess)(const Rows<Count>& rows, double total, const double* totals, double* excess);
    void (*largest)(const Rows<Count>& rows, Count* largest);
};

template <class Count>
const Loops<Count>& loops();

// Instruction sets of this build that this machine can run, best last; `use` fixes one for the tests.
std::vector<std::string_view> instruction_sets();
void use_instruction_set(std::string_view name);

}  // namespace shoal
