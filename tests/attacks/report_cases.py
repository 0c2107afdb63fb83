"""Small releases of every kind that a sentence of the reports could be false of."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pyarrow as pa
from pyarrow import csv

import shoal
from shoal.audit import Audit
from shoal.audit.signature import make_keys
from shoal.describe.hierarchy import Levels
from shoal.report import internal_html, public_html
from shoal.report.sections.utility import utility
from shoal.strategies.strategy import Chosen, Question
from shoal.utility.assess import UNMATCHED
from shoal.utility.learning import Learning
from tests.toys import toy
from tests.unit.report.page import Page

AGES = [21, 22, 23, 31, 32, 33, 34, 58]
PEOPLE = pa.table(
    {
        "name": [f"n{row}" for row in range(8)],
        "age": AGES,
        "sex": list("FFFMMMMM"),
        "ill": ["flu", "cold", "flu", "flu", "cold", "flu", "cold", "flu"],
    }
)
SPEC = shoal.Spec(
    identifiers=["name"],
    quasi_identifiers={"age": shoal.intervals(10, 20), "sex": "suppress"},
    sensitive=["ill"],
    privacy=[shoal.KAnonymity(3)],
    suppression=0.2,
)


def one_removed() -> shoal.Release:
    return shoal.anonymize(PEOPLE, SPEC)


def two_removed() -> shoal.Release:
    extra = pa.table({"name": ["x"], "age": [75], "sex": ["F"], "ill": ["flu"]})
    return shoal.anonymize(pa.concat_tables([PEOPLE, extra]), replace(SPEC, suppression=0.3))


def none_suppressed() -> shoal.Release:
    people = PEOPLE.slice(0, 7)
    spec = replace(SPEC, suppression=0.0, privacy=[shoal.KAnonymity(3), shoal.LDiversity("ill", 2)])
    return shoal.anonymize(people, spec)


def limited() -> shoal.Release:
    """The spec allows two of the four levels of age, and many rows of one sex are suppressed."""
    odd = pa.table(
        {"name": list("abcdefgh"), "age": range(50, 90, 5), "sex": list("FFFFMMMM"), "ill": ["flu"] * 8}
    )
    levels = {
        "age": shoal.QuasiIdentifier(hierarchy=shoal.intervals(1, 10, 20), max_level=1),
        "sex": "suppress",
    }
    people = pa.concat_tables([*[PEOPLE] * 4, odd])
    return shoal.anonymize(people, replace(SPEC, quasi_identifiers=levels, suppression=0.5))


def three_starred() -> shoal.Release:
    extra = pa.table({"name": ["x", "y"], "age": [75, 88], "sex": ["F", "F"], "ill": ["cold", "flu"]})
    people = pa.concat_tables([PEOPLE, extra])
    fixed = {
        "age": shoal.QuasiIdentifier(hierarchy=shoal.intervals(10, 20), min_level=1, max_level=1),
        "sex": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0),
    }
    spec = replace(SPEC, quasi_identifiers=fixed, suppressed="star", suppression=0.4)
    return shoal.anonymize(people, spec)


def empty() -> shoal.Release:
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)},
        privacy=[shoal.KAnonymity(2)],
        suppression=1.0,
    )
    return shoal.anonymize(pa.table({"age": [1, 2, 3]}), spec)


def all_starred() -> shoal.Release:
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)},
        sensitive=["ill"],
        privacy=[shoal.KAnonymity(2)],
        suppression=1.0,
        suppressed="star",
    )
    return shoal.anonymize(pa.table({"age": [1, 2, 3], "ill": ["a", "b", "a"]}), spec)


def people_counted(*, proposed: bool = False) -> shoal.Release:
    """Visits: the smallest class has 7 rows of 3 people, and one person has rows in two classes."""
    ages = [21] * 7 + [41] * 5
    patients = [1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7]
    visits = pa.table({"age": ages, "patient": patients, "ill": list("abcabcabcabc")})
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(20)},
        sensitive=["ill"],
        unit="patient",
        privacy=[shoal.KAnonymity(3)],
        proposed=proposed,
    )
    return shoal.anonymize(visits, spec)


def several_classes() -> shoal.Release:
    """Two visits of Ann, in two classes: HIV is the only illness of both."""
    visits = pa.table(
        {
            "age": [29, 28, 31, 35],
            "patient": ["Ann", "Bob", "Ann", "Cid"],
            "ill": ["HIV", "flu", "HIV", "gout"],
        }
    )
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive=["ill"],
        identifiers=["patient"],
        unit="patient",
        privacy=[shoal.KAnonymity(2), shoal.LDiversity("ill", 2), shoal.AlphaK("ill", 0.5, 2)],
    )
    return shoal.anonymize(visits, spec)


def proposed_unit() -> shoal.Release:
    return people_counted(proposed=True)


def proposed() -> shoal.Release:
    return shoal.anonymize(PEOPLE, replace(SPEC, proposed=True), keep_order=True)


def by_hand() -> shoal.Release:
    nodes = shoal.anonymize(PEOPLE, SPEC, all_nodes=True).satisfying_nodes
    assert nodes is not None
    return nodes.release(len(nodes) - 1)


def heuristic() -> shoal.Release:
    return shoal.anonymize(PEOPLE, SPEC, algorithm="datafly")


def keeps_more() -> shoal.Release:
    """Three rows need `*`, and with one level per column all ten others get it too."""
    ages = [21] * 5 + [33] * 5 + [55, 58, 71]
    spec = shoal.Spec(quasi_identifiers={"age": shoal.intervals(10, 20)}, privacy=[shoal.KAnonymity(3)])
    return shoal.anonymize(pa.table({"age": ages}), spec)


def one_choice() -> shoal.Release:
    """A column of one value that may not be generalized, no sensitive column, NULL forbidden."""
    fixed = shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0, null="forbid")
    spec = shoal.Spec(quasi_identifiers={"country": fixed}, privacy=[shoal.KAnonymity(2)])
    return shoal.anonymize(pa.table({"country": ["NL"] * 4}), spec)


def dropped() -> shoal.Release:
    """Columns that the spec does not name are dropped: that says nothing of what is in them."""
    weather = PEOPLE.append_column("weather", pa.array(["sun"] * 8))
    return shoal.anonymize(weather, SPEC, drop_undeclared=True)


def tokens() -> shoal.Release:
    """The names are pseudonyms: no other column has its values unchanged, and none is left out."""
    with tempfile.TemporaryDirectory() as folder:
        key, _ = make_keys(Path(folder) / "project.pem")
        spec = replace(SPEC, identifiers=[], pseudonyms=["name"], key=key, unit="name")
        return shoal.anonymize(PEOPLE, spec)


def blind() -> shoal.Release:
    """The search sees k-anonymity alone; the other model is checked at the levels that it chose."""
    models = [shoal.KAnonymity(3), shoal.LDiversity("ill", 2)]
    return shoal.anonymize(PEOPLE, replace(SPEC, privacy=models, choose_by="quasi-identifiers"))


def blind_by_hand() -> shoal.Release:
    models = [shoal.KAnonymity(3), shoal.LDiversity("ill", 2)]
    spec = replace(SPEC, privacy=models, choose_by="quasi-identifiers")
    nodes = shoal.anonymize(PEOPLE, spec, all_nodes=True).satisfying_nodes
    assert nodes is not None
    return nodes.release(1)


def present() -> shoal.Release:
    """The spec allows to suppress rows, and a model forbids it: who is missing would be a clue."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "town.csv"
        csv.write_csv(pa.concat_tables([PEOPLE.select(["age", "sex"])] * 3), file)
        model = shoal.DeltaPresence(lower=0.0, upper=0.5, population=file)
        return shoal.anonymize(PEOPLE, replace(SPEC, privacy=[model]))


