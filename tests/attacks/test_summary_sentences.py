"""A summary that is pasted into a ticket or a paper: a line of it that is not true of the release.

Whoever reads it does not see the report. Summaries, notes, notebooks, extensions, figures of risk and the
promises of the README are each tried where the line would be false.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from math import log2
from pathlib import Path
from statistics import pvariance

import duckdb
import pyarrow as pa
import pytest
from pyarrow import csv
from typer.testing import CliRunner

import shoal
from shoal import registry
from shoal.audit import Audit, Finding
from shoal.audit.signature import make_keys
from shoal.cli.main import app
from shoal.report import internal_html
from shoal.search.algorithms.best_first import BestFirst
from shoal.search.result import Counters, SearchResult
from shoal.strategies.full_domain_search import on_size

from . import report_cases as cases

ROOT = Path(__file__).parents[2]


def test_a_search_that_ended_is_not_said_to_have_stopped_after_seconds() -> None:
    """Where starred rows fail, the answer may be a heuristic although the search itself was proved."""
    ended = SearchResult(
        levels=(0,), score=0.0, suppressed_rows=0, classes=1, counters=Counters(lattice=2**30)
    )
    (note,) = on_size(2**30, BestFirst(), ended)
    assert "seconds" not in note
    (note,) = on_size(2**30, BestFirst(), replace(ended, optimal=False))
    assert "stopped after 10 seconds" in note


def test_no_row_is_said_to_be_starred_first_where_none_may_be() -> None:
    assert "smallest classes starred first" in cases.release("three_starred").summary()
    town = pa.table({"age": ["*"] * 9})
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"},
        privacy=[shoal.DeltaPresence(lower=0.2, upper=0.5, population=town)],
        suppression=0.5,
        suppressed="star",
    )
    assert "proved optimal (" in shoal.anonymize(town.slice(0, 3), spec).summary()


def test_levels_that_somebody_picked_are_not_said_to_be_chosen_by_quasi_identifiers() -> None:
    for case in ("blind", "blind_by_hand"):
        (note,) = [each for each in cases.release(case).notes if "sensitive" in each]
        assert note == "Models of sensitive columns took no part in the search; they were checked afterwards."
    assert "chosen by the quasi-identifiers" not in cases.release("blind_by_hand").summary()


def test_a_sensitive_column_that_no_model_covers_is_named() -> None:
    """Everybody in a crowd of three has the same disease: k-anonymity holds, and the summary warns."""
    people = pa.table(
        {"age": [20] * 3 + [30] * 3, "disease": ["HIV"] * 3 + ["flu"] * 3, "job": list("abcabc")}
    )
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"}, sensitive=["disease", "job"], privacy=[shoal.KAnonymity(3)]
    )
    warned = "No model covers the sensitive {}: a class may reveal the values of its people."
    assert warned.format("columns disease, job") in shoal.anonymize(people, spec).notes
    half = replace(spec, privacy=(shoal.KAnonymity(3), shoal.LDiversity("disease", 2)))
    assert warned.format("column job") in shoal.anonymize(people, half).notes
    both = replace(half, privacy=(*half.privacy, shoal.LDiversity("job", 2)))
    assert not [note for note in shoal.anonymize(people, both).notes if "No model" in note]


def test_classes_of_one_size_are_not_a_range(tmp_path: Path) -> None:
    """Three classes of three rows each, to which an extension adds three rows each."""
    people = pa.table({"name": list("abcdefghi"), "age": [20] * 3 + [30] * 3 + [40] * 3})
    spec = shoal.Spec(
        identifiers=["name"], quasi_identifiers={"age": shoal.intervals(10)}, privacy=[shoal.KAnonymity(3)]
    )
    release = shoal.anonymize(people, spec)
    assert dict(release.facts())["Classes"] == "3 of 3 rows"
    assert dict(release.risk().after.facts())["Classes"] == "3, of 3"
    path = release.write(tmp_path / "release.csv")
    later = people.set_column(0, "name", pa.array(list("jklmnopqr")))
    extension = shoal.extend(f"{path}.manifest.json", later, original=people)
    assert dict(extension.facts())["Added"] == "9 rows in 3 classes of 3 rows"


def test_null_is_counted_among_the_labels() -> None:
    """Four ages and NULL are five labels: the report says so, and the summary said four."""
    people = pa.table({"age": pa.array([20, 30, 40, 50, None] * 3, pa.int64())})
    spec = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KAnonymity(3)])
    (choice,) = shoal.anonymize(people, spec).choices()
    assert choice.labels == "20, 30, 40, NULL, ... (5 labels)"


@pytest.mark.parametrize(
    ("holds", "checkable", "words"),
    [
        (True, True, "All claims hold"),
        (False, True, "Not all claims hold"),
        (False, False, "No claim fails, but not all can be checked"),
    ],
)
def test_a_claim_that_cannot_be_checked_is_not_said_to_fail(holds: bool, checkable: bool, words: str) -> None:
    audit = Audit((Finding("k-anonymity 3", holds, "", "", checkable=checkable),), 1, 0)
    assert f"{words}: 1 row, of which 0 starred" in audit._repr_html_()


def test_the_readme_counts_the_exact_algorithms() -> None:
    """best-first is exact if its time is enough: it is promised apart."""
    exact = [name for name in registry.names("algorithms") if registry.resolve("algorithms", name)().exact]
    assert len(set(exact) - {"best-first"}) == 13
    assert BestFirst().seconds == 10
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert "stops after ten seconds, reports that, and gives a bound. Thirteen exact algorithms" in text


def test_identifiers_are_loaded_only_where_the_readme_says() -> None:
    """A frame that counts which of its columns are read."""
    read: list[set[str]] = []
    source = cases.release("one_removed").source
    original = type(source).read

    def counting(self: object, columns: list[str], **rest: object) -> pa.Table:
        read.append(set(columns))
        return original(self, columns, **rest)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(source), "read", counting)
        release = shoal.anonymize(cases.PEOPLE, cases.SPEC)
        release.risk()
    assert read and not any("name" in columns for columns in read)


def test_what_the_readme_promises_of_a_manifest() -> None:
    """Claims with their SQL, the hash, and no figure that compares with the original table."""
    claims = cases.manifest("close")["claims"]
    assert isinstance(claims, list) and all(claim["sql"] for claim in claims)
    (closeness,) = [claim for claim in claims if "closeness" in claim["claim"]]
    assert closeness["figure"] is None and not re.search(r"\d", closeness["measured"])


@pytest.mark.parametrize(("suppressed", "share"), [("remove", "50%"), ("star", "38%")])
def test_a_suppressed_row_is_not_called_unchanged(suppressed: str, share: str) -> None:
    """The judge and the bishop, alone in their towns, keep their jobs in classes that are suppressed."""
    people = pa.table(
        {
            "job": ["cook"] * 3 + ["nurse", "doctor", "aide", "judge", "bishop"],
            "town": ["A"] * 3 + ["B"] * 3 + ["C", "D"],
        }
    )
    town = shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)
    spec = shoal.Spec(
        quasi_identifiers={"job": "suppress", "town": town},
        privacy=[shoal.KAnonymity(2)],
        suppression=0.25,
        suppressed=suppressed,
    )
    release = shoal.anonymize(people, spec, recoding="cells", keep_order=True)
    rows = list(zip(people["job"].to_pylist(), release.table["job"].to_pylist(), strict=False))
    assert release.suppressed_rows == 2
    assert f"{sum(job == label for job, label in rows) / len(rows):.0%}" == share
    assert release.choices()[0].chosen == f"{share} of the rows"


BLIND = shoal.Spec(
    quasi_identifiers={"age": shoal.intervals(10), "sex": "suppress"},
    sensitive=["ill"],
    privacy=[shoal.KAnonymity(3), shoal.LDiversity("ill", 2)],
    suppression=0.2,
    choose_by="quasi-identifiers",
)


@pytest.mark.parametrize("recoding", ["full-domain", "cells"])
def test_a_comparison_lists_what_would_be_released(recoding: str) -> None:
    """A choice by the quasi-identifiers alone ended the comparison with a traceback."""
    people = cases.PEOPLE.drop_columns(["name"])
    (point,) = shoal.compare(people, BLIND, recodings=[recoding]).points
    release = shoal.anonymize(people, BLIND, recoding=recoding)
    assert (point.suppressed_rows, point.score) == (release.suppressed_rows, release.score)
    assert point.smallest_class == min(release.class_sizes)
    alike = people.set_column(2, "ill", pa.array(["flu"] * 7 + ["cold"]))
    (point,) = shoal.compare(alike, BLIND, recodings=[recoding]).points
    assert point.problem is not None and "ill" in point.problem
    with pytest.raises(shoal.InfeasibleError):
        shoal.anonymize(alike, BLIND, recoding=recoding)


def test_a_comparison_refuses_what_removed_rows_reveal(tmp_path: Path) -> None:
    """All of the town who are in no released class are in the table."""
    people = pa.table({"zip": ["1"] * 4 + ["2"]})
    town = tmp_path / "town.csv"
    csv.write_csv(pa.table({"zip": ["1"] * 8 + ["2"]}), town)
    column = shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)
    model = shoal.DeltaPresence(lower=0.0, upper=0.5, population=town)
    spec = shoal.Spec(
        quasi_identifiers={"zip": column},
        types={"zip": "text"},
        privacy=[shoal.KAnonymity(2), model],
        suppression=0.2,
    )
    with pytest.raises(shoal.InfeasibleError, match="removed rows"):
        shoal.anonymize(people, spec)
    (point,) = shoal.compare(people, spec).points
    assert point.problem is not None and "removed rows" in point.problem


def test_a_label_that_covers_one_value_is_not_that_value() -> None:
    """Ages are given by the decade, and each decade has one age: nothing is lost, and all are generalized."""
    release = cases.release("fixed_labels")
    assert set(release.table["age"].to_pylist()) == {"[20, 30)", "[30, 40)"}
    assert release.score == 0
    assert release.choices()[0].chosen == "0% of the rows"
    assert "The quasi-identifier is generalized." in cases.internal("fixed_labels")
    assert "The quasi-identifier is not generalized." in cases.internal("one_choice")


def test_a_median_is_one_of_the_values_and_leaves_null_out() -> None:
    """What recipients read of such numbers: the lower of two, without NULL, perhaps somebody's own."""
    release = cases.release("medians")
    assert release.table["age"].to_pylist() == [21, 21, 40, 47, 47, 40]
    page = cases.public("medians")
    assert "Of age a row has an average over all rows of its class in place of its own value" in page
    assert "Of two middle values the median is the lower one. NULL does not count where others have" in page
    assert "A mean is rounded. NULL does not count where others have" in cases.public("averages")


