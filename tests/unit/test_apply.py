"""Further rows with the labels of a release."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InfeasibleError, InputError, OutputError

AGES = st.lists(st.integers(20, 59), min_size=1, max_size=30)
K = 3
SPEC = shoal.Spec(
    quasi_identifiers={"age": shoal.intervals(5, 10)}, privacy=shoal.KAnonymity(K), suppression=0.5
)


@given(AGES.filter(lambda ages: len(ages) >= K), AGES)
def test_rows_get_the_labels_of_the_release_and_hide_among_themselves(
    first: list[int], second: list[int]
) -> None:
    release = shoal.anonymize(pa.table({"age": first}), SPEC)
    applied = release.apply(pa.table({"age": second}))
    width = (1, 5, 10, None)[release.levels["age"]]
    labels = Counter("*" if width is None else age // width for age in second)
    kept = sorted(count for count in labels.values() if count >= K)
    assert sorted(Counter(applied.table["age"].to_pylist()).values()) == kept
    assert applied.levels == release.levels
    assert applied.suppressed_rows == len(second) - sum(kept)
    assert applied.audit.holds


def test_what_was_made_from_the_first_table_is_not_made_again() -> None:
    spec = shoal.Spec(
        quasi_identifiers={
            "cost": shoal.QuasiIdentifier(hierarchy=shoal.quantiles(2), min_level=1, max_level=1)
        },
        privacy=shoal.KAnonymity(2),
    )
    release = shoal.anonymize(pa.table({"cost": [1, 2, 3, 100, 200, 300]}), spec)
    labels = set(release.table["cost"].to_pylist())
    assert (
        set(release.apply(pa.table({"cost": [50, 60, 70, 80, 250, 260]})).table["cost"].to_pylist()) <= labels
    )


def test_suppressed_lengths_do_not_come_back(tmp_path: Path) -> None:
    """A prefix has as many levels as the longest value, which only a suppressed row had."""
    zips = ["53715", "53716", "53717", "5371899"]
    spec = shoal.Spec(quasi_identifiers={"zip": shoal.prefix()}, privacy=shoal.KAnonymity(3), suppression=0.3)
    release = shoal.anonymize(pa.table({"zip": zips}), spec)
    release.write(tmp_path / "first.csv")
    other = pa.table({"zip": ["53711", "53712", "53713"]})
    by_object = release.apply(other)
    by_file = shoal.apply(tmp_path / "first.csv", other)
    assert by_object.table.to_pydict() == by_file.table.to_pydict() == {"zip": ["5371*"] * 3}


def test_from_files_and_by_the_command(tmp_path: Path, shoal: Any) -> None:
    (tmp_path / "first.csv").write_text("name,age\nAnn,31\nBob,32\nCid,33\n", encoding="utf-8")
    (tmp_path / "second.csv").write_text("name;age\nDan;34\nEve;35\nFay;36\nGil;51\n", encoding="utf-8")
    out = tmp_path / "second.release.csv"
    made = shoal(
        "anonymize", tmp_path / "first.csv", "-k", 3, "--qi", "age=intervals:10", "--identifier", "name",
        "--output", tmp_path / "first.release.csv",
    )  # fmt: skip
    assert made.code == 0, made.err
    ran = shoal("apply", tmp_path / "first.release.csv", tmp_path / "second.csv", "--output", out)
    assert ran.code == 0, ran.err
    assert out.read_text(encoding="utf-8").splitlines() == ["age", *["[30, 40)"] * 3]
    assert "k-anonymity 3" in ran.out
    assert shoal("audit", out).code == 0


def test_refusals(tmp_path: Path) -> None:
    table = pa.table({"age": [21, 22, 23, 51, 52, 53]})
    boxes = shoal.anonymize(table, SPEC, recoding="mondrian")
    with pytest.raises(InputError, match="Only some recodings have levels"):
        boxes.apply(table)
    boxes.write(tmp_path / "boxes.csv")
    with pytest.raises(InputError, match="only if that has one level per column"):
        shoal.apply(tmp_path / "boxes.csv", table)
    priority = shoal.Spec(quasi_identifiers={"age": shoal.priority(2)}, privacy=shoal.KAnonymity(2))
    shoal.anonymize(table, priority).write(tmp_path / "made.csv")
    with pytest.raises(InputError, match=r"(?s)labels of age depend on .*release.apply"):
        shoal.apply(tmp_path / "made.csv", table)
    shoal.anonymize(table, SPEC).write(tmp_path / "ages.csv")
    before = (tmp_path / "ages.csv").read_bytes()
    for path in ("ages.csv", "ages.csv.manifest.json"):
        with pytest.raises(OutputError):
            shoal.apply(tmp_path / path, table, output=tmp_path / "ages.csv")
    assert (tmp_path / "ages.csv").read_bytes() == before


def test_a_transformer_keeps_every_row_in_its_place() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [31, 52, 35, 58, 38, 55, 71], "other": range(7)})
    anonymizer = shoal.Anonymizer(SPEC, drop_undeclared=True)
    with pytest.raises(InputError, match="not fitted"):
        anonymizer.transform(frame)
    first = anonymizer.fit_transform(frame)
    level = anonymizer.release_.levels["age"]
    assert first.equals(anonymizer.transform(frame))
    assert list(first.columns) == anonymizer.get_feature_names_out().tolist() == ["age"]
    assert len(first) == 7
    if level == 2:
        assert first["age"].tolist()[:2] == ["[30, 40)", "[50, 60)"]
    with pytest.raises(InfeasibleError):
        anonymizer.transform(frame[:1])
    drawn = frame.iloc[::-1]  # as by a split: others put frames side by side by the index
    for found in (anonymizer.transform(drawn), anonymizer.set_output(transform="pandas").transform(drawn)):
        assert found.index.equals(drawn.index)
        assert found["age"].tolist() == first["age"].tolist()[::-1]
    assert anonymizer.fit_transform(drawn).index.equals(drawn.index)


def test_a_stored_transformer_has_no_rows_and_transforms() -> None:
    table = pa.table({"age": [31, 32, 33, 51, 52, 53]})
    anonymizer = shoal.Anonymizer(SPEC).fit(table)
    stored = pickle.loads(pickle.dumps(anonymizer))
    assert stored.transform(table).equals(anonymizer.transform(table))
    assert stored.get_feature_names_out().tolist() == ["age"]
    assert not hasattr(stored, "release_")
    assert hasattr(anonymizer, "release_")
    boxes = pickle.loads(pickle.dumps(shoal.Anonymizer(SPEC, recoding="mondrian").fit(table)))
    with pytest.raises(InputError, match="cannot transform other tables"):
        boxes.transform(table)


def test_a_transformer_in_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn")
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    from sklearn.pipeline import make_pipeline

    frame = pandas.DataFrame({"age": [21, 22, 23, 51, 52, 53] * 5})
    pipeline = make_pipeline(shoal.Anonymizer(SPEC), shoal.LabelEncoder())
    assert pipeline.fit_transform(frame).shape == (30, 1)
    made = sklearn.base.clone(shoal.Anonymizer(SPEC).set_output(transform="polars"))
    assert isinstance(made.fit_transform(frame), polars.DataFrame)
    assert isinstance(made.set_output(transform="pandas").transform(frame), pandas.DataFrame)
    with pytest.raises(InputError, match="Frames are one of"):
        made.set_output(transform="numpy")
    with pytest.raises(InputError, match="no parameter 'k'"):
        made.set_params(k=5)
