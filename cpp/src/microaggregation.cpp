#include "shoal/microaggregation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "shoal/workers.hpp"

namespace shoal {

namespace {

using Ids = std::vector<std::uint32_t>;  // of tuples
using Point = std::vector<double>;

// Sums of coordinates, for centers of mass.
struct Mass {
    double rows = 0;
    Point sums;

    explicit Mass(const Points& points) : sums(points.coordinates.size(), 0.0) {}
    void add(const Points& points, std::uint32_t tuple, double sign = 1) {
        const double weight = sign * static_cast<double>(points.rows[tuple]);
        rows += weight;
        for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += weight * points.coordinates[c][tuple];
    }
    void add(const Mass& other) {
        rows += other.rows;
        for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += other.sums[c];
    }
    // What the squared distances to the center grow by, all together, once two are one.
    double growth_with(const Mass& other) const {
        double squared = 0;
        for (std::size_t c = 0; c < sums.size(); ++c) {
            const double apart = sums[c] / rows - other.sums[c] / other.rows;
            squared += apart * apart;
        }
        return rows * other.rows / (rows + other.rows) * squared;
    }
};

Mass mass_of(const Points& points, std::span<const std::uint32_t> tuples) {
    Mass mass(points);
    for (const std::uint32_t tuple : tuples) mass.add(points, tuple);
    return mass;
}

struct Group {
    Ids tuples;
    Mass mass;

    explicit Group(const Points& points) : mass(points) {}
    void add(const Points& points, std::uint32_t tuple) {
        tuples.push_back(tuple);
        mass.add(points, tuple);
    }
    void add(const Group& other) {
        tuples.insert(tuples.end(), other.tuples.begin(), other.tuples.end());
        mass.add(other.mass);
    }
};

Group group_of(const Points& points, std::span<const std::uint32_t> tuples) {
    Group group(points);
    for (const std::uint32_t tuple : tuples) group.add(points, tuple);
    return group;
}

std::uint64_t rows_of(const Points& points, std::span<const std::uint32_t> tuples) {
    std::uint64_t rows = 0;
    for (const std::uint32_t tuple : tuples) rows += points.rows[tuple];
    return rows;
}

// The group that grows least with another one; the first of equal ones. Groups without tuples are none.
std::optional<std::size_t> nearest_group(const std::vector<Group>& groups, const Mass& mass, std::size_t except) {
    std::optional<std::size_t> nearest;
    double least = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (g == except || groups[g].tuples.empty()) continue;
        const double growth = groups[g].mass.growth_with(mass);
        if (!nearest || growth < least) {
            nearest = g;
            least = growth;
        }
    }
    return nearest;
}

// The tuples that have no group yet, in the order of their numbers.
class Remaining {
public:
    Remaining(const Points& points, Ids tuples, const Stop& stop)
        : points_(points), ids_(std::move(tuples)), stop_(stop), mass_(points) {
        coordinates_.resize(points.coordinates.size());
        for (std::size_t c = 0; c < coordinates_.size(); ++c) {
            for (const std::uint32_t id : ids_) coordinates_[c].push_back(points.coordinates[c][id]);
        }
        for (const std::uint32_t id : ids_) mass_.add(points, id);
        rows_ = rows_of(points, ids_);
        distances_.resize(ids_.size());
    }

    std::uint64_t rows() const noexcept { return rows_; }
    Ids tuples() const {
        Ids found;
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            if (!taken(i)) found.push_back(ids_[i]);
        }
        return found;
    }

    std::size_t farthest_from_center() {
        Point center = mass_.sums;
        for (double& coordinate : center) coordinate /= mass_.rows;
        measure(center);
        return farthest();
    }

