"""Files of Stata, SPSS and SAS, written here by pyreadstat (but for sas7bdat, which it only reads)."""

import datetime

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

import shoal
from shoal.errors import InputError
from shoal.read.source import InputFormat, open_source

WRITERS = {
    "dta": pyreadstat.write_dta,
    "sav": pyreadstat.write_sav,
    "zsav": lambda frame, path: pyreadstat.write_sav(frame, path, compress=True),
    "por": pyreadstat.write_por,
    "xpt": pyreadstat.write_xport,
}
ROWS = {
    "AGE": [34.0, 51.5, None],
    "SEX": ["F", "", "M"],
    "BORN": [datetime.date(1990, 1, 31), None, datetime.date(1850, 2, 3)],
    "SEEN": [datetime.datetime(2026, 1, 31, 12, 30), None, datetime.datetime(2026, 1, 31)],
}


@pytest.fixture(params=WRITERS)
def path(request, tmp_path):
    path = tmp_path / f"people.{request.param}"
    WRITERS[request.param](pd.DataFrame(ROWS), str(path))
    return path


def refusal(call):
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("coded", [(), ("AGE", "BORN")])
def test_values_keep_their_types(path, coded):
    source = open_source(path)
    assert source.columns == tuple(ROWS)
    table = source.read(["BORN", "AGE", "SEX", "SEEN"], coded)
    assert table.to_pydict() == {name: ROWS[name] for name in ("BORN", "AGE", "SEX", "SEEN")}
    kinds = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in table.schema.types]
    assert kinds == [pa.date32(), pa.float64(), pa.string(), pa.timestamp("us")]


def test_texts_for_null(path):
    table = open_source(path, InputFormat(null_values=[""])).read(["SEX", "AGE"], ["SEX"])
    assert table.to_pydict() == {"SEX": ["F", None, "M"], "AGE": ROWS["AGE"]}


def test_codes_and_not_their_labels(tmp_path):
    frame = pd.DataFrame({"sex": [1, 2, 1]}, dtype="int32")
    labels = {"sex": {1: "female", 2: "male"}}
    pyreadstat.write_dta(frame, str(tmp_path / "a.dta"), variable_value_labels=labels)
    assert open_source(tmp_path / "a.dta").read(["sex"], []).to_pydict() == {"sex": [1, 2, 1]}


def test_user_defined_missing_values_are_null(tmp_path):
    frame = pd.DataFrame({"age": [34.0, 99.0]})
    pyreadstat.write_sav(frame, str(tmp_path / "a.sav"), missing_ranges={"age": [99]})
    assert open_source(tmp_path / "a.sav").read(["age"], []).to_pydict() == {"age": [34, None]}


def test_columns_of_nothing_but_null(tmp_path):
    frame = pd.DataFrame({"a": [None, None], "b": [1.0, 2.0]}).astype({"a": "float64"})
    pyreadstat.write_dta(frame, str(tmp_path / "a.dta"))
    table = open_source(tmp_path / "a.dta").read(["a", "b"], ["a"])
    assert table["a"].to_pylist() == [None, None]


def test_from_such_a_file_to_a_release(tmp_path):
    frame = pd.DataFrame({"age": [31.0, 35.0, 52.0, 58.0], "sex": ["F", "F", "M", "M"]})
    pyreadstat.write_sav(frame, str(tmp_path / "people.sav"))
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10), "sex": "suppress"},
        types={"age": "integer"},
        privacy=[shoal.KAnonymity(2)],
    )
    release = shoal.anonymize(tmp_path / "people.sav", spec)
    assert sorted(release.data["age"].to_pylist()) == ["[30, 40)"] * 2 + ["[50, 60)"] * 2


def test_a_damaged_file(path):
    path.write_bytes(path.read_bytes()[:200])
    kind = {"dta": "Stata", "xpt": "SAS"}.get(path.suffix[1:], "SPSS")
    assert f"File '{path.name}' is not a complete file of {kind}." in refusal(
        lambda: open_source(path).read(list(ROWS), [])
    )


@pytest.mark.parametrize("suffix", ["dta", "sav", "por", "sas7bdat", "xpt"])
def test_other_content(suffix, tmp_path):
    path = tmp_path / f"people.{suffix}"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    assert "is not a complete file of" in refusal(lambda: open_source(path))
    path.write_bytes(b"")
    assert f"File 'people.{suffix}' is empty." in refusal(lambda: open_source(path))


def test_without_pyreadstat(path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "pip install 'shoal[statistics]'" in refusal(lambda: open_source(path))