def close() -> shoal.Release:
    models = [shoal.KAnonymity(3), shoal.TCloseness("ill", 0.4)]
    return shoal.anonymize(PEOPLE, replace(SPEC, privacy=models))


def accepted() -> shoal.Release:
    visits = PEOPLE.append_column("visit", pa.array([f"v{row}" for row in range(8)]))
    return shoal.anonymize(visits, replace(SPEC, insensitive=["visit"], accept={"visit": "linkable"}))


def wide() -> shoal.Release:
    """Six columns make fifteen pairs; all rows differ in one column alone."""
    people = pa.table({f"q{column}": [1, 1, 2, 2] for column in range(5)} | {"ill": list("abab")})
    fixed = shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)
    spec = shoal.Spec(
        quasi_identifiers=dict.fromkeys(people.column_names[:5], fixed),
        sensitive=["ill"],
        privacy=[shoal.KAnonymity(2)],
    )
    return shoal.anonymize(people, spec)


def one_row() -> shoal.Release:
    fixed = shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)
    spec = shoal.Spec(quasi_identifiers={"age": fixed}, privacy=[shoal.KAnonymity(2)], suppression=1.0)
    return shoal.anonymize(pa.table({"age": [1]}), spec)


def many_labels() -> shoal.Release:
    """Suppressed rows have ten labels of a column, and released rows have them too."""
    q = [label for label in "abcdefghij" for _ in range(6)]
    z = [str(row) if row % 6 >= 3 else "same" for row in range(60)]
    fixed = shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)
    spec = shoal.Spec(
        quasi_identifiers={"q": fixed, "z": fixed}, privacy=[shoal.KAnonymity(3)], suppression=0.5
    )
    return shoal.anonymize(pa.table({"q": q, "z": z}), spec)


