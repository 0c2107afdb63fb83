#include "shoal/refine_classes.hpp"

#include <algorithm>
#include <unordered_map>

#include "shoal/class_tree.hpp"

namespace shoal {

namespace {

struct Move {
    Cost gain;
    std::uint32_t tuple, from, into;
};

struct Dissolution {
    Cost gain;
    std::uint32_t number;
    std::vector<Move> moves;
};

struct Split {
    std::uint32_t from, into;  // no_class for a new one
    std::vector<std::uint32_t> tuples;
};

// What is proposed for some classes.
struct Proposals {
    std::vector<Move> moves;
    std::vector<Dissolution> dissolutions;
    std::vector<Split> splits;

    void add(Proposals&& other) {
        const auto move_all = [](auto& from, auto& to) {
            to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
        };
        move_all(other.moves, moves);
        move_all(other.dissolutions, dissolutions);
        move_all(other.splits, splits);
    }
};

// Classes by their labels.
class ClassesByLabels {
public:
    ClassesByLabels(const Tuples& tuples, const CellCoster& coster, const ClassSet& classes)
        : tuples_(tuples), coster_(coster), classes_(classes) {}

    std::uint32_t find(std::span<const Cell> cells) const {
        const auto [first, last] = by_hash_.equal_range(hash(cells));
        for (auto found = first; found != last; ++found) {
            if (equal(cells, classes_.cells(found->second))) return found->second;
        }
        return no_class;
    }
    void add(std::uint32_t number) { by_hash_.emplace(hash(classes_.cells(number)), number); }

private:
    std::uint64_t hash(std::span<const Cell> cells) const {
        std::uint64_t hash = 0;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const auto level = static_cast<unsigned>(cells[c].level);
            const bool has_label = level < tuples_.hierarchies.levels(c);
            const Label label = has_label ? tuples_.hierarchies.step(c, 0, level)[cells[c].label] : 0;
            hash = (hash ^ (hash >> 29) ^ (std::uint64_t{label} << 8 | level)) * 0x9e3779b97f4a7c15U;
        }
        return hash;
    }
    bool equal(std::span<const Cell> a, std::span<const Cell> b) const {
        for (std::size_t c = 0; c < a.size(); ++c) {
            if (a[c].level != b[c].level) return false;
            if (static_cast<std::int32_t>(coster_.common_level(c, a[c].label, b[c].label)) > a[c].level) return false;
        }
        return true;
    }

    const Tuples& tuples_;
    const CellCoster& coster_;
    const ClassSet& classes_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

class Refiner {
public:
    Refiner(ClassSet& classes, const Tuples& tuples, const CellCoster& coster, Changes changes,
            std::span<const std::unique_ptr<GroupTests>> tests, Workers& workers, const Stop& stop)
        : classes_(classes),
          tuples_(tuples),
          coster_(coster),
          changes_(changes),
          tests_(tests),
          workers_(workers),
          stop_(stop),
          by_rows_(tests[0]->rows_only()),
          least_rows_(std::max<std::uint64_t>(tests[0]->least_rows(), 1)) {}

    void run(std::vector<std::uint8_t> changed) {
        changed_ = std::move(changed);
        do {
            applied_ = 0;
            pass();
        } while (applied_ > 0);
    }

private:
    void pass() {
        ClassesByLabels by_labels(tuples_, coster_, classes_);
        merge_equal(by_labels);
        std::vector<std::uint32_t> all, changed;
        std::size_t tuples = 0;
        for (std::uint32_t number = 0; number < classes_.size(); ++number) {
            if (classes_.tuples(number).empty()) continue;
            all.push_back(number);
            if (changed_[number] == 0) continue;
            changed.push_back(number);
            tuples += classes_.tuples(number).size();
        }
        if (changed.empty()) return;
        // A class that changed may suit any tuple now, and its tuples any class; all else was tried before.
        const ClassTree everything(tuples_, coster_, classes_, all, tuples);
        const ClassTree news(tuples_, coster_, classes_, changed, tuples_.size());
        constexpr std::size_t piece = 128;
        std::vector<Proposals> pieces((all.size() + piece - 1) / piece);
        workers_.each(pieces.size(), [&](unsigned member, std::size_t i) {
            for (std::size_t j = i * piece; j < std::min((i + 1) * piece, all.size()); ++j) {
                stop_.poll();
                const bool is_new = changed_[all[j]] != 0;
                if (is_new) propose_splits(all[j], by_labels, *tests_[member], pieces[i]);
                propose(all[j], is_new ? everything : news, everything, *tests_[member], pieces[i]);
            }
        });
        Proposals proposals;
        for (Proposals& some : pieces) proposals.add(std::move(some));
        std::fill(changed_.begin(), changed_.end(), std::uint8_t{0});
        apply(proposals);
    }

