// The kernel's face: a coded table with hierarchies, whatever key width and count width it needs inside.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "shoal/box_search.hpp"

namespace shoal {

struct ColumnInput {
    std::span<const Label> codes;               // per row, in leaf order
    std::vector<std::vector<Label>> maps;       // [level][code], level 0 the identity
    std::vector<unsigned> user_levels;          // the level that the user knows each one as
    unsigned height = 0;                        // of the whole hierarchy
};

struct Evaluation {
    std::uint64_t suppressed_rows = 0;
    std::uint64_t classes = 0;  // kept and suppressed ones
    double score = 0;
};

// Classes of a node: labels[class * columns + column] in the caller's column order, and row counts.
struct Classes {
    std::vector<Label> labels;
    std::vector<std::uint64_t> counts;
};

class CodedTable {
public:
    // `weights`, where not empty, says how many rows each given row stands for.
    static std::unique_ptr<CodedTable> make(const std::vector<ColumnInput>& columns, std::size_t rows,
                                            std::span<const std::uint64_t> weights);
    virtual ~CodedTable() = default;

    virtual std::uint64_t rows() const = 0;
    virtual std::size_t columns() const = 0;
    virtual std::size_t tuples() const = 0;
    virtual std::size_t nodes() const = 0;
    virtual SearchResult search(const Requirement& requirement, const Objective& objective,
                                const SearchOptions& options) = 0;
    // Nodes of the lattice by index, in the order of SearchResult::tags, as levels in the caller's column order.
    virtual std::vector<std::uint8_t> levels_of(std::span<const std::size_t> indices) const = 0;
    virtual std::vector<Evaluation> evaluate(const std::vector<std::vector<unsigned>>& nodes,
                                             const Requirement& requirement, const Objective& objective) = 0;
    // Roll F0 up along a path of nodes, and show the classes of the last.
    virtual Classes classes(const std::vector<std::vector<unsigned>>& path) = 0;
};

}  // namespace shoal
