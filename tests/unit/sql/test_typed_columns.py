"""A release is compared with its original by values, where the spec says what a column holds."""

import pyarrow as pa
import pytest

import shoal

ORIGINAL = {
    "boolean": ["true", "false", "true", "false"],
    "integer": ["10", "20", "10", "20"],
    "decimal": ["1000", "0.5", "1000", "0.50"],
    "float": ["1000", "0.5", "1e3", ".5"],
    "date": ["2026-01-31", "2026-02-01", "2026-01-31", "2026-02-01"],
    "timestamp": ["2026-01-31 12:00", "2026-02-01 00:00", "2026-01-31 12:00", "2026-02-01 00:00"],
    "instants": ["2026-01-31 12:00Z", "2026-02-01 00:00Z", "2026-01-31 13:00+01:00", "2026-02-01 00:00Z"],
}
SPELLED = {
    "boolean": ["True", "NO", "1", "False"],
    "integer": ["010", "20.0", " 10", "+20"],
    "decimal": ["1000.0", ".50", "1e3", "0.500"],
    "float": ["1000.0", "0.50", "1000", "5e-1"],
    "date": [" 2026-01-31", "2026-02-01", "2026-01-31 ", "2026-02-01"],
    "timestamp": ["2026-01-31T12:00:00", "2026-02-01", "2026-01-31 12:00:00.000", "2026-02-01 00:00:00"],
    "instants": ["2026-01-31 07:00-05:00", "2026-02-01 01:00+01", "2026-01-31 12:00Z", "2026-02-01T00:00Z"],
}


def spec(kind):
    return shoal.Spec(
        quasi_identifiers={"sex": "suppress"},
        sensitive=["x"],
        types={"x": kind} if kind else None,
        privacy=[shoal.LDiversity("x", l=2), shoal.TCloseness("x", t=0.1)],
    )