    // The tuple at a place and its nearest ones, until they have enough rows: all of them leave. Then comes the place
    // that is farthest from the first, if any is left.
    std::size_t take_around(std::size_t place, std::uint64_t least_rows, Group& group) {
        Point from;
        for (const auto& coordinate : coordinates_) from.push_back(coordinate[place]);
        measure(from);
        distances_[place] = -1;  // before others at the same point
        nearest_.clear();
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            // No distance to what is taken compares.
            if (nearest_.size() == least_rows && !(distances_[i] < nearest_.front().first)) continue;
            if (taken(i)) continue;
            if (nearest_.size() == least_rows) {
                std::pop_heap(nearest_.begin(), nearest_.end());
                nearest_.pop_back();
            }
            nearest_.emplace_back(distances_[i], i);
            std::push_heap(nearest_.begin(), nearest_.end());
        }
        std::sort_heap(nearest_.begin(), nearest_.end());
        std::uint64_t rows = 0;
        for (const auto& [distance, i] : nearest_) {
            if (rows >= least_rows) break;
            rows += points_.rows[ids_[i]];
            group.add(points_, ids_[i]);
            mass_.add(points_, ids_[i], -1);
            coordinates_[0][i] = distances_[i] = std::nan("");
            ++taken_;
        }
        rows_ -= rows;
        return farthest();
    }

    // Places are others afterwards.
    void compact() {
        if (4 * taken_ < ids_.size()) return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            if (taken(i)) continue;
            ids_[kept] = ids_[i];
            for (auto& coordinate : coordinates_) coordinate[kept] = coordinate[i];
            ++kept;
        }
        ids_.resize(kept);
        for (auto& coordinate : coordinates_) coordinate.resize(kept);
        distances_.resize(kept);
        taken_ = 0;
    }

private:
    bool taken(std::size_t place) const noexcept { return std::isnan(coordinates_[0][place]); }

    // Squares of the distances to a point; NaN for what is taken.
    void measure(const Point& from) {
        stop_.poll();
        double* const distances = distances_.data();
        std::fill(distances_.begin(), distances_.end(), 0.0);
        for (std::size_t c = 0; c < from.size(); ++c) {
            const double* const own = coordinates_[c].data();
            const double origin = from[c];
            for (std::size_t i = 0; i < distances_.size(); ++i) {
                const double apart = own[i] - origin;
                distances[i] += apart * apart;
            }
        }
    }
    // Of the last point that was measured from: the first of equal places.
    std::size_t farthest() const noexcept {
        std::size_t place = 0;
        double most = -1;
        for (std::size_t i = 0; i < distances_.size(); ++i) {
            if (distances_[i] > most) {
                most = distances_[i];
                place = i;
            }
        }
        return place;
    }

    const Points& points_;
    Ids ids_;
    const Stop& stop_;
    Mass mass_;
    std::uint64_t rows_ = 0;
    std::vector<Point> coordinates_;  // [coordinate][place]; the first is NaN for what is taken
    std::vector<double> distances_;
    std::vector<std::pair<double, std::size_t>> nearest_;
    std::size_t taken_ = 0;
};

// A cut of tuples in two, in the order of a coordinate.
struct Halves {
    Ids first, second;
};

Ids in_order_of(const Points& points, std::span<const std::uint32_t> tuples, std::size_t coordinate, const Stop& stop) {
    Ids sorted(tuples.begin(), tuples.end());
    const std::span<const double> values = points.coordinates[coordinate];
    sort_in_pieces(sorted.begin(), sorted.end(), stop, [&](std::uint32_t a, std::uint32_t b) {
        return values[a] != values[b] ? values[a] < values[b] : a < b;
    });
    return sorted;
}

Halves halves_at(const Ids& sorted, std::size_t middle) {
    const auto cut = sorted.begin() + static_cast<std::ptrdiff_t>(middle);
    return {{sorted.begin(), cut}, {cut, sorted.end()}};
}

// The two halves that are nearest to half of the rows, if both can have enough: between different values, unless one
// half would have less than a quarter of the rows.
std::optional<Halves> cut_at_median(const Points& points, std::span<const std::uint32_t> tuples,
                                    std::size_t coordinate, std::uint64_t least_rows, const Stop& stop) {
    const Ids sorted = in_order_of(points, tuples, coordinate, stop);
    const std::span<const double> values = points.coordinates[coordinate];
    const std::uint64_t total = rows_of(points, sorted);
    struct Cut {
        std::size_t middle = 0;
        std::uint64_t smaller = 0;
    };
    Cut any, between;
    std::uint64_t before = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        before += points.rows[sorted[i - 1]];
        const std::uint64_t smaller = std::min(before, total - before);
        if (smaller < least_rows) continue;
        if (smaller > any.smaller) any = {i, smaller};
        if (smaller > between.smaller && values[sorted[i - 1]] < values[sorted[i]]) between = {i, smaller};
    }
    if (any.middle == 0) return std::nullopt;
    return halves_at(sorted, between.smaller >= total / 4 ? between.middle : any.middle);
}

