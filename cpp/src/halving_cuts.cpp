#include "shoal/halving_cuts.hpp"

#include <algorithm>
#include <numeric>

namespace shoal {

template <class Lane>
HalvingCuts<Lane>::HalvingCuts(const Tuples& tuples, std::span<const std::uint32_t> chosen, const Records<Lane>& records,
                               std::span<const std::uint32_t> bucket_of, std::uint64_t least, const Stop& stop)
    : tuples_(tuples), chosen_(chosen), bucket_of_(bucket_of), records_(records), least_(least), stop_(stop) {
    const auto most = std::max_element(bucket_of.begin(), bucket_of.end());
    if (most != bucket_of.end()) buckets_ = std::size_t{*most} + 1;
    first_.resize(tuples.columns());
}

template <class Lane>
void HalvingCuts<Lane>::begin(const Part& part) {
    stop_.poll();
    whole_.clear(1, records_.width);
    rows_ = 0;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        records_.add_to(whole_, 0, i);
        rows_ += records_.rows[i];
    }
    columns_.clear();
    for (std::size_t column = 0; column < tuples_.columns(); ++column) {
        if (cost(whole_, 0, column) > 0) columns_.push_back(column);
    }
    cuts_.clear();
}

template <class Lane>
std::span<const HalvingCut> HalvingCuts<Lane>::by_labels(const Part& part) {
    begin(part);
    if (rows_ >= 2 * least_) {
        for (const std::size_t column : columns_) add_by_labels(part, column);
    }
    std::sort(cuts_.begin(), cuts_.end());
    return cuts_;
}

template <class Lane>
std::span<const HalvingCut> HalvingCuts<Lane>::by_buckets(const Part& part) {
    begin(part);
    if (rows_ >= 2 * least_) {
        sort_by_bucket(part);
        for (const std::size_t column : columns_) add_by_buckets(part, column);
    }
    std::sort(cuts_.begin(), cuts_.end());
    return cuts_;
}

template <class Lane>
void HalvingCuts<Lane>::add(const Part& part, HalvingCut cut) {
    stop_.poll();
    halves_.clear(2, records_.width);
    std::array<std::uint64_t, 2> rows{};
    for (std::size_t i = part.begin; i < part.end; ++i) {
        const std::size_t half = is_first(cut, i) ? 0 : 1;
        records_.add_to(halves_, half, i);
        rows[half] += records_.rows[i];
    }
    if (std::min(rows[0], rows[1]) < least_) return;
    for (std::size_t half = 0; half < 2; ++half) {
        Cost of_row = 0;
        for (const std::size_t column : columns_) of_row += cost(halves_, half, column);
        cut.cost += of_row * static_cast<Cost>(rows[half]);
    }
    cuts_.push_back(cut);
}

// Where the labels of a hierarchy are printed, only between the children of the lowest one that covers the part.
template <class Lane>
void HalvingCuts<Lane>::add_by_labels(const Part& part, std::size_t column) {
    const Label low = whole_.first(0, column), high = whole_.last(0, column);
    rows_at_.assign(std::size_t{high} - low + 1, 0);
    for (std::size_t i = part.begin; i < part.end; ++i) rows_at_[records_.label(i, column) - low] += records_.rows[i];
    const unsigned level = tuples_.common_level(column, low, high);
    const bool anywhere = tuples_.has_ranges(column) || level < 2;
    const auto child = tuples_.hierarchies.step(column, 0, anywhere ? 0 : level - 1);
    std::uint64_t before = 0, nearest = rows_;
    Label last = high;
    for (Label label = low; label < high; ++label) {
        before += rows_at_[label - low];
        if (!anywhere && child[label] == child[label + 1]) continue;
        const std::uint64_t after = rows_ - before;
        const std::uint64_t apart = before < after ? after - before : before - after;
        if (std::min(before, after) < least_ || apart >= nearest) continue;
        nearest = apart;
        last = label;
    }
    if (last != high) add(part, {0, column, tuples_.place[column], last, false});
}

template <class Lane>
void HalvingCuts<Lane>::sort_by_bucket(const Part& part) {
    // By entry first: cuts that failed have moved the records, and nothing may depend on that.
    order_.resize(part.size());
    std::iota(order_.begin(), order_.end(), static_cast<std::uint32_t>(part.begin));
    sort_in_pieces(order_.begin(), order_.end(), stop_, [&](std::uint32_t a, std::uint32_t b) {
        return records_.entry[a] < records_.entry[b];
    });
    const auto bucket = [&](std::uint32_t record) { return std::size_t{bucket_of_[chosen_[records_.entry[record]]]}; };
    starts_.assign(buckets_ + 1, 0);
    for (const std::uint32_t record : order_) ++starts_[bucket(record) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    sorted_.resize(part.size());
    if (place_of_.size() < chosen_.size()) place_of_.resize(chosen_.size());
    for (std::size_t place = 0; place < order_.size(); ++place) {
        const std::uint32_t record = order_[place];
        place_of_[records_.entry[record]] = static_cast<std::uint32_t>(place);
        sorted_[next[bucket(record)]++] = record;
    }
}

// Half of the rows of every bucket, those with smaller labels. The odd row of a bucket goes to the first half in every
// other one of these.
template <class Lane>
void HalvingCuts<Lane>::add_by_buckets(const Part& part, std::size_t column) {
    std::vector<std::uint8_t>& first = first_[column];
    first.assign(part.size(), 0);
    bool odd_first = true;
    for (std::size_t b = 0; b < buckets_; ++b) {
        if (starts_[b] == starts_[b + 1]) continue;
        by_label_.assign(sorted_.begin() + starts_[b], sorted_.begin() + starts_[b + 1]);
        sort_in_pieces(by_label_.begin(), by_label_.end(), stop_, [&](std::uint32_t x, std::uint32_t y) {
            const Label of_x = records_.label(x, column), of_y = records_.label(y, column);
            return of_x != of_y ? of_x < of_y : records_.entry[x] < records_.entry[y];
        });
        std::uint64_t rows = 0;
        for (const std::uint32_t record : by_label_) rows += records_.rows[record];
        std::uint64_t half = rows / 2;
        if (rows % 2 != 0) {
            half += odd_first ? 1 : 0;
            odd_first = !odd_first;
        }
        std::uint64_t before = 0;
        for (const std::uint32_t record : by_label_) {
            // A tuple of several rows goes where more of it belongs.
            if (2 * before + records_.rows[record] > 2 * half) break;
            before += records_.rows[record];
            first[place_of_[records_.entry[record]]] = 1;
        }
    }
    add(part, {0, column, tuples_.place[column], 0, true});
}

template class HalvingCuts<std::int16_t>;
template class HalvingCuts<std::int32_t>;

}  // namespace shoal
