"""Claims that are measured against more than the released rows, checked against numbers found by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal import chain, clusters, priority, quantiles
from shoal.audit import Audit, audit_release
from shoal.describe import Sensitive, hierarchy_file, intervals, prefix, suppress
from shoal.errors import InputError
from shoal.privacy.delta_presence import DeltaPresence
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_map import KMap
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.spec.spec import Spec
from shoal.write.table_formats import write_table

AGES = ["[30, 40)"] * 4 + ["[50, 60)"] * 4
DISEASES = ["flu", "gout", "flu", None, "flu", "flu", "gout", "cold"]
RELEASE = pa.table({"age": AGES, "disease": DISEASES})
ORIGINAL = pa.table({"age": [31, 32, 33, 34, 51, 52, 53, 54, 77, 78], "disease": [*DISEASES, "flu", "cold"]})
TOWN = pa.table({"age": [30 + i % 10 for i in range(8)] + [50] * 5 + [70]})


def spec_of(*models: Any, **settings: Any) -> Spec:
    given = {"quasi_identifiers": {"age": intervals(10)}, "sensitive": ["disease"], "privacy": models}
    return Spec(**(given | settings))


def found(audit: Audit, place: int = 0) -> tuple[bool, str]:
    return audit.findings[place].holds, audit.findings[place].measured


def problems(*arguments: Any, **settings: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        audit_release(*arguments, **settings)
    return [problem.message for problem in caught.value.problems]


@pytest.fixture(params=["csv", "parquet", "table"])
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Give a table as a release: a file, or itself."""

    def write(table: pa.Table) -> Path | pa.Table:
        if request.param == "table":
            return table
        path = tmp_path / f"release.{request.param}"
        write_table(table, path)
        return path

    return write


def test_values_of_a_class(written: Any) -> None:
    # NULL is a value: the first class has flu, gout and NULL, the second flu, gout and cold.
    assert found(audit_release(written(RELEASE), spec_of(LDiversity("disease", 3)))) == (
        True,
        "fewest values 3",
    )
    failing = RELEASE.slice(0, 7)
    assert found(audit_release(written(failing), spec_of(LDiversity("disease", 3)))) == (
        False,
        "fewest values 2, 1 class fails",
    )


def test_distance_to_the_original(written: Any) -> None:
    # Of ten people five have the flu, two gout, two a cold, one nothing. In the first class half have flu
    # (5/10), a quarter gout (2/10) and a quarter nothing (1/10): 0.05 + 0.15 are too much.
    spec = spec_of(TCloseness("disease", 0.2), TCloseness("disease", 0.19))
    audit = audit_release(written(RELEASE), spec, original=ORIGINAL)
    assert found(audit, 0) == (True, "largest distance 0.2")
    assert found(audit, 1) == (False, "largest distance 0.2, 1 class fails")
    # Without two rows of flu the table is another, and so is the distance.
    other = audit_release(written(RELEASE), spec, original=ORIGINAL.slice(1))
    assert found(other, 0)[0] is False


def test_values_that_the_original_does_not_have(written: Any) -> None:
    strange = RELEASE.set_column(1, "disease", [["new", *DISEASES[1:]]])
    audit = audit_release(written(strange), spec_of(TCloseness("disease", 1.0, "ordered")), original=ORIGINAL)
    assert not audit.holds


def test_numbers_and_dates_beside_a_file_of_text(tmp_path: Path) -> None:
    pays = pa.array([1500, 1500, 2000, 2500, 1500, 2000, 2000, 2500])
    original = pa.table({"age": [31, 32, 33, 34, 51, 52, 53, 54], "pay": pays})
    release = pa.table({"age": AGES, "pay": pays})
    spec = spec_of(TCloseness("pay", 0.2, "ordered"), sensitive=["pay"])
    write_table(release, tmp_path / "release.csv")
    write_table(original, tmp_path / "people.csv")
    pq.write_table(original, tmp_path / "people.parquet")
    expected = found(audit_release(release, spec, original=original))
    assert expected == (True, "largest distance 0.0625")
    for other in (original, tmp_path / "people.csv", tmp_path / "people.parquet", original.to_pandas()):
        assert found(audit_release(tmp_path / "release.csv", spec, original=other)) == expected
    assert problems(release, spec, original=tmp_path / "people.csv") == [
        "Column 'pay': it is text in the original table, and not in the release 'release'.\n"
        "Equal values cannot be recognized.\nGive both in one format."
    ]


