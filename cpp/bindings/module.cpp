// The only file that knows Python: it checks shapes and types, releases the GIL, and hands arrays over.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>
#include <string>
#include <tuple>

#include "shoal/bitmap_table.hpp"
#include "shoal/coded_table.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace shoal {

namespace {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Array<T>& array) {
    return {array.data(), array.size()};
}

// Move a vector into a numpy array that owns it.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    T* const data = owned->data();
    const nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(data, shape, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values) {
    const std::size_t size = values.size();
    return to_numpy(std::move(values), {size});
}

// Entries per row, what each row adds, how many entries and values there are, whether an entry counts once, and
// the value of each entry where that is not itself.
using AttributeArrays = std::tuple<Array<Label>, std::optional<Array<std::uint64_t>>, Label, Label, bool,
                                   std::optional<Array<Label>>>;

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
    for (const auto& [entries, adds, most_entries, values, once, value_of] : attributes) {
        AttributeInput input{view(entries), {}, {most_entries, values, once, {}}};
        if (adds) input.weights = view(*adds);
        if (value_of) input.attribute.value_of.assign(value_of->data(), value_of->data() + value_of->size());
        inputs.push_back(std::move(input));
    }
    const std::size_t rows = codes.empty() ? 0 : codes.front().size();
    const nb::gil_scoped_release unlocked;
    return CodedTable::make(columns, rows, weights ? view(*weights) : std::span<const std::uint64_t>{}, inputs);
}

template <class T>
T named(const std::string& name, std::initializer_list<std::pair<std::string_view, T>> known) {
    for (const auto& [candidate, value] : known) {
        if (candidate == name) return value;
    }
    throw std::invalid_argument("unknown name: " + name);
}

Condition make_condition(const std::string& kind, std::size_t attribute, bool absorbing, std::uint64_t least,
                         double bound, std::vector<double> lower, std::vector<double> upper,
                         std::vector<double> totals, double people, std::vector<Label> order,
                         std::vector<std::vector<Label>> tree) {
    Condition condition;
    condition.kind = named<ConditionKind>(kind, {{"distinct", ConditionKind::distinct},
                                                 {"cover", ConditionKind::cover},
                                                 {"entropy", ConditionKind::entropy},
                                                 {"recursive", ConditionKind::recursive},
                                                 {"shares", ConditionKind::shares},
                                                 {"equal", ConditionKind::equal},
                                                 {"ordered", ConditionKind::ordered},
                                                 {"tree", ConditionKind::tree},
                                                 {"population", ConditionKind::population}});
    condition.attribute = attribute;
    condition.absorbing = absorbing;
    condition.least = least;
    condition.bound = bound;
    condition.lower = std::move(lower);
    condition.upper = std::move(upper);
    condition.totals = std::move(totals);
    for (const double count : condition.totals) condition.total += count;
    condition.people = people;
    condition.order = std::move(order);
    condition.tree = std::move(tree);
    return condition;
}

Objective make_objective(const std::string& term, double rows, double divisor, std::vector<double> weights,
                         std::vector<std::vector<double>> level_costs,
                         std::vector<std::vector<std::vector<double>>> label_costs, double constant, double scale,
                         std::size_t attribute, const std::string& aggregate) {
    Objective objective;
    objective.term = named<ClassTerm>(term, {{"none", ClassTerm::none},
                                             {"squares", ClassTerm::squares},
                                             {"kept-squares", ClassTerm::kept_squares},
                                             {"mean-size", ClassTerm::mean_size},
                                             {"logs", ClassTerm::logs},
                                             {"minority", ClassTerm::minority}});
    objective.aggregate = named<Aggregate>(
        aggregate, {{"mean", Aggregate::mean}, {"max", Aggregate::max}, {"ranked", Aggregate::ranked}});
    objective.rows = rows;
    objective.divisor = divisor;
    objective.constant = constant;
    objective.scale = scale;
    objective.attribute = attribute;
    objective.weights = std::move(weights);
    objective.level_costs = std::move(level_costs);
    objective.label_costs = std::move(label_costs);
    return objective;
}