def test_ranges_are_advised_only_where_something_is_lost() -> None:
    """All rows keep their ages, or the spec forbids it: then no range keeps more."""
    people = pa.table({"age": [21] * 3 + [35] * 3 + [50] * 3})
    for least, k, advised in ((0, 3, False), (0, 4, True), (1, 4, False)):
        column = shoal.QuasiIdentifier(hierarchy=shoal.suppress(), min_level=least)
        spec = shoal.Spec(quasi_identifiers={"age": column}, privacy=[shoal.KAnonymity(k)])
        release = shoal.anonymize(people, spec, recoding="mondrian")
        assert any("`labels: ranges`" in note for note in release.notes) == advised
        ranges = shoal.anonymize(people, spec, recoding={"mondrian": {"labels": "ranges"}})
        assert advised or ranges.score == release.score


def test_what_means_lost_is_not_called_a_range() -> None:
    """The page named a share of the variance, and explained it as the share of a range that a cell hides."""
    release = cases.release("averages")
    page = cases.internal("averages")
    lost = [float(choice.chosen.split()[3].removesuffix("%")) for choice in release.choices()]
    share = f"{sum(lost) / 2:.1f}".removesuffix(".0") + "%"
    assert f"The squared error of the quasi-identifiers is {share} of their variance on average." in page
    assert f"Squared error {share} of the variance, mean of the quasi-identifiers" in page
    assert "of their detail" not in page


