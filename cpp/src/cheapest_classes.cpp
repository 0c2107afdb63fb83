#include "shoal/cheapest_classes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "shoal/cheapest_first.hpp"
#include "shoal/class_tree.hpp"
#include "shoal/refine_classes.hpp"

namespace shoal {

namespace {

// Finds classes for the tuples that are left.
class LeftOver {
public:
    LeftOver(const Tuples& tuples, const CellCoster& coster, ClassSet& classes, GroupTests& tests,
             std::uint64_t suppressible, const Stop& stop)
        : tuples_(tuples), coster_(coster), classes_(classes), tests_(tests), suppressible_(suppressible), stop_(stop) {}

    // Afterwards `changed` says which classes have more tuples, or are new.
    void run(std::vector<std::uint32_t> left, std::vector<std::uint8_t>& changed) {
        if (left.empty()) return;
        std::vector<std::uint32_t> numbers(classes_.size());
        std::iota(numbers.begin(), numbers.end(), 0U);
        const ClassTree tree(tuples_, coster_, classes_, numbers, left.size());
        std::vector<std::uint32_t> alone;
        for (const std::uint32_t tuple : left) {
            stop_.poll();
            if (!join(tuple, tree) && !suppress({&tuple, 1}, no_limit)) alone.push_back(tuple);
        }
        if (!alone.empty()) gather(alone);
        changed.resize(classes_.size());
        for (const std::uint32_t tuple : left) {
            if (classes_.class_of(tuple) != no_class) changed[classes_.class_of(tuple)] = 1;
        }
    }

private:
    static constexpr Cost no_limit = Cost{1} << 62;
    // Each is tested, so not all classes of a large table are tried.
    static constexpr std::size_t most_tries = 64;

    // The class that grows least of those that may take it, unless it costs less to suppress the tuple.
    bool join(std::uint32_t tuple, const ClassTree& tree) {
        std::uint32_t number = no_class;
        if (tests_.rows_only()) {
            number = tree.nearest<false>(tuple, no_class, no_limit).number;
        } else {
            number = first_that_takes(tuple, tree);
        }
        if (number == no_class || suppress({&tuple, 1}, classes_.growth(number, tuple))) return number != no_class;
        classes_.join(number, tuple);
        return true;
    }

    std::uint32_t first_that_takes(std::uint32_t tuple, const ClassTree& tree) {
        // Classes within twice the growth of the nearest, then within twice of that, until there are enough.
        std::vector<ClassTree::Joined> near;
        Cost limit = tree.nearest<false>(tuple, no_class, no_limit).growth;
        for (std::size_t before = 0; limit < no_limit && near.size() < most_tries;) {
            limit = 2 * limit + 1;
            tree.within<false>(tuple, no_class, limit, near);
            if (near.size() == classes_.size() || (before > 0 && near.size() == before && limit > no_limit / 4)) break;
            before = near.size();
        }
        near.resize(std::min(near.size(), most_tries));
        for (const auto& joined : near) {
            const auto of = classes_.tuples(joined.number);
            std::vector<std::uint32_t> tuples(of.begin(), of.end());
            tuples.push_back(tuple);
            if (tests_.passes(tuples)) return joined.number;
        }
        return no_class;
    }

    // Where they may be, and that costs less.
    bool suppress(std::span<const std::uint32_t> tuples, Cost otherwise) {
        std::uint64_t rows = 0;
        for (const std::uint32_t tuple : tuples) rows += tuples_.rows[tuple];
        if (rows > suppressible_ || static_cast<Cost>(rows) * full_cost >= otherwise) return false;
        suppressible_ -= rows;
        return true;
    }

    // One class of all, with as many other classes as it takes, those first that cost the least.
    void gather(const std::vector<std::uint32_t>& tuples) {
        const std::uint32_t number = classes_.add(tuples);
        for (std::size_t merged = 0, next_test = 0;; ++merged) {
            stop_.poll();
            const std::uint32_t nearest = nearest_class(number);
            if (merged >= next_test || nearest == no_class) {
                if (classes_.cost(number) < no_label && tests_.passes(classes_.tuples(number))) return;
                next_test = merged + merged / 4 + 1;
            }
            if (nearest == no_class) break;
            classes_.merge(nearest, number);
        }
        // Not even all tuples together may be released.
        classes_.clear(number);
    }