    void merge_equal(ClassesByLabels& by_labels) {
        if (std::none_of(changed_.begin(), changed_.end(), [](std::uint8_t changed) { return changed != 0; })) return;
        for (std::uint32_t number = 0; number < classes_.size(); ++number) {
            if (number % 1024 == 0) stop_.poll();
            if (classes_.tuples(number).empty()) continue;
            const std::uint32_t same = by_labels.find(classes_.cells(number));
            if (same == no_class) {
                by_labels.add(number);
            } else if (takes(same, classes_.tuples(number), *tests_[0])) {
                classes_.merge(number, same);
                changed_[same] = 1;
            }
        }
    }

    void propose(std::uint32_t number, const ClassTree& targets, const ClassTree& everything, GroupTests& tests,
                 Proposals& proposals) const {
        const auto of = classes_.tuples(number);
        const bool finer = changes_ == Changes::finer;
        std::vector<Cost> without(of.size(), classes_.cost(number));
        if (!finer) classes_.costs_without(number, without);
        bool moves = false;
        for (std::size_t i = 0; i < of.size(); ++i) {
            if (!can_spare(number, of[i])) continue;
            const std::uint64_t others = classes_.rows(number) - tuples_.rows[of[i]];
            const Cost saved = classes_.total_cost(number) - static_cast<Cost>(others) * without[i];
            const auto target = place(of[i], number, saved, targets, tests);
            if (target.number == no_class || !stays(number, {&of[i], 1}, tests)) continue;
            proposals.moves.push_back({saved - target.growth, of[i], number, target.number});
            moves = true;
        }
        if (finer || moves || of.size() == 1) return;
        const auto has_new_place = [&](std::uint32_t tuple) {
            return place(tuple, number, classes_.total_cost(number), targets, tests).number != no_class;
        };
        if (&targets == &everything || std::any_of(of.begin(), of.end(), has_new_place)) {
            propose_dissolution(number, everything, tests, proposals);
        }
    }

    // If all tuples together find cheaper places, then some tuple does for its own share; and what those save is all that
    // the others may cost more.
    void propose_dissolution(std::uint32_t number, const ClassTree& everything, GroupTests& tests,
                             Proposals& proposals) const {
        Dissolution dissolution{0, number, {}};
        const auto look = [&](std::uint32_t tuple, const ClassTree& tree) {
            const Cost share = static_cast<Cost>(tuples_.rows[tuple]) * classes_.cost(number);
            const auto target = place(tuple, number, share + dissolution.gain, tree, tests);
            if (target.number == no_class) return false;
            dissolution.gain += share - target.growth;
            dissolution.moves.push_back({share - target.growth, tuple, number, target.number});
            return true;
        };
        std::vector<std::uint32_t> others;
        for (const std::uint32_t tuple : classes_.tuples(number)) {
            if (!look(tuple, everything)) others.push_back(tuple);
        }
        if (dissolution.moves.empty()) return;
        for (const std::uint32_t tuple : others) {
            if (!look(tuple, everything)) return;
        }
        if (dissolution.gain > 0) proposals.dissolutions.push_back(std::move(dissolution));
    }