def test_a_taxonomy(written: Any, tmp_path: Path) -> None:
    (tmp_path / "disease.csv").write_text("flu;lung;*\ncold;lung;*\ngout;joint;*\n", encoding="utf-8")
    hierarchy = hierarchy_file(tmp_path / "disease.csv")
    values = ["flu", "flu", "gout", "gout", "cold", "cold", "gout", "gout"]
    release = pa.table({"age": AGES, "disease": values})
    # Half of each class's lung diseases must go to the other one, over half of the height: 0.25 * 1/2.
    for t, holds in ((0.125, True), (0.12, False)):
        spec = spec_of(TCloseness("disease", t, "hierarchical"), sensitive={"disease": hierarchy})
        audit = audit_release(written(release), spec, original=release)
        assert found(audit)[0] is holds
        assert found(audit)[1].startswith("largest distance 0.125")
        assert "taxonomy" in audit.findings[0].sql
        assert "lung" not in audit.findings[0].sql
    spec = spec_of(TCloseness("disease", 1, "hierarchical"), sensitive={"disease": hierarchy})
    assert found(audit_release(written(RELEASE), spec, original=ORIGINAL))[0]  # with NULL
    lost = release.set_column(1, "disease", [["ague", *values[1:]]])
    assert problems(written(lost), spec, original=lost)[0].startswith(
        "Column 'disease': the hierarchy 'disease.csv' lacks 1 value"
    )


def test_a_population(written: Any) -> None:
    # Eight people of the town are in their thirties, five in their fifties, one in the seventies.
    release, levels = written(RELEASE), {"age": 1}
    audit = audit_release(
        release,
        spec_of(
            KMap(5, TOWN),
            KMap(6, TOWN),
            DeltaPresence(TOWN, 0, 0.8),
            DeltaPresence(TOWN, 0, 0.79),
            DeltaPresence(TOWN, 0.1, 0.8),
        ),
        levels=levels,
    )
    assert [finding.holds for finding in audit.findings[:5]] == [True, False, True, False, False]
    assert found(audit, 0)[1] == "fewest people of the population in a class 5"
    assert found(audit, 2)[1] == "shares from 0 to 0.8"
    assert found(audit, 4)[1].endswith("1 class fails")  # nobody in the seventies is released
    assert "population" in audit.findings[0].sql


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas", "polars", "arrow"])
def test_populations_of_every_kind(kind: str, tmp_path: Path) -> None:
    town: Any = tmp_path / f"town.{kind}"
    if kind in ("csv", "parquet"):
        write_table(TOWN, town)
    else:
        town = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[kind](TOWN.to_pydict())
    audit = audit_release(RELEASE, spec_of(KMap(5, town)), levels={"age": 1})
    assert found(audit) == (True, "fewest people of the population in a class 5")


@pytest.mark.parametrize("level", [0, 1, 2])
def test_null_in_a_population(written: Any, level: int) -> None:
    ages = [[31, 31, None], ["[30, 40)", "[30, 40)", None], ["*", "*", "*"]][level]
    release = pa.table({"age": ages, "disease": ["flu", "gout", "flu"]})
    town = pa.table({"age": [31, 31, 31, None, None, 77]})
    audit = audit_release(written(release), spec_of(KMap(2, town)), levels={"age": level})
    assert found(audit) == (True, f"fewest people of the population in a class {[2, 2, 6][level]}")


def test_labels_that_depend_on_other_values(written: Any) -> None:
    # There are as many levels as the longest value needs, which only the table has.
    release = pa.table({"zip": ["123*", "123*"], "disease": ["flu", "gout"]})
    original = pa.table({"zip": ["12345", "123"], "disease": ["flu", "gout"]})
    town = pa.table({"zip": ["123", "1234", "123"]})
    spec = spec_of(KMap(3, town), quasi_identifiers={"zip": prefix()})
    assert found(audit_release(written(release), spec, levels={"zip": 2}, original=original))[0]
    assert not audit_release(written(release), spec, levels={"zip": 2}).holds


