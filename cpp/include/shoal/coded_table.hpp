// The kernel's face: a coded table with hierarchies, whatever key width and count width it needs inside.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "shoal/box_search.hpp"
#include "shoal/cheapest_classes.hpp"
#include "shoal/microaggregation.hpp"
#include "shoal/mondrian.hpp"

namespace shoal {

struct ColumnInput {
    std::span<const Label> codes;               // per row, in leaf order
    std::vector<std::vector<Label>> maps;       // [level][code], level 0 the identity
    std::vector<unsigned> user_levels;          // the level that the user knows each one as
    unsigned height = 0;                        // of the whole hierarchy
};

// Something that classes are asked about beside their rows.
struct AttributeInput {
    std::span<const Label> codes;            // an entry per row, or no_value
    std::span<const std::uint64_t> weights;  // what each row adds; as the table's rows do, where empty
    Attribute attribute;
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

// A node whose frequency set was computed.
class Checked {
public:
    virtual ~Checked() = default;
    // Is the set there, to roll up from? That of a satisfying node is not: all above it satisfies too.
    virtual bool kept() const = 0;

    bool satisfies = false;
    bool hopeless = false;  // no specialization satisfies either
    std::uint64_t suppressed_rows = 0;  // of a satisfying node; of others as many as were looked at
    std::uint64_t classes = 0;
    double bound = 0;  // no generalization scores less, if the objective has costs for all its levels
    double score = 0;  // of a satisfying node, if the objective has costs for all its levels
};

// Judges nodes one by one, for a search that decides itself where to go next. It works for one thread at a time, and
// others wait; the counters are read at any time.
class Checker {
public:
    virtual ~Checker() = default;

    // From `source`, a set at or below the node, from what it has seen itself, or from F0, as its options allow.
    // A source must be of the same table.
    virtual std::unique_ptr<Checked> check(const std::vector<unsigned>& node, const Checked* source, Stop stop) = 0;
    // Only make the set, to roll up from.
    virtual std::unique_ptr<Checked> prepare(const std::vector<unsigned>& node, const Checked* source, Stop stop) = 0;
    // Judge many nodes, each from the nearest set on the way to it; none is kept.
    virtual std::vector<Evaluation> evaluate(const std::vector<std::vector<unsigned>>& nodes, Stop stop) = 0;
    virtual Counters counters() const = 0;
};

struct CheckerOptions {
    bool project = false;                // scans of F0 only change what differs from the scan before
    bool rollup = false;                 // from the source given, or from the last failing node
    bool hand_out = false;               // keep the sets of failing nodes for the search to give as sources
    std::size_t snapshots = 0;           // sets in the history
    std::uint64_t snapshot_classes = 0;  // the most that a set in the history may have
    double kept_share = 0;               // no set is kept that takes a larger share of F0's bytes
    std::size_t memory = 0;              // no set is kept while all take more bytes than this
};

// It never changes, but for the memory that all work on it shares, which has a lock: any number of threads may search
// it, evaluate nodes and make checkers.
class CodedTable {
public:
    // `weights`, where not empty, says how many rows each given row stands for: 0 for one of a population.
    static std::unique_ptr<CodedTable> make(const std::vector<ColumnInput>& columns, std::size_t rows,
                                            std::span<const std::uint64_t> weights,
                                            const std::vector<AttributeInput>& attributes, const Stop& stop);
    virtual ~CodedTable() = default;

    virtual std::uint64_t rows() const = 0;
    virtual std::size_t columns() const = 0;
    virtual std::size_t tuples() const = 0;
    virtual std::size_t nodes() const = 0;
    virtual SearchResult search(const Requirement& requirement, const Objective& objective,
                                const SearchOptions& options) = 0;
    // Nodes of the lattice by index, as SearchResult has them, as levels in the caller's column order.
    virtual std::vector<std::uint8_t> levels_of(std::span<const std::size_t> indices) const = 0;
    virtual std::unique_ptr<Checker> checker(const Requirement& requirement, const Objective& objective,
                                             const CheckerOptions& options) = 0;
    // The most bytes that all sets took at one time since the last reset.
    virtual std::size_t peak_bytes() const = 0;
    virtual void reset_peak_bytes() = 0;
    // Roll F0 up along a path of nodes, and show the classes of the last. Without a path: the tuples of F0 in their
    // order, those that only a population has included.
    virtual Classes classes(const std::vector<std::vector<unsigned>>& path, const Stop& stop) = 0;
    // All tuples of F0 put into classes of other shapes. Of the requirement only what it asks of single classes
    // counts. costs[column][level][label] and ranges[column] in the caller's column order; no ranges are none.
    // Cuts keep the mix of buckets where nothing else passes: bucket_of[tuple], or empty.
    virtual TupleClasses divide(const Requirement& requirement, const CellCosts& costs,
                                const std::vector<RangeCosts>& ranges, Cut cut,
                                std::span<const std::uint32_t> bucket_of, unsigned threads, const Stop& stop) = 0;
    virtual CheapestClasses cheapest(const Requirement& requirement, const CellCosts& costs,
                                     const CheapestOptions& options, const Stop& stop) = 0;
    // By where tuples are in space: coordinates[coordinate][tuple].
    virtual TupleClasses aggregate(const Requirement& requirement,
                                   const std::vector<std::span<const double>>& coordinates,
                                   const AggregationOptions& options, const Stop& stop) = 0;
    // Of such classes, or any groups of tuples, which ones pass.
    virtual std::vector<bool> passing(const Requirement& requirement, std::span<const std::uint32_t> class_of,
                                      std::uint32_t classes, const Stop& stop) = 0;
};

}  // namespace shoal