    // Labels of a column that belong together are neighbours among the sorted tuples of a class, at every level.
    void propose_splits(std::uint32_t number, const ClassesByLabels& by_labels, GroupTests& tests,
                        Proposals& proposals) const {
        const auto of = classes_.tuples(number);
        std::vector<std::uint32_t> sorted(of.begin(), of.end());
        for (std::size_t c = 0; c < coster_.columns(); ++c) {
            const std::vector<Label>& labels = tuples_.labels[c];
            std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
                return labels[a] != labels[b] ? labels[a] < labels[b] : a < b;
            });
            for (auto level = static_cast<unsigned>(classes_.cells(number)[c].level); level-- > 0;) {
                for (std::size_t first = 0, end = 0; first < sorted.size(); first = end) {
                    std::uint64_t rows = 0;
                    const auto together = [&](std::uint32_t tuple) {
                        return coster_.common_level(c, labels[sorted[first]], labels[tuple]) <= level;
                    };
                    while (end < sorted.size() && together(sorted[end])) rows += tuples_.rows[sorted[end++]];
                    if (classes_.rows(number) - rows < least_rows_) continue;
                    const auto part = std::span(sorted).subspan(first, end - first);
                    Split split{number, no_class, {part.begin(), part.end()}};
                    split.into = by_labels.find(classes_.cells_of(split.tuples));
                    if (!helps(split, tests)) continue;
                    proposals.splits.push_back(std::move(split));
                    return;
                }
            }
        }
    }

    // Some of a class, but not all.
    bool helps(const Split& split, GroupTests& tests) const {
        const std::vector<std::uint32_t> rest = others(split.from, split.tuples);
        if (rest.empty() || !passes(rest, tests)) return false;
        const Cost apart = total_cost(split.tuples) + total_cost(rest);
        if (apart >= classes_.total_cost(split.from)) return false;
        if (split.into == no_class) return passes(split.tuples, tests);
        return takes(split.into, split.tuples, tests);
    }

    // The cheapest class that may take a tuple.
    ClassTree::Joined place(std::uint32_t tuple, std::uint32_t except, Cost limit, const ClassTree& tree,
                            GroupTests& tests) const {
        const bool finer = changes_ == Changes::finer;
        if (by_rows_) return finer ? tree.nearest<true>(tuple, except, limit) : tree.nearest<false>(tuple, except, limit);
        std::vector<ClassTree::Joined> found;
        if (finer) {
            tree.within<true>(tuple, except, limit, found);
        } else {
            tree.within<false>(tuple, except, limit, found);
        }
        for (const auto& joined : found) {
            if (takes(joined.number, {&tuple, 1}, tests)) return joined;
        }
        return {limit, no_class};
    }

    std::uint64_t rows_of(std::span<const std::uint32_t> tuples) const {
        std::uint64_t rows = 0;
        for (const std::uint32_t tuple : tuples) rows += tuples_.rows[tuple];
        return rows;
    }
    Cost total_cost(std::span<const std::uint32_t> tuples) const {
        return static_cast<Cost>(rows_of(tuples)) * classes_.cost_of(tuples);
    }
    std::vector<std::uint32_t> others(std::uint32_t number, std::span<const std::uint32_t> without) const {
        std::vector<std::uint32_t> gone(without.begin(), without.end());
        std::sort(gone.begin(), gone.end());
        std::vector<std::uint32_t> rest;
        for (const std::uint32_t tuple : classes_.tuples(number)) {
            if (!std::binary_search(gone.begin(), gone.end(), tuple)) rest.push_back(tuple);
        }
        return rest;
    }
    bool passes(std::span<const std::uint32_t> tuples, GroupTests& tests) const {
        return by_rows_ ? rows_of(tuples) >= least_rows_ : tests.passes(tuples);
    }
    bool takes(std::uint32_t number, std::span<const std::uint32_t> more, GroupTests& tests) const {
        if (by_rows_) return true;
        const auto of = classes_.tuples(number);
        std::vector<std::uint32_t> joined(of.begin(), of.end());
        joined.insert(joined.end(), more.begin(), more.end());
        return tests.passes(joined);
    }
    bool can_spare(std::uint32_t number, std::uint32_t tuple) const {
        return classes_.tuples(number).size() == 1 || classes_.rows(number) - tuples_.rows[tuple] >= least_rows_;
    }
    bool stays(std::uint32_t number, std::span<const std::uint32_t> without, GroupTests& tests) const {
        return by_rows_ || classes_.tuples(number).size() == without.size() || tests.passes(others(number, without));
    }

    // The best first. Classes may have changed since a change was proposed; what does not help any more is looked at again.
    void apply(Proposals& proposals) {
        for (const Split& split : proposals.splits) {
            changed_[split.from] = 1;
            if (split.into == no_class || !classes_.tuples(split.into).empty()) apply(split);
        }
        std::sort(proposals.moves.begin(), proposals.moves.end(), [](const Move& a, const Move& b) {
            return a.gain != b.gain ? a.gain > b.gain : a.tuple < b.tuple;
        });
        for (const Move& move : proposals.moves) {
            changed_[move.from] = 1;
            apply(move);
        }
        auto& dissolutions = proposals.dissolutions;
        std::sort(dissolutions.begin(), dissolutions.end(), [](const Dissolution& a, const Dissolution& b) {
            return a.gain != b.gain ? a.gain > b.gain : a.number < b.number;
        });
        for (const Dissolution& dissolution : dissolutions) apply(dissolution);
    }

