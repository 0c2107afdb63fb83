#include "problem.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "bind.hpp"
#include "shoal/objective.hpp"
#include "shoal/requirement.hpp"

using namespace nanobind::literals;

namespace shoal {

namespace {

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

}  // namespace

void bind_problem(nb::module_& m) {
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

    nb::class_<AttributeArrays>(m, "Attribute", "What is counted in classes beside their rows.")
        .def("__init__", [](AttributeArrays* self, Array<Label> codes, Label entries, Label values, bool once,
                            std::optional<Array<std::uint64_t>> weights, std::optional<Array<Label>> value_of) {
            new (self) AttributeArrays{std::move(codes), entries, values, once, std::move(weights),
                                       std::move(value_of)};
        }, "codes"_a, "entries"_a, "values"_a, "once"_a = false, "weights"_a = nb::none(), "value_of"_a = nb::none())
        .def_ro("entries", &AttributeArrays::entries)
        .def_ro("values", &AttributeArrays::values)
        .def_ro("once", &AttributeArrays::once)
        .def("__repr__", [](nb::handle self) { return represent(self, {"entries", "values", "once"}); });
}

}  // namespace shoal
