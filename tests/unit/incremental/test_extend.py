"""Releases that grow: files, evidence, and everything that is refused."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import InfeasibleError, InputError, MissingFileError, OutputError
from tests.unit.incremental.growing import NEW, PEOPLE, by_class, frame, release, rows, spec, write_csv


def test_what_is_added_and_what_waits(tmp_path: Path) -> None:
    manifest = release(tmp_path)
    extension = shoal.extend(
        manifest, tmp_path / "new.csv", original=tmp_path / "people.csv", output=tmp_path / "extended.csv"
    )
    before, after = rows(tmp_path / "release.csv"), rows(tmp_path / "extended.csv")
    assert before <= after
    added = after - before
    assert by_class(added) == {("[30, 40)", "F"): 3, ("[70, 80)", "F"): 3, ("[90, 100)", "M"): 3}
    assert added[("[90, 100)", "M", "flu")] == 1  # who was suppressed before comes in with the new ones
    assert (extension.rows, extension.suppressed_rows, extension.allowed_rows) == (21, 1, 4)
    assert (extension.new_rows, extension.waiting_rows) == (9, 1)
    assert (extension.added_rows, extension.returned_rows) == (9, 1)
    assert extension.difference_sizes == {3: 3}
    assert extension.levels == {"age": 1, "sex": 0}
    assert Counter(map(tuple, zip(*extension.table.to_pydict().values(), strict=True))) == after


def test_without_the_original_table_the_suppressed_stay_out(tmp_path: Path) -> None:
    extension = shoal.extend(
        release(tmp_path), tmp_path / "new.csv", output=tmp_path / "extended.csv", suppression=0.3
    )
    added = rows(tmp_path / "extended.csv") - rows(tmp_path / "release.csv")
    assert by_class(added) == {("[30, 40)", "F"): 3, ("[70, 80)", "F"): 3}
    assert (extension.rows, extension.suppressed_rows, extension.returned_rows) == (21, 4, 0)


@pytest.mark.parametrize("name", ["release.csv", "release.csv.gz", "release.parquet"])
def test_the_evidence(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = release(tmp_path, name)
    output = tmp_path / f"extended{name.removeprefix('release')}"
    shoal.extend(manifest, tmp_path / "new.csv", original=tmp_path / "people.csv", output=output)
    said = json.loads((tmp_path / f"{output.name}.manifest.json").read_text("utf-8"))
    earlier = json.loads(manifest.read_text("utf-8"))
    assert said["extends"]["file"] == earlier["file"]
    assert said["recoding"] == earlier["recoding"]
    assert said["rows"] == {"in": 21, "suppressed": 1, "out": 20}
    assert [claim["claim"] for claim in said["extends"]["claims"]] == [
        "earlier rows kept",
        "difference: k-anonymity 3",
    ]
    assert str(tmp_path) not in json.dumps(said)
    # Whoever has both files can repeat it without Shoal.
    monkeypatch.chdir(tmp_path)
    kept, difference = said["extends"]["claims"]
    with duckdb.connect() as connection:
        assert connection.execute(kept["sql"]).fetchall() == [(0,)]
        assert connection.execute(difference["sql"]).fetchall() == [(0, 3)]
    audit = shoal.audit_release(output)
    assert audit.holds, audit.render()
    assert rows(tmp_path / name) <= rows(output)


def test_extended_again(tmp_path: Path) -> None:
    manifest = release(tmp_path)
    people, new = tmp_path / "people.csv", tmp_path / "new.csv"
    shoal.extend(manifest, new, original=people, output=tmp_path / "second.csv")
    third = write_csv(
        tmp_path / "third.csv",
        {"name": ["t0", "t1"], "age": [42, 43], "sex": list("MM"), "disease": ["flu", "cold"]},
    )
    # One of the second batch waited for these two.
    extension = shoal.extend(
        tmp_path / "second.csv.manifest.json", third, original=[people, new], output=tmp_path / "out.csv"
    )
    assert (extension.added_rows, extension.returned_rows, extension.suppressed_rows) == (3, 1, 0)
    assert by_class(rows(tmp_path / "out.csv") - rows(tmp_path / "second.csv")) == {("[40, 50)", "M"): 3}
    assert shoal.audit_release(tmp_path / "out.csv").holds
    with pytest.raises(InputError, match=r"was not made of 'people.csv'"):
        shoal.extend(tmp_path / "second.csv.manifest.json", third, original=people)


ages = st.one_of(st.none(), st.integers(20, 49))
tables = st.lists(
    st.tuples(ages, st.sampled_from(["F", 'a "b"', "", None]), st.sampled_from(["flu", "cold", None])),
    min_size=1,
    max_size=25,
)


@settings(max_examples=12)
@given(old=tables, new=tables, kind=st.sampled_from([".csv", ".parquet"]), remembered=st.booleans())
def test_whoever_has_both_files_finds_nobody(
    old: list[Any], new: list[Any], kind: str, remembered: bool
) -> None:
    k = 2
    asked = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10), "sex": "suppress"},
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(k)],
        suppression=1,
    )
    first, second = (
        pa.table(
            {name: pa.array([row[i] for row in part], kind) for i, (name, kind) in enumerate(_KINDS.items())}
        )
        for part in (old, new)
    )
    with tempfile.TemporaryDirectory() as folder:
        earlier, later = Path(folder, f"one{kind}"), Path(folder, f"two{kind}")
        made = shoal.anonymize(first, asked)
        made.write(earlier)
        try:
            shoal.extend(
                f"{earlier}.manifest.json",
                second,
                original=first if remembered else None,
                output=later,
                replace_extension=True,
            )
        except InfeasibleError as error:
            assert "Nothing can be added" in str(error)
            return
        assert shoal.audit_release(later).holds
        files = [duckdb.read_parquet(str(p)) if kind == ".parquet" else _text(p) for p in (earlier, later)]
        before, after = (Counter(file.fetchall()) for file in files)
    labels = made.levels
    assert before <= after
    for batch, people in (("old", old), ("new", new)):
        for age, sex, _ in people:
            victim = _label(age, labels["age"]), _label(sex, labels["sex"])
            was = sum(n for row, n in before.items() if row[:2] == victim)
            more = sum(n for row, n in (after - before).items() if row[:2] == victim)
            candidates = was if batch == "old" and was else more
            assert candidates == 0 or candidates >= k


_KINDS = {"age": pa.int64(), "sex": pa.string(), "disease": pa.string()}


def _text(path: Path) -> Any:
    return duckdb.sql(
        f"SELECT * FROM read_csv('{path}', all_varchar = true, header = true, quote = '\"', escape = '\"', "
        "delim = ',', nullstr = '', allow_quoted_nulls = false)"
    )


def _label(value: Any, level: int) -> str | None:
    if isinstance(value, int) and level == 0:
        return str(value)
    if isinstance(value, int) and level == 1:
        return f"[{value // 10 * 10}, {value // 10 * 10 + 10})"
    top = 2 if not isinstance(value, str) and level == 2 else 1
    return "*" if level and level == top and (isinstance(value, str) or level == 2) else value


def test_types_and_forms_of_the_input(tmp_path: Path) -> None:
    """Dates in a form of their own, text for NULL, another delimiter: new rows are as the original was."""
    asked = {
        "input": {"delimiter": ";", "null-values": ["NA"]},
        "columns": {
            "born": {
                "role": "quasi-identifier",
                "type": {"date": "%d.%m.%Y"},
                "hierarchy": {"dates": ["year"]},
            },
            "pay": {"role": "sensitive", "type": {"decimal": ","}},
        },
        "privacy": [{"k-anonymity": 2}, {"l-diversity": {"column": "pay", "l": 2}}],
    }
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("born;pay\n01.02.1980;1,5\n03.02.1980;1,50\nNA;2\nNA;NA\n04.05.1980;2,25\n", "utf-8")
    new.write_text("born;pay\n01.12.1980;1,5\n03.12.1980;7\nNA;2,00\nNA;3\n", "utf-8")
    path = shoal.anonymize(old, shoal.Spec.from_mapping(asked)).write(tmp_path / "release.csv")
    shoal.extend(f"{path}.manifest.json", new, original=old, output=tmp_path / "extended.csv")
    assert shoal.audit_release(tmp_path / "extended.csv").holds
    assert len((tmp_path / "extended.csv").read_text("utf-8").splitlines()) == 10


def test_columns_called_as_queries_call_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"age": ["a", "a", "b", "b"], "Age_1": ["x", "x", "y", "y"], "release": list("abcd")})
    asked = shoal.Spec(
        quasi_identifiers={"age": "suppress", "Age_1": "suppress"},
        sensitive=["release"],
        privacy=[shoal.KAnonymity(2), shoal.LDiversity("release", 2)],
    )
    monkeypatch.chdir(tmp_path)
    for kind in (".csv", ".parquet"):
        shoal.anonymize(table, asked).write(f"one{kind}")
        shoal.extend(f"one{kind}.manifest.json", table.slice(0, 2), output=f"two{kind}")
        assert shoal.audit_release(f"two{kind}").holds
        said = json.loads(Path(f"two{kind}.manifest.json").read_text("utf-8"))
        with duckdb.connect() as connection:
            for claim in said["extends"]["claims"]:
                assert connection.execute(claim["sql"]).fetchall()[0][0] == 0


def test_signed(tmp_path: Path, shoal: Any) -> None:
    manifest = release(tmp_path)
    assert shoal("key", tmp_path / "k.pem").code == 0
    ran = shoal(
        "extend", manifest, tmp_path / "new.csv", "--suppression", "0.3", "-o", tmp_path / "out.csv",
        "--sign", tmp_path / "k.pem",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert shoal("audit", tmp_path / "out.csv", "--public-key", tmp_path / "k.pub.pem").code == 0


def test_models_that_compare_with_the_whole_table(tmp_path: Path) -> None:
    models = [shoal.KAnonymity(2), shoal.TCloseness("disease", 0.5)]
    manifest = release(tmp_path, privacy=models, suppression=0.6)
    with pytest.raises(InputError, match=r"0\.5-closeness of disease, equal") as caught:
        shoal.extend(manifest, tmp_path / "new.csv")
    assert "--original" in str(caught.value)
    output = tmp_path / "extended.csv"
    shoal.extend(manifest, tmp_path / "new.csv", original=tmp_path / "people.csv", output=output)
    # The audit has all rows to compare with, earlier and new.
    everybody = write_csv(tmp_path / "all.csv", {name: [*PEOPLE[name], *NEW[name]] for name in NEW})
    assert shoal.audit_release(output, original=everybody).holds
    unknown = shoal.audit_release(output)
    assert {f.claim for f in unknown.findings if not f.checkable} == {
        "0.5-closeness of disease, equal",
        "difference: 0.5-closeness of disease, equal",
    }


def test_a_table_that_changed_too_much(tmp_path: Path) -> None:
    """What was like the whole table is not any more, and cannot be taken back."""
    asked = spec(privacy=[shoal.TCloseness("disease", 0.2)], suppression=1.0)
    old = frame({"name": list("abcd"), "age": [31] * 4, "sex": list("FFFF"), "disease": ["flu"] * 4})
    new = frame({"name": list("efgh"), "age": [31] * 4, "sex": list("MMMM"), "disease": ["cold"] * 4})
    path = shoal.anonymize(old, asked).write(tmp_path / "release.csv")
    with pytest.raises(InfeasibleError) as caught:
        shoal.extend(f"{path}.manifest.json", new, original=old)
    assert "1 class of it would not satisfy 0.2-closeness of disease, equal any more" in str(caught.value)
    assert "cannot be taken back" in str(caught.value)


def test_too_many_would_wait(tmp_path: Path) -> None:
    manifest = release(tmp_path, suppression=0.1)
    people, new, output = tmp_path / "people.csv", tmp_path / "new.csv", tmp_path / "extended.csv"
    with pytest.raises(InfeasibleError) as caught:
        shoal.extend(manifest, new, output=output)
    text = str(caught.value)
    assert "4 rows of 21 could not be released, and 2 may be suppressed" in text
    assert "3 new rows of 9 would wait" in text
    assert "1 row suppressed before would stay so" in text
    assert "--suppression 0.191" in text
    assert "-k 2" in text
    assert "--original" in text
    assert "join them" in text
    assert not any(value in text for value in ("[30", "flu", "p1", "n1"))
    assert not output.exists()
    # What is said to help does.
    assert shoal.extend(manifest, new, suppression=0.191).waiting_rows == 3
    assert shoal.extend(manifest, new, k=2).waiting_rows == 1
    assert shoal.extend(manifest, new, original=people).waiting_rows == 1
    for less in ({"suppression": 0.190}, {"k": 3}):
        with pytest.raises(InfeasibleError):
            shoal.extend(manifest, new, **less)


def test_nothing_can_be_added(tmp_path: Path) -> None:
    manifest = release(tmp_path, suppression=1.0)
    lone = frame({name: values[3:4] for name, values in NEW.items()})
    with pytest.raises(InfeasibleError, match="1 new row would wait"):
        shoal.extend(manifest, lone)


def test_hierarchies_that_are_made_from_the_table(tmp_path: Path) -> None:
    columns = {"age": shoal.quantiles(4, 2), "sex": "suppress"}
    manifest = release(tmp_path, quasi_identifiers=columns)
    with pytest.raises(InputError, match="labels of age depend on the values of the original table"):
        shoal.extend(manifest, tmp_path / "new.csv")
    extension = shoal.extend(
        manifest, tmp_path / "new.csv", original=tmp_path / "people.csv", suppression=0.5,
        output=tmp_path / "out.csv",
    )  # fmt: skip
    # The cuts are those of the original table.
    before, after = by_class(rows(tmp_path / "release.csv")), by_class(rows(tmp_path / "out.csv"))
    assert extension.added_rows and {age for age, _ in after} == {age for age, _ in before}


def test_longer_values_than_those_before(tmp_path: Path) -> None:
    asked = shoal.Spec(quasi_identifiers={"zip": "prefix"}, privacy=[shoal.KAnonymity(2)])
    old = pa.table({"zip": ["5371", "5372", "5373", "5371"]})
    path = shoal.anonymize(old, asked).write(tmp_path / "release.csv")
    manifest = f"{path}.manifest.json"
    for original in (None, old):
        assert shoal.extend(manifest, pa.table({"zip": ["5374", "5379"]}), original=original).added_rows == 2
        longer = shoal.extend(manifest, pa.table({"zip": ["53741", "53742"]}), original=original)
        assert set(longer.table["zip"].to_pylist()) == {"537*"}


def test_hierarchies_in_files(tmp_path: Path) -> None:
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "sex.csv").write_text("F;*\nM;*\n", encoding="utf-8")
    columns = {"age": shoal.intervals(10), "sex": shoal.hierarchy_file(tmp_path / "trees" / "sex.csv")}
    manifest = release(tmp_path, quasi_identifiers=columns)
    with pytest.raises(InputError, match=r"Not found: sex\.csv"):
        shoal.extend(manifest, tmp_path / "new.csv", suppression=0.3)
    extension = shoal.extend(manifest, tmp_path / "new.csv", suppression=0.3, files=tmp_path / "trees")
    assert extension.added_rows == 6
    strange = frame(NEW, sex=["X", *"FFMFFFMM"])
    with pytest.raises(InputError) as caught:
        shoal.extend(manifest, strange, suppression=0.3, files=tmp_path / "trees")
    assert "Column 'sex'" in str(caught.value)
    assert "X" not in str(caught.value).replace("Excel", "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"suppressed": "star"}, "starred cannot be extended"),
        ({"unit": "name"}, "counts people by 'name'"),
        (
            {"privacy": [shoal.KMap(2, frame(PEOPLE))]},
            "cannot be extended.\nIt compares classes with a population",
        ),
        (
            {"privacy": [shoal.DeltaPresence(frame(PEOPLE), lower=0, upper=1)]},
            "cannot be extended.\nIt compares classes with a population",
        ),
    ],
)
def test_releases_that_cannot_be_extended(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    for model in change.get("privacy", ()):
        # A manifest names a population by its file.
        population = write_csv(tmp_path / "town.csv", PEOPLE)
        parameters = {"k": 2} if isinstance(model, shoal.KMap) else {"lower": 0, "upper": 1}
        change = {"privacy": [type(model)(population=population, **parameters)]}
    manifest = release(tmp_path, **change)
    with pytest.raises(InputError, match=message):
        shoal.extend(manifest, tmp_path / "new.csv")


def test_people_that_are_told_apart(tmp_path: Path) -> None:
    manifest = release(
        tmp_path, identifiers=[], insensitive=["name"], unit="name", accept={"name": "linkable"}
    )
    people, new = tmp_path / "people.csv", tmp_path / "new.csv"
    assert shoal.extend(manifest, new, original=people, output=tmp_path / "out.csv").added_rows == 9
    assert shoal.audit_release(tmp_path / "out.csv").holds
    again = write_csv(tmp_path / "again.csv", {**NEW, "name": ["p0", *NEW["name"][1:]]})
    with pytest.raises(InputError, match="have new rows: 1 of 9 rows, 1 person"):
        shoal.extend(manifest, again, original=people)


def test_a_changed_release_is_refused(tmp_path: Path) -> None:
    manifest = release(tmp_path)
    path = tmp_path / "release.csv"
    path.write_bytes(path.read_bytes().replace(b"flu", b"cold", 1))
    with pytest.raises(InputError, match=r"does not belong to the file 'release\.csv'"):
        shoal.extend(manifest, tmp_path / "new.csv")


def test_a_release_that_does_not_hold_is_refused(tmp_path: Path) -> None:
    manifest = release(tmp_path)
    said = json.loads(manifest.read_text("utf-8"))
    said["spec"]["privacy"] = [{"k-anonymity": 4}]
    manifest.write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(InputError, match="does not satisfy its claim 'k-anonymity 4'"):
        shoal.extend(manifest, tmp_path / "new.csv")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"new_rows": "nothing.csv"}, "does not exist"),
        ({"manifest": "release.csv"}, "is not the manifest of a release"),
        ({"manifest": "nothing.json"}, "does not exist"),
        ({"release": "nothing.csv"}, "does not exist"),
        ({"release": "people.csv"}, "does not belong to the file 'people.csv'"),
        ({"original": "new.csv"}, "Rows: 9; rows that went into the release: 12"),
        ({"original": "others.csv"}, "do not have at its levels"),
        ({"new_rows": "empty.csv"}, "There is nothing to add"),
        ({"new_rows": "narrow.csv"}, "Column 'disease' is not in the table"),
        ({"new_rows": "wide.csv"}, "The spec has no role for 1 column"),
        ({"new_rows": "words.csv"}, "Column 'age'"),
        ({"suppression": 2}, "suppression limit"),
        ({"k": 0}, "k-anonymity needs"),
        ({"k": 4}, "cannot claim a larger k"),
        ({"output": "release.csv"}, "is the same file"),
        ({"output": "release.csv.manifest.json"}, "format"),
        ({"output": "out.parquet"}, "in the format of the earlier one"),
        ({"output": "nowhere/out.csv"}, "does not exist"),
    ],
)
def test_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    manifest = release(tmp_path)
    write_csv(Path("others.csv"), {**PEOPLE, "disease": ["gout"] * 12})
    write_csv(Path("empty.csv"), {name: [] for name in NEW})
    write_csv(Path("narrow.csv"), {name: NEW[name] for name in ("name", "age", "sex")})
    write_csv(Path("wide.csv"), {**NEW, "town": ["Ulm"] * 9})
    write_csv(Path("words.csv"), {**NEW, "age": ["ancient"] * 9})
    there = sorted(path.name for path in tmp_path.iterdir())
    given = {"manifest": manifest, "new_rows": "new.csv", "suppression": 0.3, "output": "out.csv", **change}
    with pytest.raises((InputError, MissingFileError, OutputError), match=message) as caught:
        shoal.extend(given.pop("manifest"), given.pop("new_rows"), **given)
    assert not any(value in str(caught.value) for value in ("ancient", "Ulm", "flu", "p1"))
    assert sorted(path.name for path in tmp_path.iterdir()) == there


def test_undeclared_columns_may_be_dropped(tmp_path: Path) -> None:
    manifest = release(tmp_path)
    wide = frame(NEW, town=["Ulm"] * 9)
    extension = shoal.extend(manifest, wide, suppression=0.3, drop_undeclared=True)
    assert extension.table.column_names == ["age", "sex", "disease"]
    assert any("town" in note for note in extension.notes)


def test_rows_that_were_given_before_are_noted(tmp_path: Path) -> None:
    # Without identifiers the rows themselves are all there is to go by.
    anonymous = {name: values for name, values in PEOPLE.items() if name != "name"}
    people = write_csv(tmp_path / "anonymous.csv", anonymous)
    path = shoal.anonymize(people, spec(identifiers=[])).write(tmp_path / "release.csv")
    extension = shoal.extend(f"{path}.manifest.json", people, suppression=0.5)
    assert "give the new rows alone" in extension.notes[-1]
    assert "cannot be checked" in dict(extension.facts())["People"]


def test_a_release_in_excel_cannot_be_extended(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    manifest = release(tmp_path, "release.xlsx")
    with pytest.raises(InputError, match="Excel"):
        shoal.extend(manifest, tmp_path / "new.csv")


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    asked = shoal.Spec(
        quasi_identifiers={"age": "suppress"}, sensitive=["pay"], privacy=[shoal.KAnonymity(2)]
    )
    old = pa.table({"age": [1, 1, 2, 2], "pay": [1.5, 2.5, 3.5, None]})
    path = shoal.anonymize(old, asked).write(tmp_path / "release.parquet")
    new = write_csv(tmp_path / "new.csv", {"age": [1, 1], "pay": [7, 8.5]})
    shoal.extend(f"{path}.manifest.json", new, output=tmp_path / "out.parquet")
    assert pq.read_schema(tmp_path / "out.parquet").types == [pa.int64(), pa.float64()]
    strange = write_csv(tmp_path / "new.csv", {"age": [1, 1], "pay": ["much", "little"]})
    with pytest.raises(InputError, match="Column 'pay' of the new rows differs from the earlier release"):
        shoal.extend(f"{path}.manifest.json", strange)


@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [("decimal", "1.5", "1.25"), ("timestamp", "2026-01-31 12:30:00", "2026-01-31 12:30:00.125")],
)
def test_new_rows_with_more_places_leave_the_earlier_ones_as_they_are(
    tmp_path: Path, kind: str, before: str, after: str, role: str
) -> None:
    """Together the numbers have two places, and the earlier release has one: 1.50 is still 1.5."""
    old = [f"a{number},Ulm,{before}" for number in range(8)]
    new = [f"b{number},Ulm,{before if number < 5 else after}" for number in range(10)]
    for name, lines in (("old.csv", old), ("new.csv", new)):
        (tmp_path / name).write_text("\n".join(["name,town,cost", *lines, ""]), encoding="utf-8")
    columns = {
        "name": {"role": "identifier"},
        "town": {"role": "quasi-identifier", "max-level": 0},
        "cost": {"role": role, "type": kind} | ({"max-level": 0} if role == "quasi-identifier" else {}),
    }
    told = shoal.Spec.from_mapping({"columns": columns, "privacy": [{"k-anonymity": 2}]})
    shoal.anonymize(tmp_path / "old.csv", told).write(tmp_path / "one.csv")
    larger = shoal.extend(
        tmp_path / "one.csv.manifest.json", tmp_path / "new.csv", original=tmp_path / "old.csv"
    )
    lines = larger.write(tmp_path / "two.csv").read_text(encoding="utf-8").splitlines()
    assert Counter(lines[1:]) == {f"Ulm,{before}": 13, f"Ulm,{after}": 5}


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)
@pytest.mark.parametrize("which", ["old", "new"])
def test_text_is_text_whatever_frame_it_comes_from(tmp_path: Path, kind: pa.DataType, which: str) -> None:
    """Polars has long texts and pandas short ones: both are the same values."""
    old = pa.table({"sex": ["F", "F", "M", "M", "M"], "sick": ["a", "b", "a", "b", None]})
    new = pa.table({"sex": ["F", "F"], "sick": ["c", "a"]})
    spec = shoal.Spec(
        quasi_identifiers={"sex": "suppress"},
        sensitive=["sick"],
        privacy=[shoal.KAnonymity(2)],
        accept={"sick": "linkable"},
    )
    path = shoal.anonymize(old, spec).write(tmp_path / "release.csv")
    other = pa.schema([("sex", kind), ("sick", kind)])
    old, new = (old.cast(other), new) if which == "old" else (old, new.cast(other))
    extension = shoal.extend(f"{path}.manifest.json", new, original=old, output=tmp_path / "extended.csv")
    assert extension.added_rows == 2
    assert shoal.audit_release(tmp_path / "extended.csv").holds