nb::dict search(CodedTable& table, const Requirement& requirement, const Objective& objective, bool all_nodes,
                unsigned threads, std::size_t least_shared_work, const std::optional<nb::callable>& progress) {
    SearchOptions options;
    options.all_nodes = all_nodes;
    options.threads = std::max(threads, 1U);
    options.least_shared_work = least_shared_work;
    // Also without a listener, so that an interrupt stops a long search.
    options.progress = [&](const Progress& now) {
        const nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (progress) (*progress)(now.nodes, now.decided, now.found ? nb::cast(now.best) : nb::none());
    };
    SearchResult result;
    {
        const nb::gil_scoped_release unlocked;
        result = table.search(requirement, objective, options);
    }
    std::size_t checked_nodes = 0;
    std::size_t tagged_satisfying = 0;
    std::size_t tagged_failing = 0;
    for (const std::uint8_t tags : result.tags) {
        const bool was_checked = (tags & checked) != 0;
        checked_nodes += was_checked;
        tagged_satisfying += !was_checked && (tags & satisfies) != 0;
        tagged_failing += !was_checked && (tags & fails) != 0;
    }
    nb::dict out;
    out["found"] = result.found;
    out["checked"] = checked_nodes;
    out["tagged_satisfying"] = tagged_satisfying;
    out["tagged_failing"] = tagged_failing;
    out["rollups"] = result.counters.rollups;
    out["scans"] = result.counters.scans;
    out["touched"] = result.counters.touched;
    if (result.found) {
        nb::list levels;
        for (std::size_t c = 0; c < table.columns(); ++c) levels.append(static_cast<unsigned>(result.best.levels[c]));
        out["levels"] = levels;
        out["score"] = result.best.value;
        out["suppressed_rows"] = result.tally.failing_rows;
        out["classes"] = result.tally.classes;
    }
    if (all_nodes) {
        std::vector<std::size_t> satisfying;
        for (std::size_t i = 0; i < result.tags.size(); ++i) {
            if ((result.tags[i] & satisfies) != 0) satisfying.push_back(i);
        }
        out["satisfying"] = to_numpy(table.levels_of(satisfying), {satisfying.size(), table.columns()});
    }
    return out;
}

nb::tuple evaluate(Checker& checker, const std::vector<std::vector<unsigned>>& nodes) {
    std::vector<std::uint64_t> suppressed;
    std::vector<std::uint64_t> classes;
    std::vector<double> scores;
    {
        const nb::gil_scoped_release unlocked;
        for (const Evaluation& e : checker.evaluate(nodes)) {
            suppressed.push_back(e.suppressed_rows);
            classes.push_back(e.classes);
            scores.push_back(e.score);
        }
    }
    return nb::make_tuple(to_numpy(std::move(suppressed)), to_numpy(std::move(classes)), to_numpy(std::move(scores)));
}

std::unique_ptr<Checker> make_checker(CodedTable& table, const Requirement& requirement,
                                      const Objective& objective, bool project, bool rollup, bool hand_out,
                                      std::size_t snapshots, std::uint64_t snapshot_classes, double kept_share,
                                      std::size_t memory) {
    return table.checker(requirement, objective,
                         {project, rollup, hand_out, snapshots, snapshot_classes, kept_share, memory});
}

std::unique_ptr<Checked> check(Checker& checker, const std::vector<unsigned>& node, const Checked* source) {
    const nb::gil_scoped_release unlocked;
    return checker.check(node, source);
}

std::unique_ptr<Checked> prepare(Checker& checker, const std::vector<unsigned>& node, const Checked* source) {
    const nb::gil_scoped_release unlocked;
    return checker.prepare(node, source);
}

