// What a release must satisfy, as data: a least class size, conditions on what classes hold, and how many rows may
// be suppressed. src/shoal/privacy/condition.py says what the conditions mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "shoal/histograms.hpp"
#include "shoal/loops.hpp"
#include "shoal/stop.hpp"

namespace shoal {

enum class ConditionKind : std::uint8_t {
    distinct,
    cover,
    entropy,
    recursive,
    shares,
    equal,
    ordered,
    tree,
    population
};

struct Condition {
    ConditionKind kind = ConditionKind::distinct;
    std::size_t attribute = 0;
    bool absorbing = false;  // a class that meets it still does after merging with any other
    std::uint64_t least = 0;
    double bound = 0;
    std::vector<double> lower;   // per value
    std::vector<double> upper;
    std::vector<double> totals;  // of each value in the whole table
    double total = 0;            // their sum
    double people = 0;           // rows or units of the whole table
    std::vector<Label> order;    // the values, first to last
    // [level from 1 on][label one level below, or value] = label. Codes are in leaf order, so these never fall.
    std::vector<std::vector<Label>> tree;
    // Made from these: the place of each value in the order, the totals up to each place, and the sums of those
    // before each place; the totals of labels, by level.
    std::vector<Label> place;
    std::vector<double> cumulated;
    std::vector<double> sums;
    std::vector<std::vector<double>> label_totals;
    void prepare();
};

struct Requirement {
    std::uint64_t k = 1;
    std::uint64_t limit = 0;  // rows that may be suppressed
    std::vector<Condition> conditions;
    // The most that released classes per unit may be; the smallest classes are suppressed until it holds.
    double average_risk = std::numeric_limits<double>::infinity();
    // The attribute that counts units, where these count and not rows.
    static constexpr std::size_t no_units = ~std::size_t{0};
    std::size_t units = no_units;
    // A class that no row has can fail too, and then the node does.
    bool judges_empty = false;

    bool sizes_only() const noexcept {
        return conditions.empty() && average_risk == std::numeric_limits<double>::infinity();
    }
    // Once a node satisfies, so do all its generalizations. Without suppression every condition allows that where
    // counts add up, but not those of units: a unit in two classes counts once after they merge.
    bool monotone() const noexcept {
        if (limit == 0 && units == no_units) return true;
        if (average_risk != std::numeric_limits<double>::infinity()) return false;
        for (const Condition& condition : conditions) {
            if (!condition.absorbing) return false;
        }
        return true;
    }
};

// Tests the classes of a node by conditions, for one thread.
template <class Count>
class ClassTests {
public:
    ClassTests(const Requirement& requirement, std::span<const Attribute> attributes, const Stop& stop);

    // `sizes[class]` are rows. Afterwards `fails()[class]` says which classes may not be released.
    struct Verdict {
        std::uint64_t failing_rows = 0;
        bool satisfied = false;
        bool hopeless = false;  // no specialization of the node satisfies either
    };
    // It stops as soon as it is certain that the node fails, unless the limit is all rows.
    Verdict run(std::span<const Count> sizes, std::span<const Histograms<Count>> histograms);
    std::span<const std::uint8_t> fails() const noexcept { return fails_; }
    // The rows that are not of the most frequent value of their class, in all classes and in failing ones.
    struct Minority {
        std::uint64_t rows = 0;
        std::uint64_t failing_majority = 0;
    };
    Minority minority(std::span<const Count> sizes, const Histograms<Count>& histograms, std::size_t attribute,
                      bool after_run) const;

private:
    // The values of one class with their counts: all values, or those that occur.
    struct Row {
        const Label* values;  // null for all
        const Count* counts;
        std::size_t size;
        double people;  // rows or units of the class
        double sum;     // of the counts: more than the people where these have several values
    };
    void test(const Condition& condition, const Histograms<Count>& histograms, std::span<const std::uint32_t> classes);
    void test_recursive(const Condition& condition, const Histograms<Count>& histograms, const Rows<Count>& rows);
    void test_distance(const Condition& condition, const Histograms<Count>& histograms, const Rows<Count>& rows);
    bool meets(const Condition& condition, const Row& row);
    double beyond_largest(const Condition& condition, const Row& row);
    double entropy_terms(const Row& row) const;
    double worst_entropy_terms(const Row& row);
    double distance(const Condition& condition, const Row& row);
    double in_order(const Condition& condition, const Row& row);
    double by_steps(const Condition& condition, const Row& row);
    double in_tree(const Condition& condition, const Row& row);
    double by_labels(const Condition& condition, const Row& row);
    Row row_of(const Histograms<Count>& histograms, const Attribute& attribute, std::size_t c);
    std::uint64_t fail_smallest(std::span<const Count> sizes);
    double entropy_term(std::uint64_t n) const;

    Requirement requirement_;
    std::vector<std::size_t> order_;  // of the conditions: absorbing ones first
    std::span<const Attribute> attributes_;
    const Stop& stop_;
    std::vector<std::uint8_t> fails_;
    std::vector<double> people_;  // per class: rows, or units where these count
    std::vector<std::uint32_t> left_;  // classes that met every condition so far
    std::vector<std::uint8_t> meets_;  // the condition at hand, for each class of a block
    std::vector<double> excess_;
    // Scratch, zero between uses: counts per value, and a list of values that occur.
    std::vector<Count> cells_;
    std::vector<Label> values_;
    std::vector<Count> counts_;
    std::vector<Count> largest_;
    std::vector<double> extra_;  // per label of the level at hand
    std::vector<std::pair<Label, double>> placed_;  // values that occur, by place
    struct Touched {
        Label label;
        double count;
        double positive;  // of what its children have beyond the table
    };
    std::vector<Touched> touched_;
    std::vector<double> logs_;  // n ln n for small n
};

}  // namespace shoal
