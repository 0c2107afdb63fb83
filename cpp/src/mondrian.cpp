#include "shoal/mondrian.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "shoal/boxes.hpp"
#include "shoal/label_cuts.hpp"
#include "shoal/team.hpp"

namespace shoal {

namespace {

// Tuples of a part that is worth another thread.
constexpr std::size_t shared_part = 256;
// In how many ways a small part is cut, each also with a narrower first half, to take the best.
constexpr unsigned ways = 3;

// A cut of a part: a division, and another one of its first half, whose other tuples go to the second.
struct Choice {
    Division division;
    std::optional<Division> narrower;
    double score = -1;
};

// What a record is for the part that it may begin.
enum Begin : std::uint8_t { inside, released, failing };

template <class Lane>
class Divider {
public:
    Divider(const Tuples& tuples, std::span<const std::uint32_t> chosen, Cut cut, const PairCosts& costs,
            Records<Lane>& records, std::vector<std::uint8_t>& begins, PartQueue& queue,
            std::unique_ptr<GroupTests> tests, const Stop& stop)
        : tuples_(tuples),
          chosen_(chosen),
          cut_(cut),
          records_(records),
          begins_(begins),
          queue_(queue),
          tests_(std::move(tests)),
          stop_(stop),
          least_(std::max<std::uint64_t>(tests_->least_rows(), 1)),
          cuts_(tuples, cut, costs, records, least_, stop) {}

    void work() {
        while (const auto part = queue_.take()) {
            solve(*part);
            queue_.done();
        }
    }

private:
    void solve(Part part) {
        waiting_.assign(1, part);
        while (!waiting_.empty()) {
            stop_.poll();
            part = waiting_.back();
            waiting_.pop_back();
            const std::size_t middle = divide(part);
            if (middle == part.end) {
                begins_[part.begin] = part.passes ? released : failing;
                continue;
            }
            for (const Part half : {Part{part.begin, middle}, Part{middle, part.end}}) {
                if (half.size() >= shared_part) {
                    queue_.push(half);
                } else {
                    waiting_.push_back(half);
                }
            }
        }
    }

    // Cuts a part in two and gives the place of the second half, or the end where it stays one class.
    std::size_t divide(const Part& part) {
        rows_ = cuts_.begin(part);
        if (rows_ < 2 * least_) return part.end;
        return cut_ == Cut::relaxed ? divide_relaxed(part) : divide_by_labels(part);
    }

    std::size_t divide_by_labels(const Part& part) {
        const bool small = cut_ != Cut::median && rows_ <= small_part * least_;
        cuts_.list(part, small, ranking_);
        Choice best;
        std::size_t middle = part.end;
        bool in_place = false;
        for (unsigned left = small ? ways : 1; left > 0;) {
            const std::optional<Division> division = ranking_.take();
            if (!division) break;
            const std::size_t place = move_apart(part, *division);
            in_place = false;
            const bool passes = division->smaller >= least_ && halves_pass(part, place);
            if (passes && division->score > best.score) {
                best = {*division, std::nullopt, division->score};
                middle = place;
                in_place = true;
            }
            if (small) {
                const std::size_t narrower = narrow(part, place, best);
                if (narrower != place) {
                    best.division = *division;
                    middle = narrower;
                    in_place = true;
                }
            }
            if (passes || tests_->rows_only()) --left;
        }
        if (best.score < 0 || in_place) return middle;
        middle = move_apart(part, best.division);
        return best.narrower ? move_apart({part.begin, middle}, *best.narrower) : middle;
    }

    // Only tuples with some labels of one more column stay in the first half, if that is better than the best so far.
    std::size_t narrow(const Part& part, std::size_t middle, Choice& best) {
        cuts_.list_before(part, middle, narrower_);
        while (const std::optional<Division> division = narrower_.take()) {
            if (!(division->score > best.score)) break;
            const std::size_t place = move_apart({part.begin, middle}, *division);
            if (!halves_pass(part, place)) continue;
            best.narrower = *division;
            best.score = division->score;
            return place;
        }
        return middle;
    }