def test_starred_rows_are_people_of_no_class() -> None:
    release = pa.table({"age": [*AGES, "*"], "disease": [*DISEASES, "flu"]})
    town = pa.table({"age": [31] * 8 + [51] * 8})
    settings = {"suppression": 0.5, "suppressed": "star"}
    # Nothing is suppressed under delta-presence: a class that nobody of the town is in cannot be released.
    audit = audit_release(release, spec_of(DeltaPresence(town, 0, 0.5), **settings), levels={"age": 1})
    assert (audit.holds, audit.starred_rows) == (False, 1)
    audit = audit_release(release, spec_of(DeltaPresence(town, 0.1, 0.5), **settings), levels={"age": 1})
    assert not audit.holds
    # Nobody of the town is in another class, and whoever has no class may be any of the starred rows.
    for members, holds in ((4, False), (5, True)):
        everybody = pa.concat_tables([town, pa.table({"age": [71] * members})])
        audit = audit_release(release, spec_of(KMap(5, everybody), **settings), levels={"age": 1})
        assert audit.holds is holds


UNITS = pa.array(["a", "a", "b", "c", "d", "e", "f", "f"])
PEOPLE = (KAnonymity(3), LDiversity("disease", 1.8, "entropy"), LDiversity("disease", 2))


def test_people_who_are_not_in_the_release(tmp_path: Path) -> None:
    spec = spec_of(*PEOPLE, identifiers=["patient"], unit="patient")
    audit = audit_release(RELEASE, spec, units=UNITS)
    assert found(audit, 0) == (True, "smallest class 3, counted by 'patient'")
    # In both classes two of three people have the flu, and the third one does not.
    assert found(audit, 1) == (True, "smallest diversity 1.88988, counted by 'patient'")
    assert found(audit, 2) == (True, "fewest values 2, counted by 'patient'")
    assert not audit_release(RELEASE, spec_of(KAnonymity(4), unit="patient"), units=UNITS).holds

    write_table(RELEASE, tmp_path / "release.csv")
    file = audit_release(tmp_path / "release.csv", spec, earlier=audit)
    assert file.holds
    assert found(file, 0) == (True, "smallest class 3, counted by 'patient' before it was removed")
    assert [finding.checkable for finding in file.findings] == [False, False, False, True, True]
    alone = audit_release(tmp_path / "release.csv", spec)
    assert not alone.holds
    assert alone.findings[0].verdict == (
        "NOT CHECKABLE by a recipient, it counts people by 'patient', which is not in the release"
    )
    assert alone.to_mapping()["claims"][0]["checkable"] is False


def test_a_unit_that_is_released(written: Any) -> None:
    release = RELEASE.append_column("patient", UNITS)
    spec = spec_of(*PEOPLE, insensitive=["patient"], unit="patient")
    audit = audit_release(written(release), spec)
    assert audit.holds
    assert found(audit, 0) == (True, "smallest class 3, counted by 'patient'")


def test_a_unit_without_a_role_must_not_be_released() -> None:
    audit = audit_release(RELEASE.append_column("patient", UNITS), spec_of(KAnonymity(1), unit="patient"))
    assert found(audit, 1) == (False, "0 of 1; still there: patient")


def test_people_of_the_original(written: Any) -> None:
    # The same person twice is one: of four people two have the flu.
    release = pa.table({"age": ["*"] * 3, "disease": ["flu", "flu", "gout"]})
    original = pa.table({"disease": ["flu", "flu", "flu", "gout", "cold"], "patient": list("aabcd")})
    spec = spec_of(TCloseness("disease", 1), insensitive=["patient"], unit="patient")
    audit = audit_release(written(release.append_column("patient", [list("aac")])), spec, original=original)
    # Of two people one has the flu (1/2) and one gout (1/4 too many); all have one disease each.
    assert found(audit) == (True, "largest distance 0.25, counted by 'patient'")


