#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "bind.hpp"
#include "problem.hpp"
#include "results.hpp"

using namespace nanobind::literals;

namespace shoal {

namespace {

std::unique_ptr<CodedTable> make_table(const std::vector<Array<Label>>& codes,
                                       const std::vector<std::vector<Array<Label>>>& maps,
                                       const std::vector<std::vector<unsigned>>& user_levels,
                                       const std::vector<unsigned>& heights,
                                       const std::optional<Array<std::uint64_t>>& weights,
                                       const std::vector<AttributeArrays>& attributes) {
    if (maps.size() != codes.size() || user_levels.size() != codes.size() || heights.size() != codes.size()) {
        throw std::invalid_argument("codes, maps, user_levels and heights need one entry per column");
    }
    std::vector<ColumnInput> columns;
    for (std::size_t c = 0; c < codes.size(); ++c) {
        ColumnInput column{view(codes[c]), {}, user_levels[c], heights[c]};
        for (const auto& map : maps[c]) column.maps.emplace_back(map.data(), map.data() + map.size());
        columns.push_back(std::move(column));
    }
    std::vector<AttributeInput> inputs;
    for (const AttributeArrays& given : attributes) {
        AttributeInput input{view(given.codes), {}, {given.entries, given.values, given.once, {}}};
        if (given.weights) input.weights = view(*given.weights);
        if (given.value_of) {
            const std::span<const Label> value_of = view(*given.value_of);
            input.attribute.value_of.assign(value_of.begin(), value_of.end());
        }
        inputs.push_back(std::move(input));
    }
    const std::size_t rows = codes.empty() ? 0 : codes.front().size();
    const Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    return CodedTable::make(columns, rows, weights ? view(*weights) : std::span<const std::uint64_t>{}, inputs, stop);
}

SearchOutcome search(CodedTable& table, const Requirement& requirement, const Objective& objective, bool all_nodes,
                     unsigned threads, std::size_t least_shared_work, const std::optional<nb::callable>& progress) {
    SearchOptions options;
    options.all_nodes = all_nodes;
    options.threads = std::max(threads, 1U);
    options.least_shared_work = least_shared_work;
    // Also without a listener, so that an interrupt ends a long search.
    options.progress = [&](const Progress& now) {
        const nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (progress) (*progress)(now.nodes, now.decided, now.found ? nb::cast(now.best) : nb::none());
    };
    options.stop = current_stop();
    const nb::gil_scoped_release unlocked;
    const SearchResult result = table.search(requirement, objective, options);
    SearchOutcome outcome;
    outcome.columns = table.columns();
    outcome.checked = result.checked;
    outcome.tagged_satisfying = result.tagged_satisfying;
    outcome.tagged_failing = result.tagged_failing;
    outcome.rollups = result.counters.rollups;
    outcome.scans = result.counters.scans;
    outcome.touched = result.counters.touched;
    if (result.found) {
        const auto first = result.best.levels.level.begin();
        outcome.levels.emplace(first, first + table.columns());
        outcome.score = result.best.value;
        outcome.suppressed_rows = result.tally.failing_rows;
        outcome.classes = result.tally.classes;
    }
    if (all_nodes) outcome.satisfying = table.levels_of(result.satisfying);
    return outcome;
}

Evaluations evaluate(Checker& checker, const std::vector<std::vector<unsigned>>& nodes) {
    Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    Evaluations found;
    for (const Evaluation& e : checker.evaluate(nodes, std::move(stop))) {
        found.suppressed_rows.push_back(e.suppressed_rows);
        found.classes.push_back(e.classes);
        found.scores.push_back(e.score);
    }
    return found;
}

std::unique_ptr<Checker> make_checker(CodedTable& table, const Requirement& requirement,
                                      const Objective& objective, bool project, bool rollup, bool hand_out,
                                      std::size_t snapshots, std::uint64_t snapshot_classes, double kept_share,
                                      std::size_t memory) {
    return table.checker(requirement, objective,
                         {project, rollup, hand_out, snapshots, snapshot_classes, kept_share, memory});
}

std::unique_ptr<Checked> check(Checker& checker, const std::vector<unsigned>& node, const Checked* source) {
    Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    return checker.check(node, source, std::move(stop));
}

std::unique_ptr<Checked> prepare(Checker& checker, const std::vector<unsigned>& node, const Checked* source) {
    Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    return checker.prepare(node, source, std::move(stop));
}

ClassCounts classes(CodedTable& table, const std::vector<std::vector<unsigned>>& path) {
    const Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    Classes found = table.classes(path, stop);
    return {table.columns(), std::move(found.labels), std::move(found.counts)};
}

using Ranges = std::vector<std::pair<std::vector<Cost>, std::vector<Cost>>>;

std::vector<RangeCosts> range_costs(const Ranges& ranges) {
    std::vector<RangeCosts> found;
    for (const auto& [first, last] : ranges) found.push_back({first, last});
    return found;
}

TupleClasses divide(CodedTable& table, const Requirement& requirement, const CellCosts& costs, const std::string& cut,
                    unsigned threads, const Ranges& ranges, const std::optional<Array<std::uint32_t>>& bucket_of) {
    const Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    const Cut kind = named<Cut>(cut, {{"peel", Cut::peel}, {"gain", Cut::gain}, {"median", Cut::median},
                                      {"even", Cut::even}, {"buckets", Cut::buckets}, {"relaxed", Cut::relaxed}});
    const auto buckets = bucket_of ? view(*bucket_of) : std::span<const std::uint32_t>{};
    return table.divide(requirement, costs, range_costs(ranges), kind, buckets, std::max(threads, 1U), stop);
}

CheapestClasses cheapest(CodedTable& table, const Requirement& requirement, const CellCosts& costs,
                         std::uint64_t suppressible, std::uint64_t most_hashes, Cost most_cost, unsigned threads,
                         unsigned effort) {
    const Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    const CheapestOptions options{std::max(threads, 1U), suppressible, most_hashes, effort, most_cost};
    return table.cheapest(requirement, costs, options, stop);
}

TupleClasses aggregate(CodedTable& table, const Requirement& requirement, const std::vector<Array<double>>& coordinates,
                       std::size_t most_tuples, unsigned threads) {
    std::vector<std::span<const double>> points;
    for (const auto& values : coordinates) points.push_back(view(values));
    const Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    return table.aggregate(requirement, points, {std::max(threads, 1U), most_tuples}, stop);
}

std::vector<bool> passing(CodedTable& table, const Requirement& requirement, const Array<std::uint32_t>& class_of,
                          std::uint32_t classes) {
    const Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    return table.passing(requirement, view(class_of), classes, stop);
}

RowIndex index(const std::vector<Array<Label>>& codes, const std::vector<Label>& cardinalities) {
    std::vector<std::span<const Label>> columns;
    for (const auto& column : codes) columns.push_back(view(column));
    const Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    return index_rows(columns, cardinalities, stop);
}

void bind_results(nb::module_& m) {
    nb::class_<SearchOutcome>(m, "SearchOutcome", "The best node that a search found, and what it did for it.")
        .def_prop_ro("levels", [](const SearchOutcome& self) -> nb::object {
            return self.levels ? nb::object(nb::tuple(nb::cast(*self.levels))) : nb::none();
        })
        .def_ro("score", &SearchOutcome::score)
        .def_ro("suppressed_rows", &SearchOutcome::suppressed_rows)
        .def_ro("classes", &SearchOutcome::classes)
        .def_ro("checked", &SearchOutcome::checked)
        .def_ro("tagged_satisfying", &SearchOutcome::tagged_satisfying)
        .def_ro("tagged_failing", &SearchOutcome::tagged_failing)
        .def_ro("rollups", &SearchOutcome::rollups)
        .def_ro("scans", &SearchOutcome::scans)
        .def_ro("touched", &SearchOutcome::touched)
        .def_prop_ro("satisfying", [](const SearchOutcome& self) -> std::optional<Shown<std::uint8_t>> {
            if (!self.satisfying) return std::nullopt;
            return show(*self.satisfying, {self.satisfying->size() / self.columns, self.columns});
        }, nb::rv_policy::reference_internal)
        .def("__repr__", [](nb::handle self) {
            return represent(self, {"levels", "score", "suppressed_rows", "classes", "checked", "tagged_satisfying",
                                    "tagged_failing", "rollups", "scans", "touched"});
        });

    nb::class_<Counters>(m, "CheckerCounters", "How much work a checker did until it was asked.")
        .def_prop_ro("checked", [](const Counters& self) -> std::uint64_t { return self.checked; })
        .def_prop_ro("rollups", [](const Counters& self) -> std::uint64_t { return self.rollups; })
        .def_prop_ro("scans", [](const Counters& self) -> std::uint64_t { return self.scans; })
        .def_prop_ro("touched", [](const Counters& self) -> std::uint64_t { return self.touched; })
        .def_prop_ro("snapshots", [](const Counters& self) -> std::uint64_t { return self.snapshots; })
        .def_prop_ro("evicted", [](const Counters& self) -> std::uint64_t { return self.evicted; })
        .def("__repr__", [](nb::handle self) {
            return represent(self, {"checked", "rollups", "scans", "touched", "snapshots", "evicted"});
        });

    nb::class_<Evaluations>(m, "Evaluations", "Nodes that were judged, one entry each in the order they were given.")
        .def_prop_ro("suppressed_rows", [](const Evaluations& self) { return show(self.suppressed_rows); },
                     nb::rv_policy::reference_internal)
        .def_prop_ro("classes", [](const Evaluations& self) { return show(self.classes); },
                     nb::rv_policy::reference_internal)
        .def_prop_ro("scores", [](const Evaluations& self) { return show(self.scores); },
                     nb::rv_policy::reference_internal)
        .def("__len__", [](const Evaluations& self) { return self.scores.size(); })
        .def("__repr__", [](nb::handle self) {
            return represent(self, {"suppressed_rows", "classes", "scores"});
        });

    nb::class_<ClassCounts>(m, "ClassCounts", "The classes of a node: their labels, one row each, and their rows.")
        .def_prop_ro("labels", [](const ClassCounts& self) {
            return show(self.labels, {self.rows.size(), self.columns});
        }, nb::rv_policy::reference_internal)
        .def_prop_ro("rows", [](const ClassCounts& self) { return show(self.rows); },
                     nb::rv_policy::reference_internal)
        .def("__len__", [](const ClassCounts& self) { return self.rows.size(); })
        .def("__repr__", [](nb::handle self) { return represent(self, {"labels", "rows"}); });

    nb::class_<RowIndex>(m, "RowIndex", "Rows by their distinct tuples: the tuple of each row, the rows of each tuple.")
        .def_prop_ro("tuple_of_row", [](const RowIndex& self) { return show(self.tuple); },
                     nb::rv_policy::reference_internal)
        .def_prop_ro("rows_of_tuple", [](const RowIndex& self) { return show(self.counts); },
                     nb::rv_policy::reference_internal)
        .def("__len__", [](const RowIndex& self) { return self.counts.size(); })
        .def("__repr__", [](nb::handle self) { return represent(self, {"tuple_of_row", "rows_of_tuple"}); });

    nb::class_<TupleClasses>(m, "TupleClasses", "The class of each tuple of F0; 2^32 - 1 for tuples in none.")
        .def_prop_ro("class_of", [](const TupleClasses& self) { return show(self.class_of); },
                     nb::rv_policy::reference_internal)
        .def("__len__", [](const TupleClasses& self) { return self.classes; })
        .def("__repr__", [](nb::handle self) { return represent(self, {"class_of"}); });

    nb::class_<CheapestClasses, TupleClasses>(m, "CheapestClasses", "Classes, and what all cells cost in them.")
        .def_ro("cost", &CheapestClasses::cost)
        .def("__repr__", [](nb::handle self) { return represent(self, {"class_of", "cost"}); });

    nb::class_<Checked>(m, "Checked", "A node whose frequency set was computed, and the set while it is of use.")
        .def_ro("satisfies", &Checked::satisfies)
        .def_ro("hopeless", &Checked::hopeless)
        .def_ro("suppressed_rows", &Checked::suppressed_rows)
        .def_ro("classes", &Checked::classes)
        .def_ro("bound", &Checked::bound)
        .def_ro("score", &Checked::score)
        .def_prop_ro("kept", &Checked::kept)
        .def("__repr__", [](nb::handle self) {
            return represent(self, {"satisfies", "hopeless", "suppressed_rows", "classes", "bound", "score", "kept"});
        });
}

}  // namespace

void bind_tables(nb::module_& m) {
    bind_results(m);

    // A set lives in the memory of its table, which therefore has to outlive it.
    nb::class_<Checker>(m, "Checker", "Judges nodes one by one; threads that share one wait for each other.")
        .def("check", &check, "node"_a, "source"_a.none() = nb::none(), nb::keep_alive<0, 1>())
        .def("prepare", &prepare, "node"_a, "source"_a.none() = nb::none(), nb::keep_alive<0, 1>())
        .def("evaluate", &evaluate, "nodes"_a)
        .def_prop_ro("counters", &Checker::counters);

    nb::class_<CodedTable>(m, "CodedTable", "A coded table with its level maps; holds F0. Threads may share it.")
        .def(nb::new_(&make_table), "codes"_a, "maps"_a, "user_levels"_a, "heights"_a, "weights"_a = nb::none(),
             "attributes"_a = std::vector<AttributeArrays>{})
        .def_prop_ro("rows", &CodedTable::rows)
        .def_prop_ro("tuples", &CodedTable::tuples)
        .def_prop_ro("nodes", &CodedTable::nodes)
        .def("search", &search, "requirement"_a, "objective"_a, "all_nodes"_a = false, "threads"_a = 1,
             "least_shared_work"_a = SearchOptions{}.least_shared_work, "progress"_a = nb::none())
        .def("evaluate", [](CodedTable& table, const std::vector<std::vector<unsigned>>& nodes,
                            const Requirement& requirement, const Objective& objective) {
            return evaluate(*table.checker(requirement, objective, {}), nodes);
        }, "nodes"_a, "requirement"_a, "objective"_a)
        .def("checker", &make_checker, "requirement"_a, "objective"_a, "project"_a, "rollup"_a, "hand_out"_a,
             "snapshots"_a, "snapshot_classes"_a, "kept_share"_a, "memory"_a, nb::keep_alive<0, 1>())
        .def_prop_ro("peak_bytes", &CodedTable::peak_bytes)
        .def("reset_peak_bytes", &CodedTable::reset_peak_bytes)
        .def("classes", &classes, "path"_a)
        .def("divide", &divide, "requirement"_a, "costs"_a, "cut"_a = "peel", "threads"_a = 1,
             "ranges"_a = Ranges{}, "bucket_of"_a = nb::none())
        .def("cheapest", &cheapest, "requirement"_a, "costs"_a, "suppressible"_a = 0,
             "most_hashes"_a = CheapestOptions{}.most_hashes, "most_cost"_a = CheapestOptions{}.most_cost,
             "threads"_a = 1, "effort"_a = CheapestOptions{}.effort)
        .def("aggregate", &aggregate, "requirement"_a, "coordinates"_a,
             "most_tuples"_a = AggregationOptions{}.most_tuples, "threads"_a = 1)
        .def("passing", &passing, "requirement"_a, "class_of"_a, "classes"_a);

    m.attr("least_shared_work") = SearchOptions{}.least_shared_work;
    m.attr("max_columns") = max_columns;
    m.attr("full_cost") = full_cost;
    m.attr("small_part") = small_part;
    m.attr("no_class") = no_class;
    m.attr("max_nodes") = max_nodes;
    m.def("index_rows", &shoal::index, "codes"_a, "cardinalities"_a,
          "The tuple of each row, and the rows of each tuple.");
}

}  // namespace shoal
