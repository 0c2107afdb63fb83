"""A report that is signed by somebody who believes it: a sentence that is not true of the release.

Whoever reads it knows nothing else of the release. So each sentence that depends on the release is tried on
one that makes it true and on one that would make it false, and a new sentence without such a pair fails here.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.report import public_html

from . import report_cases as cases
from .report_phrases import pattern, phrases
from .report_sentences import CONDITIONAL, GENERAL, TESTED


def page(name: str) -> str:
    kind, _, case = name.partition(":")
    return {"public": cases.public, "internal": cases.internal, "learned": cases.learned}[kind](case)


def test_every_sentence_is_listed() -> None:
    """Add a new sentence to `report_sentences.py`, with a release or a test that would show it false."""
    assert phrases() == {*CONDITIONAL, *TESTED, *GENERAL}
    assert len(phrases()) == len(CONDITIONAL) + len(TESTED) + len(GENERAL)
    tests = "".join(Path(__file__).with_name(f"test_report_{name}.py").read_text("utf-8")
                    for name in ("facts", "sentences"))  # fmt: skip
    assert all(f"def {test}(" in tests for test in TESTED.values())


@pytest.mark.parametrize("phrase", sorted(CONDITIONAL))
def test_a_sentence_is_on_the_page_only_where_it_is_true(phrase: str) -> None:
    true, false = CONDITIONAL[phrase]
    assert pattern(phrase).search(page(true))
    assert not pattern(phrase).search(page(false))


def test_dropped_columns_are_not_said_to_name_people() -> None:
    text = cases.internal("dropped")
    assert "2 columns of the table are not released: name and weather." in text
    assert "name people" not in text and "names people" not in text


def test_a_person_is_said_to_have_decided_nothing() -> None:
    assert not any("declared by a person" in cases.internal(case) for case in ("one_removed", "proposed"))
    assert dict(cases.release("proposed").facts())["Roles"] == "proposed by `shoal init`, not yet confirmed"
    assert "each row counts as one person" in dict(cases.release("proposed").facts())["People"]


def test_what_shoal_init_proposes_is_marked_until_somebody_removes_the_mark(tmp_path: Path) -> None:
    from shoal.suggestions.suggestion import suggest

    text = suggest(cases.PEOPLE).to_yaml()
    path = tmp_path / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    assert shoal.Spec.from_yaml(path).proposed
    path.write_text(text.replace("\nproposed: true\n", "\n"), encoding="utf-8")
    assert not shoal.Spec.from_yaml(path).proposed


def test_a_column_of_one_value_is_not_released_as_it_was() -> None:
    text = cases.internal("one_choice")
    assert "as it was" not in text and "the column has one value only" in text


def test_people_are_counted_where_people_are_counted() -> None:
    """By hand: 7 patients, the classes of 7 and 5 rows have 3 and 5 of them, and patient 3 is in both."""
    release = cases.release("people_counted")
    assert release.class_sizes == {5: 1, 7: 1}
    text = cases.internal("people_counted")
    assert "with a probability of at most 33.3% (1 in 3)" in text
    assert "0 people were unique" in text
    assert "12 people" not in text
    assert "the claims count people" in dict(release.facts())["Classes"]


@pytest.mark.parametrize("case", [case for case in cases.CASES if case not in ("empty", "one_choice")])
def test_a_guess_with_the_class_is_right_as_often_as_without(case: str) -> None:
    risk = cases.release(case).risk()
    for attribute in (*risk.before.attributes.values(), *risk.after.attributes.values()):
        assert attribute.average_posterior >= attribute.prior - 1e-12


def test_a_partition_says_that_classes_depend_on_sensitive_values() -> None:
    """Rows with the same values have different labels, which no other recoding does; every page says so."""
    release = cases.release("partitioned")
    men = [
        label
        for label, sex in zip(*(release.table[name].to_pylist() for name in ("age", "sex")), strict=True)
        if sex == "M"
    ]
    assert sorted(men) == ["30"] * 3 + ["[30, 51]"] * 3  # of four men of 30, and two of 51
    assert "The class of a row may depend on its ill too" in cases.internal("partitioned")
    assert "of the kind partition: classes that keep the mix" in cases.internal("partitioned")
    assert "Labels of age overlap" in cases.internal("partitioned")
    (note,) = release.notes
    assert note.startswith("The class of a row may depend on its ill: whoever knows everybody's quasi-id")
    assert "<p>The class of a row may depend" not in cases.public("partitioned_without_models")


@pytest.mark.parametrize(
    ("ill", "k"),
    [
        ("flu cold cold flu", 9),  # one class of all 16 rows
        ("flu flu flu flu", 3),  # a column of one value decides nothing
    ],
)
def test_a_partition_that_looks_at_nothing_beside_does_not_say_so(ill: str, k: int) -> None:
    people = pa.table({"age": [21, 22, 23, 24] * 4, "ill": ill.split() * 4})
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"},
        sensitive=["ill"],
        privacy=[shoal.KAnonymity(k), shoal.TCloseness("ill", 0.3)],
    )
    release = shoal.anonymize(people, spec, recoding="partition")
    assert release.columns_beside == () and not any("depend" in note for note in release.notes)


def test_removed_rows_do_not_make_the_guess_without_the_class_better() -> None:
    """Suppressed rows are all flu: of the others half are, with and without knowing the class."""
    ages = [20] * 4 + [30] * 4 + [50, 60, 70]
    people = pa.table({"age": ages, "ill": ["flu", "flu", "cold", "cold"] * 2 + ["flu"] * 3})
    fixed = shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)
    spec = shoal.Spec(
        quasi_identifiers={"age": fixed}, sensitive=["ill"], privacy=[shoal.KAnonymity(2)], suppression=0.3
    )
    found = shoal.anonymize(people, spec).risk().after.attributes["ill"]
    assert (found.average_posterior, found.prior) == (0.5, 0.5)


def test_a_proof_does_not_stand_beside_a_time_limit() -> None:
    """Thirty columns are too many for the default search, but these rows need no generalization."""
    people = pa.table({f"q{column}": [1, 1, 2, 2] for column in range(30)})
    spec = shoal.Spec(
        quasi_identifiers=dict.fromkeys(people.column_names, "suppress"), privacy=[shoal.KAnonymity(2)]
    )
    release = shoal.anonymize(people, spec)
    (note,) = [note for note in release.notes if "too large" in note]
    assert release.optimal and "proved optimal" in release.summary()
    assert "seconds" not in note


def test_nothing_suppressed_is_neither_removed_nor_starred() -> None:
    assert dict(cases.release("none_suppressed").facts())["Suppressed"] == "0 rows"
    assert dict(cases.release("by_hand").facts())["Classes"] == "1 of 8 rows"


def test_the_publishers_own_page_says_so_wherever_it_is_seen(tmp_path: Path) -> None:
    release = cases.release("one_removed")
    path = release.write(tmp_path / "release.csv", report=True, models=False)
    own = path.with_name("release.csv.internal.html").read_text("utf-8")
    assert "<title>Internal: report on release.csv</title>" in own
    assert own.index("Internal: not for recipients.") < own.index("<h1>")
    assert '@top-center { content: "Internal: not for recipients"' in own
    handed_on = path.with_name("release.csv.report.html").read_text("utf-8")
    assert "Internal" not in handed_on
    manifest = json.loads(path.with_name("release.csv.manifest.json").read_text("utf-8"))
    labels = {choice.column: choice.labels for choice in release.choices()}
    assert handed_on == public_html(manifest, labels, distinguishing=release.distinguishing)


def test_the_page_for_recipients_can_be_made_from_the_released_files_alone() -> None:
    """Where labels are shown they are some of the file's; the rest of the page is made of the manifest."""
    for case in cases.CASES:
        release, text = cases.release(case), cases.public(case)
        assert "This page repeats what the released rows and the manifest beside them say." in text
        for choice in release.choices():
            shown = choice.labels.split(", ... (")[0].removesuffix("NULL")
            found = {str(value) for value in release.table.column(choice.column).to_pylist()}
            assert not shown or any(shown.startswith(label) for label in found)


def test_what_suppressed_rows_shared_is_not_on_the_page_for_recipients() -> None:
    """Two tables that differ in suppressed rows alone have the same page."""

    def handed_on(ills: list[str]) -> str:
        odd = pa.table({"name": ["x", "y"], "age": [70, 80], "sex": ["F", "M"], "ill": ills})
        spec = replace(cases.SPEC, suppression=0.3)
        release = shoal.anonymize(pa.concat_tables([cases.PEOPLE.slice(0, 7), odd]), spec, keep_order=True)
        assert release.suppressed_rows == 2
        cases.CASES["handed_on"] = lambda: release
        try:
            return cases.public.__wrapped__("handed_on")
        finally:
            cases.release.cache_clear()
            del cases.CASES["handed_on"]

    assert handed_on(["flu", "flu"]) == handed_on(["cold", "gout"])


def test_a_recoding_without_levels_gets_no_sentence_about_them() -> None:
    text = cases.internal("frequent_values")
    for phrase in ("is released at one level", "A ladder shows", "A neighbour in the", "choice of levels"):
        assert phrase in cases.internal("one_removed")
        assert phrase not in text
    assert "to level" in cases.public("one_removed")
    assert "to level" not in cases.public("frequent_values")