class Bare:
    """Somebody's own hierarchy: it has no levels and does not say what it does."""

    def levels(self, values: pa.Array) -> Levels:
        return Levels.of(values, [])

    def to_spec(self) -> object:
        return "bare"


def bare() -> shoal.Release:
    spec = shoal.Spec(quasi_identifiers={"age": Bare()}, privacy=[shoal.KAnonymity(2)])
    return shoal.anonymize(pa.table({"age": [1, 1, 2, 2]}), spec)


def frequent_values() -> shoal.Release:
    """A recoding that is no choice of levels."""
    return shoal.anonymize(PEOPLE, SPEC, recoding=toy("frequent_values").KeepFrequent())


def best_values() -> shoal.Release:
    """The same, by a strategy that says that it proved it."""
    strategy = toy("frequent_values").KeepFrequent

    class Proving(strategy):  # type: ignore[misc, valid-type]
        def choose(self, question: Question) -> Chosen:
            return replace(super().choose(question), optimal=True)

    return shoal.anonymize(PEOPLE, SPEC, recoding=Proving())


MIXED = pa.table({"age": [21] * 3 + [24, 36, 38, 52, 54, 56], "sex": ["F"] * 6 + ["M"] * 3})


def overlapping(*, starred: bool = False) -> shoal.Release:
    """Three people are 21, and one of those from 20 to 39 could be."""
    spec = replace(SPEC, identifiers=[], sensitive=[], suppression=0.0)
    people = MIXED
    if starred:
        spec = replace(spec, suppressed="star", suppression=0.4)
        columns = {
            "age": shoal.QuasiIdentifier(hierarchy=shoal.intervals(10, 20), max_level=2),
            "sex": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0),
        }
        spec = replace(spec, quasi_identifiers=columns)
        odd = pa.table({"age": [71, 72, 88], "sex": ["X", "Y", "Z"]})
        people = pa.concat_tables([MIXED, odd])
    return shoal.anonymize(people, spec, recoding="cells")


def starred_cells() -> shoal.Release:
    return overlapping(starred=True)


def no_overlap() -> shoal.Release:
    """The classes of men and of women have ages in common, but no label of one covers one of the other."""
    people = MIXED.filter([True] * 3 + [False] * 3 + [True] * 3)
    return shoal.anonymize(people, replace(SPEC, identifiers=[], sensitive=[]), recoding="mondrian")


def many_cells() -> shoal.Release:
    """Seven labels of two rows each."""
    people = pa.table({"age": [age for age in range(20, 90, 10) for _ in range(2)]})
    spec = shoal.Spec(quasi_identifiers={"age": shoal.intervals(10)}, privacy=[shoal.KAnonymity(2)])
    return shoal.anonymize(people, spec, recoding="cells")


def averages() -> shoal.Release:
    """Two classes of three people; each row has the mean of its class."""
    people = pa.table({"age": [21, 24, 27, 52, 54, 59], "height": [160, 165, 163, 181, 184, 176]})
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10), "height": "suppress"}, privacy=[shoal.KAnonymity(3)]
    )
    return shoal.anonymize(people, spec, recoding="microaggregation")