// Coordinates, those first that vary most.
std::vector<std::size_t> by_variance(const Points& points, std::span<const std::uint32_t> tuples) {
    const Mass mass = mass_of(points, tuples);
    Point variances(points.coordinates.size(), 0.0);
    for (std::size_t c = 0; c < variances.size(); ++c) {
        for (const std::uint32_t tuple : tuples) {
            const double apart = points.coordinates[c][tuple] - mass.sums[c] / mass.rows;
            variances[c] += static_cast<double>(points.rows[tuple]) * apart * apart;
        }
    }
    std::vector<std::size_t> order(variances.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return variances[a] > variances[b]; });
    return order;
}

// Parts of no more tuples than given, as far as both halves of a cut have enough rows, and with tests pass too.
std::vector<Ids> parts_of(const Points& points, Ids tuples, std::size_t most_tuples, std::uint64_t least_rows,
                          GroupTests* tests, const Stop& stop) {
    std::vector<Ids> parts, waiting;
    waiting.push_back(std::move(tuples));
    const auto halves_of = [&](std::span<const std::uint32_t> part) -> std::optional<Halves> {
        if (part.size() <= most_tuples) return std::nullopt;
        for (const std::size_t coordinate : by_variance(points, part)) {
            auto halves = cut_at_median(points, part, coordinate, least_rows, stop);
            if (!halves) continue;
            if (tests == nullptr || (tests->passes(halves->first) && tests->passes(halves->second))) return halves;
        }
        return std::nullopt;
    };
    while (!waiting.empty()) {
        stop.poll();
        Ids part = std::move(waiting.back());
        waiting.pop_back();
        if (auto halves = halves_of(part)) {
            waiting.push_back(std::move(halves->second));
            waiting.push_back(std::move(halves->first));
            continue;
        }
        std::sort(part.begin(), part.end());
        parts.push_back(std::move(part));
    }
    return parts;
}

// MDAV: groups around the tuple that is farthest from the center, and around the one that is farthest from that.
std::vector<Group> mdav(const Points& points, Ids tuples, std::uint64_t least_rows, const Stop& stop) {
    std::vector<Group> groups;
    Remaining remaining(points, std::move(tuples), stop);
    const auto take_around = [&](std::size_t place) {
        groups.emplace_back(points);
        return remaining.take_around(place, least_rows, groups.back());
    };
    while (remaining.rows() >= 3 * least_rows) {
        const std::size_t opposite = take_around(remaining.farthest_from_center());
        if (remaining.rows() >= 2 * least_rows) take_around(opposite);
        remaining.compact();
    }
    if (remaining.rows() >= 2 * least_rows) take_around(remaining.farthest_from_center());
    const Ids rest = remaining.tuples();
    if (remaining.rows() >= least_rows || groups.empty()) {
        groups.push_back(group_of(points, rest));
        return groups;
    }
    // Only where tuples have several rows.
    for (const std::uint32_t tuple : rest) {
        const Group alone = group_of(points, {&tuple, 1});
        groups[*nearest_group(groups, alone.mass, groups.size())].add(points, tuple);
    }
    return groups;
}

// The cut of a group whose halves both have enough rows and are farthest apart, in the sense that it saves the most.
std::optional<Halves> best_cut(const Points& points, const Group& group, std::uint64_t least_rows, const Stop& stop) {
    const double least = static_cast<double>(least_rows);
    if (group.mass.rows < 2 * least) return std::nullopt;
    double most = 0;
    std::size_t coordinate = 0, middle = 0;
    for (std::size_t c = 0; c < points.coordinates.size(); ++c) {
        const Ids sorted = in_order_of(points, group.tuples, c, stop);
        Mass first(points), second = group.mass;
        for (std::size_t i = 1; i < sorted.size(); ++i) {
            first.add(points, sorted[i - 1]);
            second.add(points, sorted[i - 1], -1);
            if (std::min(first.rows, second.rows) < least) continue;
            if (const double saved = first.growth_with(second); saved > most) {
                most = saved;
                coordinate = c;
                middle = i;
            }
        }
    }
    if (middle == 0) return std::nullopt;
    return halves_at(in_order_of(points, group.tuples, coordinate, stop), middle);
}