    void apply(const Split& split) {
        const auto has_left = [&](std::uint32_t tuple) { return classes_.class_of(tuple) != split.from; };
        if (std::any_of(split.tuples.begin(), split.tuples.end(), has_left) || !helps(split, *tests_[0])) return;
        const std::vector<std::uint32_t> rest = others(split.from, split.tuples);
        classes_.clear(split.from);
        classes_.refill(split.from, rest);
        if (split.into == no_class) {
            classes_.add(split.tuples);
            changed_.push_back(1);
        } else {
            for (const std::uint32_t tuple : split.tuples) classes_.join(split.into, tuple);
            changed_[split.into] = 1;
        }
        ++applied_;
    }

    void apply(const Move& move) {
        if (classes_.class_of(move.tuple) != move.from || classes_.tuples(move.into).empty()) return;
        if (!can_spare(move.from, move.tuple)) return;
        const std::vector<std::uint32_t> rest = others(move.from, {&move.tuple, 1});
        const Cost left = rest.empty() ? 0 : total_cost(rest);
        if (classes_.total_cost(move.from) - left <= classes_.growth(move.into, move.tuple)) return;
        if (changes_ == Changes::finer && !classes_.covers(move.into, move.tuple)) return;
        if (!takes(move.into, {&move.tuple, 1}, *tests_[0]) || !stays(move.from, {&move.tuple, 1}, *tests_[0])) return;
        classes_.leave(move.tuple);
        classes_.join(move.into, move.tuple);
        changed_[move.into] = 1;
        ++applied_;
    }

    void apply(const Dissolution& dissolution) {
        const std::uint32_t number = dissolution.number;
        bool same = classes_.tuples(number).size() == dissolution.moves.size();
        for (const Move& move : dissolution.moves) {
            same = same && classes_.class_of(move.tuple) == number && !classes_.tuples(move.into).empty();
        }
        if (changed_[number] != 0 || !same) {
            changed_[number] = 1;
            return;
        }
        const Cost total = classes_.total_cost(number);
        const std::vector<std::uint32_t> tuples(classes_.tuples(number).begin(), classes_.tuples(number).end());
        std::vector<ClassSet::Saved> before;
        Cost growth = 0;
        for (const Move& move : dissolution.moves) {
            const auto known = [&](const ClassSet::Saved& saved) { return saved.number == move.into; };
            if (std::none_of(before.begin(), before.end(), known)) before.push_back(classes_.saved(move.into));
            growth += classes_.growth(move.into, move.tuple);
            classes_.join(move.into, move.tuple);
        }
        bool good = growth < total;
        for (const auto& saved : before) {
            good = good && (by_rows_ || tests_[0]->passes(classes_.tuples(saved.number)));
        }
        if (good) {
            classes_.forget(number);
            for (const auto& saved : before) changed_[saved.number] = 1;
            ++applied_;
            return;
        }
        for (const auto& saved : before) classes_.restore(saved, number);
        // As it failed now, it fails again while its targets are the same.
        for (const auto& saved : before) changed_[number] |= changed_[saved.number];
    }

    ClassSet& classes_;
    const Tuples& tuples_;
    const CellCoster& coster_;
    const Changes changes_;
    const std::span<const std::unique_ptr<GroupTests>> tests_;
    Workers& workers_;
    const Stop& stop_;
    const bool by_rows_;
    const std::uint64_t least_rows_;
    std::vector<std::uint8_t> changed_;
    std::size_t applied_ = 0;
};

}  // namespace

void refine_classes(ClassSet& classes, const Tuples& tuples, const CellCoster& coster, Changes changes,
                    std::vector<std::uint8_t> changed, std::span<const std::unique_ptr<GroupTests>> tests,
                    Workers& workers, const Stop& stop) {
    Refiner(classes, tuples, coster, changes, tests, workers, stop).run(std::move(changed));
}

}  // namespace shoal
