// Dividing a table from the top: a part is cut in two, and its parts again, as long as both may be released as classes.
// Where a part is cut is what dividers differ in (mondrian.cpp, bucket_cuts.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "shoal/boxes.hpp"
#include "shoal/part_queue.hpp"
#include "shoal/stop.hpp"
#include "shoal/team.hpp"
#include "shoal/tuple_classes.hpp"

namespace shoal {

// Tuples of a part that is worth another thread.
constexpr std::size_t shared_part = 256;

// What a record is for the part that it may begin.
enum Begin : std::uint8_t { inside, released, failing };

// What the members of a team share while they divide.
template <class Lane>
struct SharedRecords {
    const Tuples& tuples;
    const std::span<const std::uint32_t> chosen;  // [record's entry] its tuple
    Records<Lane> records;
    std::vector<std::uint8_t> begins;  // [record]
    PartQueue queue;
};

// For one thread.
template <class Lane>
class Divider {
public:
    Divider(SharedRecords<Lane>& shared, std::unique_ptr<GroupTests> tests, const Stop& stop)
        : tuples_(shared.tuples),
          chosen_(shared.chosen),
          records_(shared.records),
          tests_(std::move(tests)),
          stop_(stop),
          least_(std::max<std::uint64_t>(tests_->least_rows(), 1)),
          begins_(shared.begins),
          queue_(shared.queue) {}
    virtual ~Divider() = default;

    void work() {
        while (const auto part = queue_.take()) {
            solve(*part);
            queue_.done();
        }
    }

protected:
    // Cuts a part in two and returns where the second half begins, or the end where it stays one class.
    virtual std::size_t divide(const Part& part) = 0;

    bool halves_pass(const Part& part, std::size_t middle) {
        if (tests_->rows_only()) return true;
        group_.clear();
        for (std::size_t i = part.begin; i < part.end; ++i) group_.push_back(chosen_[records_.entry[i]]);
        const std::array<std::uint32_t, 3> starts{0, static_cast<std::uint32_t>(middle - part.begin),
                                                  static_cast<std::uint32_t>(part.size())};
        const std::span<const std::uint8_t> passes = tests_->run(group_, starts);
        return passes[0] != 0 && passes[1] != 0;
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
    Records<Lane>& records_;
    const std::unique_ptr<GroupTests> tests_;
    const Stop& stop_;
    const std::uint64_t least_;

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

    std::vector<std::uint8_t>& begins_;
    PartQueue& queue_;
    std::vector<Part> waiting_;
    std::vector<std::uint32_t> group_;
    std::vector<Block<Lane>> moved_labels_;
    std::vector<std::uint64_t> moved_rows_;
    std::vector<std::uint32_t> moved_entries_;
};

// The parts whose tuples have the labels of the highest levels in common, in the order of these, which a division begins
// with; `order` becomes the order of their tuples.
std::vector<Part> top_parts(const Tuples& tuples, std::span<const std::uint32_t> chosen,
                            std::vector<std::uint32_t>& order, const Stop& stop);

// Divides the chosen tuples. `make` makes the divider of a thread from what all share and its tests.
template <class Lane, class Make>
TupleClasses divide_tuples(const Tuples& tuples, std::span<const std::uint32_t> chosen, const MakeTests& make_tests,
                           unsigned threads, const Stop& stop, const Make& make) {
    SharedRecords<Lane> shared{tuples, chosen, {}, std::vector<std::uint8_t>(chosen.size(), inside), {}};
    Records<Lane>& records = shared.records;
    records.width = (tuples.columns() + lanes - 1) / lanes;
    records.entry.resize(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) records.entry[i] = static_cast<std::uint32_t>(i);
    std::vector<Part> parts = top_parts(tuples, chosen, records.entry, stop);
    records.labels.resize(chosen.size() * records.width);
    records.rows.resize(chosen.size());
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

    std::vector<std::uint32_t> starts;
    for (const Part& part : parts) starts.push_back(static_cast<std::uint32_t>(part.begin));
    starts.push_back(static_cast<std::uint32_t>(chosen.size()));
    const std::unique_ptr<GroupTests> tests = make_tests();
    const std::span<const std::uint8_t> passes = tests->run(sorted, starts);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        // What fails may be in halves that pass: people of both may count once here.
        parts[p].passes = passes[p] != 0;
        shared.queue.push(parts[p]);
    }
    run_team(
        chosen.size() < shared_part ? 1 : threads, [&](unsigned) { make(shared, make_tests())->work(); },
        [&] { shared.queue.abandon(); });

    TupleClasses result{std::vector<std::uint32_t>(chosen.size()), 0};
    std::uint32_t current = no_class;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (shared.begins[i] != inside) current = shared.begins[i] == released ? result.classes++ : no_class;
        result.class_of[records.entry[i]] = current;
    }
    return result;
}

// Whether 16 bits hold every label of the lowest levels.
inline bool has_short_labels(const Tuples& tuples) {
    Label labels = 0;
    for (std::size_t column = 0; column < tuples.columns(); ++column) {
        labels = std::max(labels, tuples.hierarchies.labels(column, 0));
    }
    return labels <= Label{std::numeric_limits<std::int16_t>::max()};
}

}  // namespace shoal