// MDAV leaves groups that can be cut only where tuples have several rows.
std::vector<Group> cut_large(const Points& points, std::vector<Group> groups, std::uint64_t least_rows, const Stop& stop) {
    std::vector<Group> small;
    std::reverse(groups.begin(), groups.end());
    while (!groups.empty()) {
        Group group = std::move(groups.back());
        groups.pop_back();
        if (const auto halves = best_cut(points, group, least_rows, stop)) {
            groups.push_back(group_of(points, halves->second));
            groups.push_back(group_of(points, halves->first));
        } else {
            small.push_back(std::move(group));
        }
    }
    return small;
}

// Let each group that fails join the nearest other one, until it passes.
void merge_failing(std::vector<Group>& groups, GroupTests& tests, const Stop& stop) {
    if (tests.rows_only()) return;
    Ids all, starts{0};
    for (const Group& group : groups) {
        all.insert(all.end(), group.tuples.begin(), group.tuples.end());
        starts.push_back(static_cast<std::uint32_t>(all.size()));
    }
    const std::span<const std::uint8_t> found = tests.run(all, starts);
    const std::vector<std::uint8_t> passes(found.begin(), found.end());
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (passes[g] != 0 || groups[g].tuples.empty()) continue;
        // Where many must come together, not each is tested, so that all tests take a few times the last.
        for (std::size_t merged = 1, next_test = 1;; ++merged) {
            stop.poll();
            const auto nearest = nearest_group(groups, groups[g].mass, g);
            if (!nearest) break;
            groups[g].add(groups[*nearest]);
            groups[*nearest].tuples.clear();
            if (merged < next_test) continue;
            if (tests.passes(groups[g].tuples)) break;
            next_test = merged + merged / 4 + 1;
        }
    }
    std::erase_if(groups, [](const Group& group) { return group.tuples.empty(); });
}

}  // namespace

TupleClasses microaggregate(const Points& points, const MakeTests& make_tests, const AggregationOptions& options,
                            const Stop& stop) {
    Workers workers(options.threads);
    std::vector<std::unique_ptr<GroupTests>> tests;
    for (unsigned member = 0; member < workers.size(); ++member) tests.push_back(make_tests());
    const std::uint64_t least_rows = std::max<std::uint64_t>(tests[0]->least_rows(), 1);
    Ids all;
    for (std::uint32_t tuple = 0; tuple < points.rows.size(); ++tuple) {
        if (points.rows[tuple] > 0) all.push_back(tuple);
    }
    TupleClasses result{std::vector<std::uint32_t>(points.rows.size(), no_class), 0};
    if (all.empty()) return result;

    // Each of these passes as a whole, if anything does, so whatever fails in one has others to join there.
    GroupTests* const tested = tests[0]->rows_only() ? nullptr : tests[0].get();
    const std::vector<Ids> rooms = parts_of(points, std::move(all), options.most_tuples, least_rows, tested, stop);
    std::vector<std::vector<Group>> groups(rooms.size());
    workers.each(rooms.size(), [&](unsigned member, std::size_t room) {
        for (Ids& part : parts_of(points, rooms[room], options.most_tuples, least_rows, nullptr, stop)) {
            std::vector<Group> found = mdav(points, std::move(part), least_rows, stop);
            found = cut_large(points, std::move(found), least_rows, stop);
            std::move(found.begin(), found.end(), std::back_inserter(groups[room]));
        }
        merge_failing(groups[room], *tests[member], stop);
    });
    for (const auto& of_room : groups) {
        for (const Group& group : of_room) {
            for (const std::uint32_t tuple : group.tuples) result.class_of[tuple] = result.classes;
            ++result.classes;
        }
    }
    return result;
}

}  // namespace shoal