nb::tuple classes(CodedTable& table, const std::vector<std::vector<unsigned>>& path) {
    Classes result = table.classes(path);
    const std::size_t count = result.counts.size();
    return nb::make_tuple(to_numpy(std::move(result.labels), {count, table.columns()}),
                          to_numpy(std::move(result.counts)));
}

nb::tuple index(const std::vector<Array<Label>>& codes, const std::vector<Label>& cardinalities) {
    std::vector<std::span<const Label>> columns;
    for (const auto& column : codes) columns.push_back(view(column));
    RowIndex result;
    {
        const nb::gil_scoped_release unlocked;
        result = index_rows(columns, cardinalities);
    }
    return nb::make_tuple(to_numpy(std::move(result.tuple)), to_numpy(std::move(result.counts)));
}

std::unique_ptr<BitmapTable> make_bitmap_table(const std::vector<Array<Label>>& codes,
                                               const std::vector<std::vector<Array<Label>>>& maps) {
    if (maps.size() != codes.size()) throw std::invalid_argument("codes and maps need one entry per column");
    std::vector<BitmapColumn> columns;
    for (std::size_t c = 0; c < codes.size(); ++c) {
        BitmapColumn column{view(codes[c]), {}};
        for (const auto& map : maps[c]) column.maps.emplace_back(map.data(), map.data() + map.size());
        columns.push_back(std::move(column));
    }
    const std::size_t rows = codes.empty() ? 0 : codes.front().size();
    const nb::gil_scoped_release unlocked;
    return std::make_unique<BitmapTable>(columns, rows);
}

nb::tuple extend(BitmapTable& table, const ClassBitmaps& source, unsigned column, unsigned level, std::uint64_t k,
                 std::uint64_t limit, bool pruning) {
    CountedClasses result;
    {
        const nb::gil_scoped_release unlocked;
        result = table.extend(source, column, level, {k, limit, pruning});
    }
    return nb::make_tuple(result.tally, std::move(result.classes));
}

nb::tuple generalize(BitmapTable& table, const ClassBitmaps& source, const std::vector<unsigned>& levels,
                     std::uint64_t k, std::uint64_t limit, bool pruning) {
    CountedClasses result;
    {
        const nb::gil_scoped_release unlocked;
        result = table.generalize(source, levels, {k, limit, pruning});
    }
    return nb::make_tuple(result.tally, std::move(result.classes));
}

BitmapTally count_node(BitmapTable& table, const std::vector<unsigned>& columns, const std::vector<unsigned>& levels,
                       std::uint64_t k, std::uint64_t limit, bool reusing, bool pruning) {
    const nb::gil_scoped_release unlocked;
    return table.count(columns, levels, {k, limit, pruning}, reusing);
}

nb::ndarray<nb::numpy, std::uint64_t> words_of(const BitmapTable& table, unsigned column, unsigned level,
                                               Label label) {
    std::vector<std::uint64_t> words;
    for (const Block& block : table.bitmap(column, level, label)) {
        words.insert(words.end(), block.words.begin(), block.words.end());
    }
    return to_numpy(std::move(words));
}

nb::tuple sizes(const ClassBitmaps& classes) {
    std::vector<std::uint64_t> rows;
    std::size_t begin = 0;
    for (const std::size_t end : classes.ends) {
        std::uint64_t count = 0;
        for (; begin < end; ++begin) count += count_common(classes.blocks[begin].words, classes.blocks[begin].words);
        rows.push_back(count);
    }
    return nb::make_tuple(
        to_numpy(std::vector<Label>(classes.labels), {classes.classes(), classes.columns.size()}),
        to_numpy(std::move(rows)));
}

using Words = Array<std::uint64_t>;