def test_medians_are_not_as_good_as_the_values_because_they_vary_as_much() -> None:
    """The page said that nothing was lost of ages whose summary had a squared error of a tenth and more.

    Medians of skewed classes lie as far apart as the values, however far they are from them. That ten labels
    tell all the bits of forty values cannot be.
    """
    ages = [20, 21, 35, 36, 37, 52, 53, 54, 70, 71, 72, 88]
    wages = [10, 90, 12, 95, 11, 60, 14, 99, 13, 80, 15, 97]
    people = pa.table({"age": ages, "wage": wages})
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress", "wage": "suppress"},
        privacy=[shoal.KAnonymity(3)],
        recoding={"microaggregation": {"labels": "median"}},
    )
    release = shoal.anonymize(people, spec, keep_order=True)
    page = internal_html(release, models=False)
    known, errors = release.utility(models=False), []
    seen = shoal.assess_utility(people, release.data, spec, models=False)
    for name, values in (("age", ages), ("wage", wages)):
        after = release.table[name].to_pylist()
        variance = pvariance(values)
        errors.append(sum((x - y) ** 2 for x, y in zip(values, after, strict=True)) / 12 / variance)
        assert known.columns[name].loss == pytest.approx(errors[-1])
        assert f"{errors[-1]:.2%} of the variance" in page
        in_order = zip(sorted(values), sorted(after), strict=True)
        least = sum((x - y) ** 2 for x, y in in_order) / 12 / variance
        assert seen.columns[name].loss == pytest.approx(least)
        assert 0 < least <= errors[-1]
        shares = [count / 12 for count in Counter(after).values()]
        for found in (known, seen):
            assert found.columns[name].entropy_after <= -sum(share * log2(share) for share in shares) + 1e-9
    assert f"The squared error of the quasi-identifiers is {sum(errors) / 2:.1%} of their variance" in page
    assert any("nobody sees here" in note for note in seen.notes)
    assert not any("nobody sees here" in note for note in known.notes)


def test_columns_that_stayed_null_lost_nothing() -> None:
    people = pa.table({"age": pa.nulls(6, pa.int64()), "height": [160, 161, 162, 180, 181, 182]})
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress", "height": "suppress"}, privacy=[shoal.KAnonymity(3)]
    )
    release = shoal.anonymize(people, spec, recoding="microaggregation")
    assert release.table["age"].null_count == 6
    assert release.utility(models=False).columns["age"].loss == 0


def test_the_summary_lists_every_file_beside_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The internal report of a table lay in the current folder, and no line said so."""
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("clinic.duckdb") as clinic:
        clinic.sql("CREATE TABLE visits AS SELECT i // 2 AS age FROM range(8) AS rows(i)")
    private, _ = make_keys(tmp_path / "steward.pem")
    before = {*tmp_path.iterdir()}
    command = "anonymize clinic.duckdb --table visits -k 2 --qi age --output-table released --report --sign"
    printed = CliRunner().invoke(app, [*command.split(), str(private)]).stdout
    listed = re.findall(r"^(?:Manifest|Signature|Report|Internal report) +(\S+)$", printed, re.MULTILINE)
    assert len(listed) == 4
    assert {tmp_path / name for name in listed} == {*tmp_path.iterdir()} - before
