#include "shoal/mondrian.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>

#include "shoal/team.hpp"

namespace shoal {

namespace {

// Columns that are compared at once.
constexpr std::size_t lanes = 8;
// A column with so many labels at most has a table of what each pair of them costs.
constexpr std::size_t paired_labels = 128;
// Tuples of a part that is worth another thread.
constexpr std::size_t shared_part = 256;

struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool passes = true;
    std::size_t size() const noexcept { return end - begin; }
};

// The tuples with labels `first` to `last` of a column against the others.
struct Division {
    std::size_t column = 0;
    Label first = 0;
    Label last = 0;
    double score = 0;
    std::uint64_t smaller = 0;  // rows of the half with fewer
    Label choices = 0;          // labels of the column

    // So that no two are equal: the higher score, the column with fewer labels or else the first, the halves more
    // alike, the first labels.
    friend bool operator<(const Division& a, const Division& b) noexcept {
        if (a.score != b.score) return a.score < b.score;
        if (a.choices != b.choices) return a.choices > b.choices;
        if (a.column != b.column) return a.column > b.column;
        if (a.smaller != b.smaller) return a.smaller < b.smaller;
        return std::pair(a.first, a.last) > std::pair(b.first, b.last);
    }
};

// What cells cost by the smallest and the largest label of a column in a class.
class PairCosts {
public:
    explicit PairCosts(const Tuples& tuples) : tuples_(tuples), tables_(tuples.columns()) {
        for (std::size_t column = 0; column < tables_.size(); ++column) {
            const Label labels = tuples.hierarchies.labels(column, 0);
            if (labels > paired_labels) continue;
            for (Label a = 0; a < labels; ++a) {
                for (Label b = 0; b < labels; ++b) tables_[column].push_back(tuples.common_cost(column, a, b));
            }
        }
    }
    Cost of(std::size_t column, Label a, Label b) const noexcept {
        const std::vector<Cost>& table = tables_[column];
        if (table.empty()) return tuples_.common_cost(column, a, b);
        return table[a * std::size_t{tuples_.hierarchies.labels(column, 0)} + b];
    }

private:
    const Tuples& tuples_;
    std::vector<std::vector<Cost>> tables_;
};

// Parts that wait for a thread.
class Queue {
public:
    void push(const Part& part) {
        const std::lock_guard lock(mutex_);
        parts_.push_back(part);
        changed_.notify_one();
    }
    // Waits while others are at work, since they may push more. Whoever took a part says when it is done.
    std::optional<Part> take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return abandoned_ || !parts_.empty() || busy_ == 0; });
        if (abandoned_ || parts_.empty()) return std::nullopt;
        const Part part = parts_.back();
        parts_.pop_back();
        ++busy_;
        return part;
    }
    void done() {
        const std::lock_guard lock(mutex_);
        if (--busy_ == 0) changed_.notify_all();
    }
    void abandon() {
        const std::lock_guard lock(mutex_);
        abandoned_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Part> parts_;
    unsigned busy_ = 0;
    bool abandoned_ = false;
};

// Labels of neighbouring columns.
template <class Lane>
struct Block {
    std::array<Lane, lanes> lane;
};

// The smallest and the largest label of each column in groups of tuples.
template <class Lane>
struct Boxes {
    std::vector<Block<Lane>> low, high;  // [group * width + block]
    std::size_t width = 0;

    void clear(std::size_t groups, std::size_t blocks) {
        Block<Lane> most, least{};
        most.lane.fill(std::numeric_limits<Lane>::max());
        width = blocks;
        low.assign(groups * width, most);
        high.assign(groups * width, least);
    }
    void add(std::size_t group, const Block<Lane>* other_low, const Block<Lane>* other_high) noexcept {
        for (std::size_t i = 0; i < width; ++i) {
            Block<Lane>& to_low = low[group * width + i];
            Block<Lane>& to_high = high[group * width + i];
            const Block<Lane> a = to_low, b = other_low[i], c = to_high, d = other_high[i];
            Block<Lane> smallest, largest;
            for (std::size_t j = 0; j < lanes; ++j) smallest.lane[j] = std::min(a.lane[j], b.lane[j]);
            for (std::size_t j = 0; j < lanes; ++j) largest.lane[j] = std::max(c.lane[j], d.lane[j]);
            to_low = smallest;
            to_high = largest;
        }
    }
    void add(std::size_t group, const Boxes& other, std::size_t from) noexcept {
        add(group, other.low.data() + from * width, other.high.data() + from * width);
    }
    Label first(std::size_t group, std::size_t column) const noexcept {
        return static_cast<Label>(low[group * width + column / lanes].lane[column % lanes]);
    }
    Label last(std::size_t group, std::size_t column) const noexcept {
        return static_cast<Label>(high[group * width + column / lanes].lane[column % lanes]);
    }
};