    std::uint32_t nearest_class(std::uint32_t number) const {
        std::uint32_t nearest = no_class;
        Cost least = std::numeric_limits<Cost>::max();
        for (std::uint32_t other = 0; other < classes_.size(); ++other) {
            if (other == number || classes_.tuples(other).empty()) continue;
            const auto rows = static_cast<Cost>(classes_.rows(number) + classes_.rows(other));
            const Cost growth = rows * classes_.cost_together(number, other) - classes_.total_cost(other);
            if (growth < least) {
                least = growth;
                nearest = other;
            }
        }
        return nearest;
    }

    const Tuples& tuples_;
    const CellCoster& coster_;
    ClassSet& classes_;
    GroupTests& tests_;
    std::uint64_t suppressible_;
    const Stop& stop_;
};

std::vector<std::uint32_t> without_class(const Tuples& tuples, const ClassSet& classes) {
    std::vector<std::uint32_t> left;
    for (std::uint32_t tuple = 0; tuple < tuples.size(); ++tuple) {
        // What only a population has is in no row, so no class has to grow for it.
        if (classes.class_of(tuple) == no_class && tuples.rows[tuple] > 0) left.push_back(tuple);
    }
    return left;
}

void add_groups(const TupleClasses& found, std::span<const std::uint32_t> chosen, ClassSet& classes) {
    std::vector<std::vector<std::uint32_t>> groups(found.classes);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (found.class_of[i] != no_class) groups[found.class_of[i]].push_back(chosen[i]);
    }
    for (const auto& group : groups) classes.add(group);
}

CheapestClasses numbered(const Tuples& tuples, const ClassSet& classes) {
    CheapestClasses result;
    std::vector<std::uint32_t> number(classes.size());
    for (std::uint32_t i = 0; i < classes.size(); ++i) {
        if (classes.tuples(i).empty()) continue;
        number[i] = result.classes++;
        result.cost += classes.total_cost(i);
    }
    result.class_of.reserve(tuples.size());
    for (std::uint32_t tuple = 0; tuple < tuples.size(); ++tuple) {
        const std::uint32_t of = classes.class_of(tuple);
        result.class_of.push_back(of == no_class ? no_class : number[of]);
        if (of == no_class) result.cost += static_cast<Cost>(tuples.rows[tuple]) * full_cost;
    }
    return result;
}

}  // namespace

CheapestClasses cheapest_classes(const Tuples& tuples, const MakeTests& make_tests, const CheapestOptions& options,
                                 const Stop& stop) {
    const CellCoster coster(tuples);
    Workers workers(options.threads);
    std::vector<std::unique_ptr<GroupTests>> tests;
    for (unsigned member = 0; member < workers.size(); ++member) tests.push_back(make_tests());

    ClassSet classes(tuples, coster);
    const auto first =
        cheapest_first(tuples, coster, options.most_hashes, options.most_cost, tests, workers, stop);
    if (!first) return {{std::vector(tuples.size(), no_class), 0}, std::numeric_limits<Cost>::max()};
    for (std::size_t group = 0; group < first->size(); ++group) classes.add((*first)[group]);
    const bool stopped = options.most_hashes < std::numeric_limits<std::uint64_t>::max();
    std::vector<std::uint32_t> left = without_class(tuples, classes);
    if (stopped && !left.empty()) {
        add_groups(mondrian(tuples, left, Cut::peel, {}, make_tests, options.threads, stop), left, classes);
        left = without_class(tuples, classes);
    }
    const Changes changes = options.effort == 0 ? Changes::finer : Changes::cheaper;
    // A class has all tuples that its labels cover, but those of cheaper classes. So none of these becomes finer, unless
    // larger classes may be released less.
    const bool are_fine = tests[0]->rows_only() && !stopped && changes == Changes::finer;
    std::vector<std::uint8_t> changed(classes.size(), are_fine ? 0 : 1);
    LeftOver(tuples, coster, classes, *tests[0], options.suppressible, stop).run(left, changed);
    refine_classes(classes, tuples, coster, changes, std::move(changed), tests, workers, stop);
    return numbered(tuples, classes);
}

}  // namespace shoal
