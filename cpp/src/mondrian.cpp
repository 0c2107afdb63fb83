#include "shoal/mondrian.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "shoal/divider.hpp"
#include "shoal/halving_cuts.hpp"
#include "shoal/label_cuts.hpp"

namespace shoal {

namespace {

// In how many ways a small part is cut, each also with a narrower first half, to take the best.
constexpr unsigned ways = 3;

// A cut of a part: a division, and another one of its first half, whose other tuples go to the second.
struct Choice {
    Division division;
    std::optional<Division> narrower;
    double score = -1;
};

template <class Lane>
class MondrianDivider final : public Divider<Lane> {
public:
    MondrianDivider(SharedRecords<Lane>& shared, Cut cut, std::span<const std::uint32_t> bucket_of,
                    const PairCosts& costs, std::unique_ptr<GroupTests> tests, const Stop& stop)
        : Divider<Lane>(shared, std::move(tests), stop),
          cut_(cut),
          cuts_(shared.tuples, cut, costs, shared.records, least_, stop),
          halving_(shared.tuples, shared.chosen, shared.records, bucket_of, least_, stop) {}

private:
    using Divider<Lane>::tuples_;
    using Divider<Lane>::records_;
    using Divider<Lane>::tests_;
    using Divider<Lane>::stop_;
    using Divider<Lane>::least_;
    using Divider<Lane>::halves_pass;
    using Divider<Lane>::move_apart;

    std::size_t divide(const Part& part) override {
        std::size_t middle = part.end;
        if (cut_ == Cut::even) {
            middle = first_passing(part, halving_.by_labels(part));
        } else if (cut_ != Cut::buckets) {
            rows_ = cuts_.begin(part);
            if (rows_ < 2 * least_) return part.end;
            middle = cut_ == Cut::relaxed ? divide_relaxed(part) : divide_by_labels(part);
        }
        return middle == part.end && halving_.has_buckets() ? first_passing(part, halving_.by_buckets(part)) : middle;
    }

    std::size_t first_passing(const Part& part, std::span<const HalvingCut> cuts) {
        for (const HalvingCut& cut : cuts) {
            const std::size_t middle = move_apart(part, [&](std::size_t i) { return halving_.is_first(cut, i); });
            if (halves_pass(part, middle)) return middle;
        }
        return part.end;
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

    std::size_t move_apart(const Part& part, const Division& division) {
        return move_apart(part, [&](std::size_t i) {
            const Label found = records_.label(i, division.column);
            return found >= division.first && found <= division.last;
        });
    }

    const Cut cut_;
    LabelCuts<Lane> cuts_;
    HalvingCuts<Lane> halving_;
    Ranking ranking_, narrower_;
    std::uint64_t rows_ = 0;  // of the part at hand
    std::vector<std::size_t> order_;
    std::vector<std::uint8_t> is_first_;
};

template <class Lane>
TupleClasses divide_as(const Tuples& tuples, std::span<const std::uint32_t> chosen, Cut cut,
                       std::span<const std::uint32_t> bucket_of, const MakeTests& make_tests, unsigned threads,
                       const Stop& stop) {
    const PairCosts costs(tuples);
    return divide_tuples<Lane>(tuples, chosen, make_tests, threads, stop,
                               [&](SharedRecords<Lane>& shared, std::unique_ptr<GroupTests> tests) {
                                   return std::make_unique<MondrianDivider<Lane>>(shared, cut, bucket_of, costs,
                                                                                  std::move(tests), stop);
                               });
}

}  // namespace

TupleClasses mondrian(const Tuples& tuples, std::span<const std::uint32_t> chosen, Cut cut,
                      std::span<const std::uint32_t> bucket_of, const MakeTests& make_tests, unsigned threads,
                      const Stop& stop) {
    if (chosen.empty()) return {};
    return has_short_labels(tuples)
               ? divide_as<std::int16_t>(tuples, chosen, cut, bucket_of, make_tests, threads, stop)
               : divide_as<std::int32_t>(tuples, chosen, cut, bucket_of, make_tests, threads, stop);
}

}  // namespace shoal