template <void (*combine)(std::span<const std::uint64_t>, std::span<const std::uint64_t>, std::span<std::uint64_t>)>
nb::ndarray<nb::numpy, std::uint64_t> combined(const Words& a, const Words& b) {
    std::vector<std::uint64_t> out(a.size());
    combine(view(a), view(b), out);
    return to_numpy(std::move(out));
}

nb::tuple combined_and_counted(const Words& a, const Words& b) {
    std::vector<std::uint64_t> out(a.size());
    const std::uint64_t count = intersect_and_count(view(a), view(b), out);
    return nb::make_tuple(to_numpy(std::move(out)), count);
}

}  // namespace

}  // namespace shoal

NB_MODULE(_kernel, m) {
    using namespace shoal;
    m.doc() = "Shoal's native kernel: frequency sets, roll-up and the exact search.";

    nb::class_<Objective>(m, "Objective", "What a search minimises; see cpp/include/shoal/objective.hpp.")
        .def("__init__", [](Objective* self, const std::string& term, double rows, double divisor,
                            std::vector<double> weights, std::vector<std::vector<double>> level_costs,
                            std::vector<std::vector<std::vector<double>>> label_costs, double constant, double scale,
                            std::size_t attribute, const std::string& aggregate) {
            new (self) Objective(make_objective(term, rows, divisor, std::move(weights), std::move(level_costs),
                                                std::move(label_costs), constant, scale, attribute, aggregate));
        }, "term"_a, "rows"_a, "divisor"_a = 1.0, "weights"_a = std::vector<double>{},
             "level_costs"_a = std::vector<std::vector<double>>{},
             "label_costs"_a = std::vector<std::vector<std::vector<double>>>{}, "constant"_a = 0.0, "scale"_a = 1.0,
             "attribute"_a = 0, "aggregate"_a = "mean");

    nb::class_<Condition>(m, "Condition", "One test of a class; see src/shoal/privacy/condition.py.")
        .def("__init__", [](Condition* self, const std::string& kind, std::size_t attribute, bool absorbing,
                            std::uint64_t least, double bound, std::vector<double> lower, std::vector<double> upper,
                            std::vector<double> totals, double people, std::vector<Label> order,
                            std::vector<std::vector<Label>> tree) {
            new (self) Condition(make_condition(kind, attribute, absorbing, least, bound, std::move(lower),
                                                std::move(upper), std::move(totals), people, std::move(order),
                                                std::move(tree)));
        }, "kind"_a, "attribute"_a, "absorbing"_a, "least"_a, "bound"_a, "lower"_a, "upper"_a, "totals"_a, "people"_a,
             "order"_a, "tree"_a);

    nb::class_<Requirement>(m, "Requirement", "What a release must satisfy; see cpp/include/shoal/requirement.hpp.")
        .def("__init__", [](Requirement* self, std::uint64_t k, std::uint64_t limit,
                            std::vector<Condition> conditions, double average_risk, std::optional<std::size_t> units,
                            bool judges_empty) {
            new (self) Requirement{k, limit, std::move(conditions), average_risk,
                                   units.value_or(Requirement::no_units), judges_empty};
        }, "k"_a, "limit"_a, "conditions"_a = std::vector<Condition>{},
             "average_risk"_a = std::numeric_limits<double>::infinity(), "units"_a = nb::none(),
             "judges_empty"_a = false)
        .def_ro("k", &Requirement::k)
        .def_ro("limit", &Requirement::limit)
        .def_prop_ro("sizes_only", &Requirement::sizes_only)
        .def_prop_ro("monotone", &Requirement::monotone);

    nb::class_<Checked>(m, "Checked", "A node whose frequency set was computed, and the set while it is of use.")
        .def_ro("satisfies", &Checked::satisfies)
        .def_ro("hopeless", &Checked::hopeless)
        .def_ro("suppressed_rows", &Checked::suppressed_rows)
        .def_ro("classes", &Checked::classes)
        .def_ro("bound", &Checked::bound)
        .def_ro("score", &Checked::score)
        .def_prop_ro("kept", &Checked::kept);

    // A set lives in the memory of its table, which therefore has to outlive it.
    nb::class_<Checker>(m, "Checker", "Judges nodes one by one.")
        .def("check", &check, "node"_a, "source"_a.none() = nb::none(), nb::keep_alive<0, 1>())
        .def("prepare", &prepare, "node"_a, "source"_a.none() = nb::none(), nb::keep_alive<0, 1>())
        .def("evaluate", &evaluate, "nodes"_a)
        .def_prop_ro("counters", [](const Checker& self) {
            const Counters counters = self.counters();
            nb::dict out;
            out["checked"] = counters.checked;
            out["rollups"] = counters.rollups;
            out["scans"] = counters.scans;
            out["touched"] = counters.touched;
            out["snapshots"] = counters.snapshots;
            out["evicted"] = counters.evicted;
            return out;
        });

    nb::class_<CodedTable>(m, "CodedTable", "A coded table with its level maps; holds F0.")
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
        .def("classes", &classes, "path"_a);

    nb::class_<BitmapTally>(m, "BitmapTally", "What judging a node by bitmaps found, and what it took.")
        .def_ro("failing_rows", &BitmapTally::failing_rows)
        .def_ro("classes", &BitmapTally::classes)
        .def_ro("operations", &BitmapTally::operations)
        .def_ro("words", &BitmapTally::words)
        .def_ro("cut", &BitmapTally::cut);

    nb::class_<ClassBitmaps>(m, "ClassBitmaps", "The classes of a node, each with the bitmap of its rows.")
        .def_prop_ro("columns", [](const ClassBitmaps& self) { return self.columns; })
        .def_prop_ro("levels", [](const ClassBitmaps& self) { return self.levels; })
        .def_prop_ro("bytes", &ClassBitmaps::bytes)
        .def("__len__", &ClassBitmaps::classes)
        .def("sizes", &sizes, "The labels of each class, and its rows.");

    nb::class_<BitmapTable>(m, "BitmapTable", "Bitmaps of all labels; see cpp/include/shoal/bitmap_table.hpp.")
        .def(nb::new_(&make_bitmap_table), "codes"_a, "maps"_a)
        .def_prop_ro("rows", &BitmapTable::rows)
        .def_prop_ro("bytes", &BitmapTable::bytes)
        .def("bitmap", &words_of, "column"_a, "level"_a, "label"_a)
        .def("count", &count_node, "columns"_a, "levels"_a, "k"_a, "limit"_a, "reusing"_a = true, "pruning"_a = true)
        .def("everything", &BitmapTable::everything)
        .def("extend", &extend, "source"_a, "column"_a, "level"_a, "k"_a, "limit"_a, "pruning"_a = true)
        .def("generalize", &generalize, "source"_a, "levels"_a, "k"_a, "limit"_a, "pruning"_a = true);

    m.attr("bitmap_block_rows") = block_rows;
    m.def("bitmap_intersect", &combined<&intersect>, "a"_a, "b"_a);
    m.def("bitmap_subtract", &combined<&subtract>, "a"_a, "b"_a);
    m.def("bitmap_unite", &combined<&unite>, "a"_a, "b"_a);
    m.def("bitmap_intersect_and_count", &combined_and_counted, "a"_a, "b"_a);
    m.def("bitmap_count_common",
          [](const Words& a, const Words& b) { return count_common(view(a), view(b)); }, "a"_a, "b"_a);
    m.attr("least_shared_work") = SearchOptions{}.least_shared_work;
    m.attr("max_columns") = max_columns;
    m.attr("max_nodes") = max_nodes;
    m.def("index_rows", &shoal::index, "codes"_a, "cardinalities"_a,
          "The tuple of each row, and the rows of each tuple.");
    m.def("instruction_sets", &instruction_sets);
    m.def("use_instruction_set", &use_instruction_set, "name"_a);
}