    // Cuts at the median of the first column that can be cut, the one that costs the most first. Tuples that are equal
    // there are told apart by the other columns, in the same order.
    std::size_t divide_relaxed(const Part& part) {
        const std::span<const Cost> costs = cuts_.cell_costs();
        std::vector<std::size_t> columns;
        for (std::size_t column = 0; column < costs.size(); ++column) {
            if (costs[column] > 0) columns.push_back(column);
        }
        const auto choices = [&](std::size_t column) { return tuples_.hierarchies.labels(column, 0); };
        std::sort(columns.begin(), columns.end(), [&](std::size_t a, std::size_t b) {
            if (costs[a] != costs[b]) return costs[a] > costs[b];
            return choices(a) != choices(b) ? choices(a) < choices(b) : tuples_.place[a] < tuples_.place[b];
        });
        for (std::size_t n = 0; n < columns.size(); ++n) {
            std::rotate(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(n),
                        columns.begin() + static_cast<std::ptrdiff_t>(n) + 1);
            const std::size_t middle = halve(part, columns);
            if (middle != part.end && halves_pass(part, middle)) return middle;
        }
        return part.end;
    }

    // Sorts the tuples by some columns, and cuts them where the halves are most alike.
    std::size_t halve(const Part& part, std::span<const std::size_t> columns) {
        order_.resize(part.size());
        std::iota(order_.begin(), order_.end(), part.begin);
        sort_in_pieces(order_.begin(), order_.end(), stop_, [&](std::size_t a, std::size_t b) {
            for (const std::size_t column : columns) {
                const Label of_a = records_.label(a, column), of_b = records_.label(b, column);
                if (of_a != of_b) return of_a < of_b;
            }
            return a < b;
        });
        std::uint64_t before = 0, nearest = rows_;
        std::size_t middle = part.size();
        for (std::size_t i = 0; i + 1 < order_.size(); ++i) {
            before += records_.rows[order_[i]];
            const std::uint64_t apart = before < rows_ - before ? rows_ - 2 * before : 2 * before - rows_;
            if (std::min(before, rows_ - before) < least_ || apart >= nearest) continue;
            nearest = apart;
            middle = i + 1;
        }
        if (middle == part.size()) return part.end;
        is_first_.assign(part.size(), 0);
        for (std::size_t i = 0; i < middle; ++i) is_first_[order_[i] - part.begin] = 1;
        return move_apart(part, [&](std::size_t i) { return is_first_[i - part.begin] != 0; });
    }

    bool halves_pass(const Part& part, std::size_t middle) {
        if (tests_->rows_only()) return true;
        group_.clear();
        for (std::size_t i = part.begin; i < part.end; ++i) group_.push_back(chosen_[records_.entry[i]]);
        const std::array<std::uint32_t, 3> starts{0, static_cast<std::uint32_t>(middle - part.begin),
                                                  static_cast<std::uint32_t>(part.size())};
        const std::span<const std::uint8_t> passes = tests_->run(group_, starts);
        return passes[0] != 0 && passes[1] != 0;
    }

    std::size_t move_apart(const Part& part, const Division& division) {
        return move_apart(part, [&](std::size_t i) {
            const Label found = records_.label(i, division.column);
            return found >= division.first && found <= division.last;
        });
    }
    // Both halves keep their order.
    template <class IsFirst>
    std::size_t move_apart(const Part& part, const IsFirst& is_first) {
        const std::size_t width = records_.width;
        moved_labels_.clear();
        moved_rows_.clear();
        moved_entries_.clear();
        stop_.poll();
        std::size_t middle = part.begin;
        for (std::size_t i = part.begin; i < part.end; ++i) {
            const Block<Lane>* const from = records_.labels.data() + i * width;
            if (is_first(i)) {
                std::copy_n(from, width, records_.labels.data() + middle * width);
                records_.rows[middle] = records_.rows[i];
                records_.entry[middle++] = records_.entry[i];
            } else {
                moved_labels_.insert(moved_labels_.end(), from, from + width);
                moved_rows_.push_back(records_.rows[i]);
                moved_entries_.push_back(records_.entry[i]);
            }
        }
        std::copy(moved_labels_.begin(), moved_labels_.end(), records_.labels.data() + middle * width);
        std::copy(moved_rows_.begin(), moved_rows_.end(), records_.rows.data() + middle);
        std::copy(moved_entries_.begin(), moved_entries_.end(), records_.entry.data() + middle);
        return middle;
    }

    const Tuples& tuples_;
    const std::span<const std::uint32_t> chosen_;
    const Cut cut_;
    Records<Lane>& records_;
    std::vector<std::uint8_t>& begins_;
    PartQueue& queue_;
    const std::unique_ptr<GroupTests> tests_;
    const Stop& stop_;
    const std::uint64_t least_;
    std::vector<Part> waiting_;