def test_names_that_collide_with_ours() -> None:
    names = {"age": "Unit", "disease": "original"}
    release = RELEASE.rename_columns(list(names.values())).append_column("kept", [["x"] * 8])
    original = ORIGINAL.rename_columns(list(names.values())).append_column("me", [list("abcdefghij")])
    spec = Spec(
        quasi_identifiers={"Unit": intervals(10)},
        sensitive=["original", "kept"],
        unit="me",
        privacy=[
            KAnonymity(3),
            TCloseness("original", 0.2),
            LDiversity("kept", 1),
            KMap(5, TOWN.rename_columns(["Unit"])),
        ],
    )
    audit = audit_release(
        release, spec, original=original, units=pa.array(list("abcdefgh")), levels={"Unit": 1}
    )
    assert audit.holds
    assert found(audit, 1)[1].startswith("largest distance 0.2")


def test_everything_that_is_missing_comes_at_once(tmp_path: Path) -> None:
    spec = spec_of(
        TCloseness("disease", 0.2),
        TCloseness("job", 0.3),
        KMap(5, tmp_path / "census.csv"),
        quasi_identifiers={"age": suppress(), "zip": suppress()},
        sensitive=["disease", "job"],
    )
    assert [message.partition("\n")[0] for message in problems(RELEASE, spec)] == [
        "Column 'zip', a quasi-identifier of the spec, is not in the release 'release'.",
        "Column 'job', which a claim is about, is not in the release 'release'.",
        "To be compared with the original table: 0.2-closeness of disease, equal and "
        "0.3-closeness of job, equal.",
        f"k-map 5 in census.csv: File {str(tmp_path / 'census.csv')!r} does not exist.",
        "To be compared with a population, at the release's levels: k-map 5 in census.csv.",
    ]
    text = "\n".join(problems(RELEASE, spec))
    for advice in ("--original FILE", "--population FILE", "--manifest FILE", "original=...", "levels=..."):
        assert advice in text


def test_references_that_do_not_fit(tmp_path: Path) -> None:
    spec = spec_of(TCloseness("disease", 0.2), KMap(5, TOWN))
    assert problems(RELEASE, spec, original=pa.table({"sick": ["flu"]}), levels={"zip": 1}) == [
        "None of the required columns is in the original table.\nRequired: disease.\n"
        "Check that its first line is a header, and check its delimiter.",
        "The levels of the release lack age.\nGive them all.",
    ]
    assert problems(RELEASE, spec, original=ORIGINAL, levels={"age": 9}) == [
        "Population 'a table given in Python': column 'age': there is no level 9, only 0 to 2."
    ]
    odd = spec_of(KMap(5, pa.table({"age": ["young"]})))
    assert "intervals need numbers" in problems(RELEASE, odd, levels={"age": 1})[0]
    assert "Units are given for the rows of a table" in problems(RELEASE, spec, units=UNITS.slice(1))[0]


def test_sensitive_settings_do_not_matter_here() -> None:
    spec = spec_of(LDiversity("disease", 3), sensitive={"disease": Sensitive(hierarchy=prefix(1))})
    assert audit_release(RELEASE, spec).holds


@pytest.mark.parametrize("hierarchy", [quantiles(2), priority(3), chain(intervals(10), clusters("disease"))])
def test_hierarchies_that_are_made_from_the_original(hierarchy: Any, tmp_path: Path) -> None:
    people = ORIGINAL.slice(0, 8)
    crowd = pa.concat_tables([people.select(["age"]), TOWN.slice(0, 13)])
    spec = spec_of(KMap(2, crowd), quasi_identifiers={"age": hierarchy})
    release = shoal.anonymize(people, spec)
    release.write(tmp_path / "release.csv")
    again = audit_release(tmp_path / "release.csv", spec, original=people, levels=release.levels)
    assert again.holds
    assert found(again) == found(release.audit)
    (message,) = problems(tmp_path / "release.csv", spec, levels=release.levels)
    assert message.startswith("Made from the original table: the hierarchy of age.")


def test_an_original_that_no_claim_needs(tmp_path: Path) -> None:
    """It is refused before it is read: otherwise another one, or none, would seem to have been compared."""
    release = pa.table({"age": ["[30, 40)"] * 2, "disease": ["flu", "cold"]})
    spec = spec_of(LDiversity("disease", l=2))
    for original in (ORIGINAL, tmp_path / "missing.csv"):
        with pytest.raises(InputError, match="No claim of the release compares with the original table"):
            audit_release(release, spec, original=original)
    assert audit_release(release, spec).holds