def medians() -> shoal.Release:
    """Two have the same age, and one of two has none: no row is unlike its class, and no age is rounded."""
    people = pa.table({"age": pa.array([21, 21, 40, 47, 80, None], pa.int64())})
    spec = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KAnonymity(2)])
    recoding = {"microaggregation": {"labels": "median"}}
    return shoal.anonymize(people, spec, recoding=recoding, keep_order=True)


def some_averages() -> shoal.Release:
    """Two classes of four: the mean of ages, the mode of jobs, the set of towns."""
    people = pa.table(
        {
            "age": [21, 24, 27, 29, 52, 54, 59, 63],
            "job": ["cook", "cook", "clerk", "cook", "judge", "judge", "judge", "clerk"],
            "town": ["Ulm", "Bonn", "Ulm", "Bonn", "Jena", "Jena", "Trier", "Jena"],
        }
    )
    spec = shoal.Spec(
        quasi_identifiers=dict.fromkeys(people.column_names, "suppress"), privacy=[shoal.KAnonymity(4)]
    )
    return shoal.anonymize(people, spec, recoding={"partition": {"labels": {"age": "mean", "job": "mode"}}})


def fixed_labels() -> shoal.Release:
    """The spec forbids original values: each label covers one of them, and none is one."""
    column = shoal.QuasiIdentifier(hierarchy=shoal.intervals(10), min_level=1)
    spec = shoal.Spec(quasi_identifiers={"age": column}, privacy=[shoal.KAnonymity(3)])
    return shoal.anonymize(pa.table({"age": [21] * 3 + [35] * 3}), spec, recoding="cells")


def partitioned() -> shoal.Release:
    """Four people with the same age and sex are men of 30, and one of them shares a class with men of 51."""
    people = pa.table(
        {
            "age": [21, 22, 23, 30, 30, 40, 40, 51] * 2,
            "sex": ["F"] * 3 + ["M", "M", "F", "F", "M"] + ["F"] * 3 + ["M", "M", "F", "F", "M"],
            "ill": ["flu", "cold"] * 8,
        }
    )
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress", "sex": "suppress"},
        sensitive=["ill"],
        privacy=[shoal.KAnonymity(3), shoal.TCloseness("ill", 0.3)],
    )
    return shoal.anonymize(people, spec, recoding="partition")


def partitioned_without_models() -> shoal.Release:
    """No model is about a sensitive column, so no class depends on one."""
    spec = replace(SPEC, suppression=0.0, privacy=[shoal.KAnonymity(3)])
    return shoal.anonymize(PEOPLE, spec, recoding={"partition": {"labels": "nodes"}})


def partitioned_by_values() -> shoal.Release:
    """Women and men have the same illnesses, so that classes by sex alone are as fine as can be."""
    people = pa.table({"sex": ["F"] * 4 + ["M"] * 4, "ill": ["flu", "cold"] * 4})
    spec = shoal.Spec(
        quasi_identifiers={"sex": "suppress"},
        sensitive=["ill"],
        privacy=[shoal.KAnonymity(4), shoal.TCloseness("ill", 0.1)],
    )
    return shoal.anonymize(people, spec, recoding="partition")


def kinds(hierarchy: shoal.describe.hierarchy.Hierarchy | None = None) -> shoal.Release:
    """Illnesses of two kinds, which a model judges. The only burn is suppressed."""
    people = pa.table(
        {
            "age": [21, 22, 23, 24, 31, 32, 33, 34, 58],
            "ill": ["flu", "cold", "gout", "flu", "flu", "cold", "gout", "gout", "burn"],
        }
    )
    ages = shoal.QuasiIdentifier(hierarchy=shoal.intervals(10), max_level=1)
    ill = hierarchy or shoal.taxonomy({"lungs": ["flu", "cold"], "other": ["gout", "burn"]})
    spec = shoal.Spec(
        quasi_identifiers={"age": ages},
        sensitive={"ill": shoal.Sensitive(hierarchy=ill)},
        privacy=[shoal.KAnonymity(3), shoal.BetaLikeness("ill", 2, kind="basic", from_level=1)],
        suppression=0.2,
    )
    return shoal.anonymize(people, spec)