// The tuples as they are divided: those of a part are neighbours.
template <class Lane>
struct Records {
    std::size_t width = 0;             // blocks of a record
    std::vector<Block<Lane>> labels;   // [record * width + block]
    std::vector<std::uint64_t> rows;   // [record]
    std::vector<std::uint32_t> entry;  // [record] which of the given tuples it is
    std::vector<std::uint8_t> begins;  // [record] what a part that begins here is

    Label label(std::size_t record, std::size_t column) const noexcept {
        return static_cast<Label>(labels[record * width + column / lanes].lane[column % lanes]);
    }
};
enum Begin : std::uint8_t { inside, released, failing };

template <class Lane>
class Divider {
public:
    Divider(const Tuples& tuples, std::span<const std::uint32_t> chosen, Cut cut, const PairCosts& costs,
            Records<Lane>& records, Queue& queue, std::unique_ptr<GroupTests> tests, const Stop& stop)
        : tuples_(tuples),
          chosen_(chosen),
          cut_(cut),
          costs_(costs),
          records_(records),
          queue_(queue),
          tests_(std::move(tests)),
          stop_(stop),
          rows_only_(tests_->rows_only()),
          least_(std::max<std::uint64_t>(tests_->least_rows(), 1)),
          cell_costs_(tuples.columns()) {}

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
                records_.begins[part.begin] = part.passes ? released : failing;
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
        measure(part);
        if (rows_ < 2 * least_) return part.end;
        divisions_.clear();
        for (std::size_t column = 0; column < tuples_.columns(); ++column) {
            if (whole_.first(0, column) == whole_.last(0, column)) continue;
            if (cut_ == Cut::median && cell_costs_[column] == 0) continue;
            sort_labels(part, column);
            list_divisions(part, column);
        }
        std::make_heap(divisions_.begin(), divisions_.end());
        while (!divisions_.empty()) {
            std::pop_heap(divisions_.begin(), divisions_.end());
            const Division division = divisions_.back();
            divisions_.pop_back();
            if (rows_only_ || halves_pass(part, division)) return move_apart(part, division);
        }
        return part.end;
    }

    // What the part has and costs as one class.
    void measure(const Part& part) {
        whole_.clear(1, records_.width);
        rows_ = 0;
        in_pieces(part.size(), stop_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = part.begin + begin; i < part.begin + end; ++i) {
                add_record(whole_, 0, i);
                rows_ += records_.rows[i];
            }
        });
        row_cost_ = 0;
        for (std::size_t column = 0; column < cell_costs_.size(); ++column) {
            cell_costs_[column] = costs_.of(column, whole_.first(0, column), whole_.last(0, column));
            row_cost_ += cell_costs_[column];
        }
    }
    void add_record(Boxes<Lane>& boxes, std::size_t group, std::size_t record) const noexcept {
        const Block<Lane>* const labels = records_.labels.data() + record * records_.width;
        boxes.add(group, labels, labels);
    }

    // The labels of a column that occur, numbered upwards; the number of each tuple; and the rows before each label.
    void sort_labels(const Part& part, std::size_t column) {
        const Label low = whole_.first(0, column);
        const std::size_t range = whole_.last(0, column) - low + std::size_t{1};
        const std::size_t size = part.size();
        const auto label = [&](std::size_t i) { return records_.label(part.begin + i, column); };
        stop_.poll();
        number_.resize(size);
        occurring_.clear();
        if (range <= 4 * size) {
            number_of_.assign(range, 0);
            for (std::size_t i = 0; i < size; ++i) number_of_[label(i) - low] = 1;
            for (std::size_t l = 0; l < range; ++l) {
                if (number_of_[l] == 0) continue;
                number_of_[l] = static_cast<std::uint32_t>(occurring_.size());
                occurring_.push_back(static_cast<Label>(low + l));
            }
            for (std::size_t i = 0; i < size; ++i) number_[i] = number_of_[label(i) - low];
        } else {
            sorted_.resize(size);
            for (std::size_t i = 0; i < size; ++i) {
                sorted_[i] = std::uint64_t{label(i)} << 32 | i;
            }
            sort_in_pieces(sorted_.begin(), sorted_.end(), stop_, std::less<>());
            for (const std::uint64_t pair : sorted_) {
                const auto found = static_cast<Label>(pair >> 32);
                if (occurring_.empty() || occurring_.back() != found) occurring_.push_back(found);
                number_[static_cast<std::uint32_t>(pair)] = static_cast<std::uint32_t>(occurring_.size() - 1);
            }
        }
        rows_before_.assign(occurring_.size() + 1, 0);
        for (std::size_t i = 0; i < size; ++i) rows_before_[number_[i] + 1] += records_.rows[part.begin + i];
        for (std::size_t n = 0; n < occurring_.size(); ++n) rows_before_[n + 1] += rows_before_[n];
    }

    // Ranges of occurring labels, each against the others, where both have enough rows.
    void list_ranges(std::size_t column) {
        ranges_.clear();
        const auto list = [&](std::size_t begin, std::size_t end) {
            const std::uint64_t rows = rows_before_[end] - rows_before_[begin];
            if (rows >= least_ && rows_ - rows >= least_) ranges_.push_back({begin, end});
        };
        const std::size_t size = occurring_.size();
        if (cut_ != Cut::peel) {
            for (std::size_t end = 1; end < size; ++end) list(0, end);
        }
        if (cut_ == Cut::median) return;
        for (unsigned level = 0; level < tuples_.hierarchies.levels(column); ++level) {
            const std::span<const Label> up = tuples_.hierarchies.step(column, 0, level);
            const std::span<const Label> below = tuples_.hierarchies.step(column, 0, level > 0 ? level - 1 : 0);
            for (std::size_t begin = 0; begin < size;) {
                std::size_t end = begin + 1;
                while (end < size && up[occurring_[end]] == up[occurring_[begin]]) ++end;
                if (begin == 0 && end == size) return;
                const bool listed = level > 0 && below[occurring_[begin]] == below[occurring_[end - 1]];
                if (!listed) list(begin, end);
                begin = end;
            }
        }
    }

    void list_divisions(const Part& part, std::size_t column) {
        list_ranges(column);
        if (ranges_.empty()) return;
        if (cut_ != Cut::median) box_segments(part);
        const Label choices = tuples_.hierarchies.labels(column, 0);
        for (const auto& [begin, end] : ranges_) {
            const std::uint64_t rows = rows_before_[end] - rows_before_[begin];
            const std::uint64_t smaller = std::min(rows, rows_ - rows);
            Division division{column, occurring_[begin], occurring_[end - 1], 0, smaller, choices};
            if (cut_ == Cut::median) {
                division.score = static_cast<double>(cell_costs_[column]);
            } else {
                const Cost saved = gain(segment_of_[begin], segment_of_[end], rows);
                // What saves nothing may let later cuts save something.
                if (saved < 0 || (saved == 0 && cell_costs_[column] == 0)) continue;
                // Small halves go first, but not at any price. Measured: adult, k = 5, loses .0640 so and .0649 without.
                division.score = static_cast<double>(saved) / std::sqrt(std::sqrt(static_cast<double>(smaller)));
            }
            keep(division);
        }
    }

    void keep(const Division& division) {
        if (rows_only_ && !divisions_.empty()) {
            if (divisions_.front() < division) divisions_.front() = division;
        } else {
            divisions_.push_back(division);
        }
    }

    // Labels that no range separates are a segment. The boxes of single segments, of all before each, and of all from
    // each on.
    void box_segments(const Part& part) {
        segment_of_.assign(occurring_.size() + 1, 0);
        for (const auto& [begin, end] : ranges_) segment_of_[begin] = segment_of_[end] = 1;
        segment_of_[0] = 0;
        for (std::size_t n = 0; n < occurring_.size(); ++n) segment_of_[n + 1] += segment_of_[n];
        const std::size_t segments = segment_of_[occurring_.size() - 1] + std::size_t{1};
        segment_of_[occurring_.size()] = static_cast<std::uint32_t>(segments);
        own_.clear(segments, records_.width);
        in_pieces(part.size(), stop_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) add_record(own_, segment_of_[number_[i]], part.begin + i);
        });
        before_.clear(segments + 1, records_.width);
        after_.clear(segments + 1, records_.width);
        for (std::size_t n = 0; n < segments; ++n) {
            before_.add(n + 1, before_, n);
            before_.add(n + 1, own_, n);
        }
        for (std::size_t n = segments; n-- > 0;) {
            after_.add(n, after_, n + 1);
            after_.add(n, own_, n);
        }
    }

    // What all cells of the part cost less after a cut.
    Cost gain(std::size_t begin, std::size_t end, std::uint64_t rows) {
        halves_.clear(2, records_.width);
        if (begin == 0) {
            halves_.add(0, before_, end);
        } else {
            for (std::size_t n = begin; n < end; ++n) halves_.add(0, own_, n);
        }
        halves_.add(1, before_, begin);
        halves_.add(1, after_, end);
        return static_cast<Cost>(rows_) * row_cost_ - static_cast<Cost>(rows) * cost_of_half(0) -
               static_cast<Cost>(rows_ - rows) * cost_of_half(1);
    }
    Cost cost_of_half(std::size_t half) const {
        Cost sum = 0;
        for (std::size_t column = 0; column < cell_costs_.size(); ++column) {
            const Label first = halves_.first(half, column);
            const Label last = halves_.last(half, column);
            sum += first == whole_.first(0, column) && last == whole_.last(0, column) ? cell_costs_[column]
                                                                                    : costs_.of(column, first, last);
        }
        return sum;
    }

    bool is_first(std::size_t record, const Division& division) const noexcept {
        const Label found = records_.label(record, division.column);
        return found >= division.first && found <= division.last;
    }

    bool halves_pass(const Part& part, const Division& division) {
        group_.clear();
        for (const bool first : {true, false}) {
            for (std::size_t i = part.begin; i < part.end; ++i) {
                if (is_first(i, division) == first) group_.push_back(chosen_[records_.entry[i]]);
            }
            if (first) starts_[1] = static_cast<std::uint32_t>(group_.size());
        }
        starts_[2] = static_cast<std::uint32_t>(group_.size());
        const std::span<const std::uint8_t> passes = tests_->run(group_, starts_);
        return passes[0] != 0 && passes[1] != 0;
    }

    // Both halves keep their order.
    std::size_t move_apart(const Part& part, const Division& division) {
        const std::size_t width = records_.width;
        moved_labels_.clear();
        moved_rows_.clear();
        moved_entries_.clear();
        stop_.poll();
        std::size_t middle = part.begin;
        for (std::size_t i = part.begin; i < part.end; ++i) {
            const Block<Lane>* const from = records_.labels.data() + i * width;
            if (is_first(i, division)) {
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
    const PairCosts& costs_;
    Records<Lane>& records_;
    Queue& queue_;
    const std::unique_ptr<GroupTests> tests_;
    const Stop& stop_;
    const bool rows_only_;
    const std::uint64_t least_;
    std::vector<Part> waiting_;

    // The part at hand.
    Boxes<Lane> whole_;
    std::uint64_t rows_ = 0;
    std::vector<Cost> cell_costs_;
    Cost row_cost_ = 0;
    std::vector<Division> divisions_;

    // The column at hand.
    std::vector<std::uint32_t> number_, number_of_;
    std::vector<Label> occurring_;
    std::vector<std::uint64_t> sorted_, rows_before_;
    std::vector<std::pair<std::size_t, std::size_t>> ranges_;
    std::vector<std::uint32_t> segment_of_;
    Boxes<Lane> own_, before_, after_, halves_;

    std::vector<std::uint32_t> group_;
    std::array<std::uint32_t, 3> starts_{};
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
    records.begins.assign(chosen.size(), inside);
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

    Queue queue;
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
        [&](unsigned) { Divider<Lane>(tuples, chosen, cut, costs, records, queue, make_tests(), stop).work(); },
        [&] { queue.abandon(); });

    TupleClasses result{std::vector<std::uint32_t>(chosen.size()), 0};
    std::uint32_t current = no_class;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (records.begins[i] != inside) current = records.begins[i] == released ? result.classes++ : no_class;
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