def write(path, values):
    # Both classes have both values, each once.
    rows = [f"{sex},{value}" for sex, value in zip("FFMM", values, strict=True)]
    path.write_text("\n".join(["sex,x", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("what", ORIGINAL)
def test_spelling_does_not_matter(what, tmp_path):
    kind = {"instants": "timestamp"}.get(what, what)
    original = write(tmp_path / "original.csv", ORIGINAL[what])
    release = write(tmp_path / "release.csv", SPELLED[what])
    assert shoal.audit_release(release, spec(kind), original=original).holds
    assert not shoal.audit_release(release, spec(None), original=original).holds


@pytest.mark.parametrize(
    ("what", "suffix"),
    [
        (what, suffix)
        for what in ORIGINAL
        for suffix in ("csv", "parquet", "xlsx")
        if (what, suffix) != ("instants", "xlsx")  # Excel has no time zones
    ],
)
def test_what_shoal_writes_holds(what, suffix, tmp_path):
    kind = {"instants": "timestamp"}.get(what, what)
    original = write(tmp_path / "original.csv", ORIGINAL[what])
    release = shoal.anonymize(original, spec(kind)).write(tmp_path / f"release.{suffix}")
    audit = shoal.audit_release(release, spec(kind), original=original)
    assert audit.holds
    assert audit.findings[1].measured == "largest distance 0"


def test_dates_in_the_form_of_the_original_or_as_shoal_writes_them(tmp_path):
    original = write(tmp_path / "original.csv", ["31.1.2026", "1.2.2026", "31.01.2026", "01.02.2026"])
    typed = spec({"date": "%d.%m.%Y"})
    assert shoal.audit_release(original, typed, original=original).holds
    release = shoal.anonymize(original, typed).write(tmp_path / "release.csv")
    assert "2026-01-31" in release.read_text(encoding="utf-8")
    audit = shoal.audit_release(release, typed, original=original)
    assert audit.holds
    assert 'CAST(trim("x") AS DATE)' in audit.findings[0].sql


@pytest.mark.parametrize("name", ["decimal", "float"])
@pytest.mark.parametrize("suffix", ["csv", "parquet", "xlsx"])
def test_decimal_commas_of_the_original_and_points_of_the_release(name, suffix, tmp_path):
    # 1,288 of the original is 1.288 in the release, which must not be taken for 1288.
    original = write(tmp_path / "original.csv", ['"1,288"', '"1.288,5"', '"1,2880"', '"1288,5"'])
    typed = spec({name: ","})
    release = shoal.anonymize(original, typed).write(tmp_path / f"release.{suffix}")
    audit = shoal.audit_release(release, typed, original=original)
    assert audit.holds
    assert audit.findings[1].measured == "largest distance 0"
    if suffix == "csv":
        assert "1.288" in release.read_text(encoding="utf-8")
        assert "replace" not in audit.findings[0].sql


@pytest.mark.parametrize(("name", "sql"), [("decimal", "DECIMAL(6, 2)"), ("float", "DOUBLE")])
def test_decimal_commas_of_a_release_that_others_wrote(name, sql, tmp_path):
    original = write(tmp_path / "original.csv", ['"1,5"', '"1.288,5"', '"1,50"', '"1288,5"'])
    release = write(tmp_path / "release.csv", ['"1,50"', '"1288,5"', '" 1,5"', '"1.288,5"'])
    audit = shoal.audit_release(release, spec({name: ","}), original=original)
    assert audit.holds
    assert f"""CAST(replace(replace(trim("x"), '.', ''), ',', '.') AS {sql})""" in audit.findings[0].sql
    other = write(tmp_path / "other.csv", ['"1,5"', '"1,5"', '"1.288,5"', '"1.288,5"'])
    assert not shoal.audit_release(other, spec({name: ","}), original=original).holds
    wrong = write(tmp_path / "wrong.csv", ['"1,5"', '"12.88,5"', '"1,5"', '"1.288,5"'])
    with pytest.raises(shoal.InputError, match="Column 'x' of the release: 1 value is not"):
        shoal.audit_release(wrong, spec({name: ","}), original=original)


def test_the_query_can_be_repeated(tmp_path, monkeypatch):
    import duckdb

    monkeypatch.chdir(tmp_path)
    release = write(tmp_path / "release.csv", SPELLED["integer"])
    finding = shoal.audit_release(release, spec("integer"), original=release).findings[0]
    with duckdb.connect() as database:
        assert database.execute(finding.sql).fetchall()[0][0] == 0


def test_different_values_stay_different(tmp_path):
    original = write(tmp_path / "original.csv", ["1.4", "1.6", "1.4", "1.6"])
    release = write(tmp_path / "release.csv", ["1.4", "1.4", "1.6", "1.6"])
    assert not shoal.audit_release(release, spec("decimal"), original=original).holds


def test_what_is_not_of_the_type_is_reported_and_not_shown(tmp_path):
    original = write(tmp_path / "original.csv", ORIGINAL["integer"])
    release = write(tmp_path / "release.csv", ["10", "secret", "10", "20"])
    with pytest.raises(shoal.InputError, match="Column 'x' of the release: 1 value is not") as caught:
        shoal.audit_release(release, spec("integer"), original=original)
    assert "secret" not in str(caught.value)
    with pytest.raises(shoal.InputError, match="Column 'x' of the original table: 1 value is not"):
        shoal.audit_release(original, spec("integer"), original=release)


def test_units_are_counted_by_their_values(tmp_path):
    people = shoal.Spec(
        quasi_identifiers={"sex": "suppress"},
        insensitive=["x"],
        types={"x": "integer"},
        unit="x",
        privacy=[shoal.KAnonymity(2)],
    )
    release = write(tmp_path / "release.csv", ["7", "007", "8", "9"])
    audit = shoal.audit_release(release, people)
    assert audit.findings[0].measured.startswith("smallest class 1")


def test_a_population_of_text_has_the_type_too(tmp_path):
    (tmp_path / "census.csv").write_text("age\n34.0\n034\n51\n", encoding="utf-8")
    people = shoal.Spec(
        quasi_identifiers={"age": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)},
        types={"age": "integer"},
        privacy=[shoal.KMap(2, tmp_path / "census.csv")],
    )
    release = shoal.anonymize(pa.table({"age": ["34"]}), people)
    written = release.write(tmp_path / "release.csv")
    assert shoal.audit_release(written, people, levels=release.levels).holds