def kinds_in_a_file() -> shoal.Release:
    """The same, but recipients do not have the hierarchy."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ill.csv"
        file.write_text("flu;lungs;*\ncold;lungs;*\ngout;other;*\nburn;other;*\n", encoding="utf-8")
        return kinds(shoal.hierarchy_file(file))


def ranges() -> shoal.Release:
    return shoal.anonymize(PEOPLE, SPEC, recoding={"mondrian": {"labels": "ranges"}})


def sets() -> shoal.Release:
    return shoal.anonymize(PEOPLE, SPEC, recoding={"mondrian": {"labels": "sets"}})


def no_cells() -> shoal.Release:
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)},
        privacy=[shoal.KAnonymity(2)],
        suppression=1.0,
    )
    return shoal.anonymize(pa.table({"age": [1, 2, 3]}), spec, recoding="cells")


CASES: dict[str, Callable[[], shoal.Release]] = {
    make.__name__: make
    for make in (
        one_removed, two_removed, none_suppressed, limited, three_starred, empty, all_starred, by_hand,
        people_counted, several_classes, proposed_unit, proposed, heuristic, keeps_more, one_choice, dropped,
        blind, blind_by_hand, present, close, accepted, wide, one_row, many_labels, bare, frequent_values,
        best_values, overlapping, starred_cells, no_overlap, many_cells, no_cells, averages, medians,
        some_averages, fixed_labels, partitioned, partitioned_without_models, partitioned_by_values, kinds,
        kinds_in_a_file, ranges, sets, tokens,
    )
}  # fmt: skip


@cache
def release(case: str) -> shoal.Release:
    return CASES[case]()


@cache
def internal(case: str) -> str:
    """Return the text of the publisher's own report."""
    if case == "sampled":
        return _text(internal_html(release("two_removed"), models=False, sampling_fraction=0.1))
    if case == "sampled_visits":
        return _text(internal_html(release("people_counted"), models=False, sampling_fraction=0.1))
    if case == "failing":
        found = release("none_suppressed")
        broken = [replace(each, holds=False) for each in found.audit.findings[:1]]
        unknown = [replace(each, holds=False, checkable=False) for each in found.audit.findings[1:2]]
        audit = Audit((*broken, *unknown), found.audit.rows, 0)
        return _text(internal_html(found, audit=audit, models=False))
    if case == "parquet":
        return _text(internal_html(release("one_removed"), name="release.parquet", models=False))
    return _text(internal_html(release(case), models=False))


@cache
def learned(case: str) -> str:
    """Return what the publisher's own report says of models that learn from the release."""
    accuracy = {
        "better": (0.6, 0.7, 0.5),  # of the original, of the release, of always the same guess
        "worse": (0.7, 0.6, 0.5),
        "nothing": (0.5, 0.4, 0.5),
        "no_column": None,
        "unmatched": (0.6, 0.6, 0.5),
        "not_installed": None,
        "numbers": (0.7, 0.6, 0.0),
    }[case]
    found = release("one_removed").utility(models=False)
    if accuracy is not None:
        original, released, same = accuracy
        measure = "R2" if case == "numbers" else "accuracy"
        found = replace(found, learning=(Learning("ill", "tree", measure, original, released, 0.0, same),))
        if case == "unmatched":
            found = replace(found, notes=(UNMATCHED,))
    section = utility(found, models=True, installed=case != "not_installed")
    drawn = "".join(f"<p>{each.heading} {each.picture} {each.words}</p>" for each in section.learning)
    return _text(f"<html><body><p>{section.learning_words}</p>{drawn}</body></html>")


@cache
def public(case: str) -> str:
    """Return the text of the report for recipients, as it is written."""
    found = release(case)
    labels = {choice.column: choice.labels for choice in found.choices()}
    gains = found.gains(handed_on=True)
    return _text(
        public_html(
            manifest(case), labels, found.overlapping, found.columns_beside, gains, found.distinguishing
        )
    )


@cache
def manifest(case: str) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        path = release(case).write(Path(folder) / "release.csv")
        read: dict[str, object] = json.loads(path.with_name("release.csv.manifest.json").read_text("utf-8"))
        return read


def _text(html: str) -> str:
    return " ".join(Page(html).text.split()).replace("( ", "(")