    LabelCuts<Lane> cuts_;
    Ranking ranking_, narrower_;
    std::uint64_t rows_ = 0;  // of the part at hand
    std::vector<std::size_t> order_;
    std::vector<std::uint8_t> is_first_;
    std::vector<std::uint32_t> group_;
    std::vector<Block<Lane>> moved_labels_;
    std::vector<std::uint64_t> moved_rows_;
    std::vector<std::uint32_t> moved_entries_;
};

// The parts whose tuples have the labels of the highest levels in common, in the order of these.
std::vector<Part> top_parts(const Tuples& tuples, std::span<const std::uint32_t> chosen,
                            std::vector<std::uint32_t>& order, const Stop& stop) {
    const Hierarchies& hierarchies = tuples.hierarchies;
    std::vector<std::size_t> rootless;
    for (std::size_t column = 0; column < tuples.columns(); ++column) {
        if (hierarchies.labels(column, hierarchies.levels(column) - 1) > 1) rootless.push_back(column);
    }
    if (rootless.empty()) return {{.begin = 0, .end = order.size()}};
    const auto top = [&](std::size_t column, std::uint32_t entry) {
        return hierarchies.step(column, 0, hierarchies.levels(column) - 1)[tuples.labels[column][chosen[entry]]];
    };
    const auto first_difference = [&](std::uint32_t a, std::uint32_t b) {
        return std::find_if(rootless.begin(), rootless.end(),
                            [&](std::size_t column) { return top(column, a) != top(column, b); });
    };
    sort_in_pieces(order.begin(), order.end(), stop, [&](std::uint32_t a, std::uint32_t b) {
        const auto column = first_difference(a, b);
        return column == rootless.end() ? a < b : top(*column, a) < top(*column, b);
    });
    std::vector<Part> parts;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || first_difference(order[i - 1], order[i]) != rootless.end()) parts.push_back({.begin = i, .end = i});
        parts.back().end = i + 1;
    }
    return parts;
}

template <class Lane>
TupleClasses divide_as(const Tuples& tuples, std::span<const std::uint32_t> chosen, Cut cut,
                       const MakeTests& make_tests, unsigned threads, const Stop& stop) {
    Records<Lane> records;
    records.width = (tuples.columns() + lanes - 1) / lanes;
    records.entry.resize(chosen.size());
    std::iota(records.entry.begin(), records.entry.end(), 0U);
    std::vector<Part> parts = top_parts(tuples, chosen, records.entry, stop);
    records.labels.resize(chosen.size() * records.width);
    records.rows.resize(chosen.size());
    std::vector<std::uint8_t> begins(chosen.size(), inside);
    std::vector<std::uint32_t> sorted(chosen.size());
    in_pieces(chosen.size(), stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            sorted[i] = chosen[records.entry[i]];
            records.rows[i] = tuples.rows[sorted[i]];
            for (std::size_t column = 0; column < tuples.columns(); ++column) {
                records.labels[i * records.width + column / lanes].lane[column % lanes] =
                    static_cast<Lane>(tuples.labels[column][sorted[i]]);
            }
        }
    });

    PartQueue queue;
    std::vector<std::uint32_t> starts;
    for (const Part& part : parts) starts.push_back(static_cast<std::uint32_t>(part.begin));
    starts.push_back(static_cast<std::uint32_t>(chosen.size()));
    const std::unique_ptr<GroupTests> tests = make_tests();
    const std::span<const std::uint8_t> passes = tests->run(sorted, starts);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        // What fails may be in halves that pass: people of both may count once here.
        parts[p].passes = passes[p] != 0;
        queue.push(parts[p]);
    }
    const PairCosts costs(tuples);
    run_team(
        chosen.size() < shared_part ? 1 : threads,
        [&](unsigned) { Divider<Lane>(tuples, chosen, cut, costs, records, begins, queue, make_tests(), stop).work(); },
        [&] { queue.abandon(); });

    TupleClasses result{std::vector<std::uint32_t>(chosen.size()), 0};
    std::uint32_t current = no_class;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (begins[i] != inside) current = begins[i] == released ? result.classes++ : no_class;
        result.class_of[records.entry[i]] = current;
    }
    return result;
}

}  // namespace

TupleClasses mondrian(const Tuples& tuples, std::span<const std::uint32_t> chosen, Cut cut, const MakeTests& make_tests,
                      unsigned threads, const Stop& stop) {
    if (chosen.empty()) return {};
    Label labels = 0;
    for (std::size_t column = 0; column < tuples.columns(); ++column) {
        labels = std::max(labels, tuples.hierarchies.labels(column, 0));
    }
    if (labels <= Label{std::numeric_limits<std::int16_t>::max()}) {
        return divide_as<std::int16_t>(tuples, chosen, cut, make_tests, threads, stop);
    }
    return divide_as<std::int32_t>(tuples, chosen, cut, make_tests, threads, stop);
}

}  // namespace shoal
