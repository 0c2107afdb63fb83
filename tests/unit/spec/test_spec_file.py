"""The spec as YAML, and the messages for what is wrong in it."""

import json
import string

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.describe import HierarchyFile, QuasiIdentifier, Sensitive, intervals, prefix, suppress
from shoal.errors import InputError, MissingFileError
from shoal.measure.classification import Classification
from shoal.privacy.delta_presence import DeltaPresence
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_map import KMap
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.reidentification_risk import Risk
from shoal.privacy.t_closeness import TCloseness
from shoal.read.source import InputFormat
from shoal.spec.spec import Spec
from shoal.spec.spec_file import models_from_text

EXAMPLE = """
input: {delimiter: ";"}
columns:
  age:  {role: quasi-identifier, hierarchy: {file: adult_hierarchy_age.csv}, weight: 2.0, max-level: 3}
  zip:  {role: quasi-identifier, hierarchy: {prefix: 5}, min-level: 1, null: forbid}
  sex:  {role: quasi-identifier, hierarchy: suppress}
  race: {role: quasi-identifier}
  name: {role: identifier}
  occupation: {role: sensitive}
  note: {role: insensitive}
privacy:
  - k-anonymity: 5
suppression: 0.02
quality: discernability-monotone
suppressed: star
"""

SMALL = """
columns:
  age: {role: quasi-identifier}
privacy: [k-anonymity: 5]
"""


@pytest.fixture
def load(tmp_path):
    def load(text):
        path = tmp_path / "spec.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Spec.from_yaml(path)

    return load


@pytest.fixture
def problems(load):
    def problems(text):
        with pytest.raises(InputError) as caught:
            load(text)
        return [problem.message for problem in caught.value.problems]

    return problems


def test_the_example(load, tmp_path):
    spec = load(EXAMPLE)
    assert spec.quasi_identifiers == {
        "age": QuasiIdentifier(hierarchy=HierarchyFile("adult_hierarchy_age.csv"), weight=2.0, max_level=3),
        "zip": QuasiIdentifier(hierarchy=prefix(5), min_level=1, null="forbid"),
        "sex": QuasiIdentifier(hierarchy=suppress()),
        "race": QuasiIdentifier(hierarchy=suppress()),
    }
    assert spec.quasi_identifiers["age"].hierarchy.folder == tmp_path
    assert (spec.identifiers, spec.insensitive) == (("name",), ("note",))
    assert spec.sensitive == {"occupation": Sensitive()}
    assert spec.privacy == (KAnonymity(5),)
    assert (spec.suppression, spec.quality.name, spec.suppressed) == (0.02, "discernability-monotone", "star")
    assert spec.input == InputFormat(delimiter=";")


def test_defaults(load):
    spec = load(SMALL)
    assert (spec.suppression, spec.quality.name, spec.suppressed) == (0.0, "loss", "remove")


NAMES = st.text(string.printable + "äß☃'\"", min_size=1, max_size=8)
HIERARCHIES = st.sampled_from(
    [
        suppress(),
        prefix(),
        prefix(3),
        intervals(5, 10),
        intervals(0.5, origin=2),
        HierarchyFile("a/b.csv", ","),
    ]
)
SETTINGS = st.builds(
    QuasiIdentifier,
    hierarchy=HIERARCHIES,
    weight=st.floats(0.01, 100),
    min_level=st.integers(0, 2),
    max_level=st.none() | st.integers(2, 5),
    null=st.sampled_from(["value", "forbid"]),
)


SENSITIVE = st.builds(
    Sensitive,
    hierarchy=st.none() | HIERARCHIES.filter(lambda hierarchy: hierarchy != prefix()),
    null=st.sampled_from(["value", "forbid"]),
)


@st.composite
def specs(draw):
    names = draw(st.lists(NAMES, min_size=4, max_size=10, unique=True))
    first, second, third = sorted(draw(st.tuples(*[st.integers(1, len(names))] * 3)))
    models = [st.builds(KAnonymity, st.integers(1, 1000)), st.builds(Risk, st.floats(0.01, 1))]
    measures = [st.sampled_from(["loss", "height", "entropy", {"loss": {"aggregate": "max"}}])]
    if names[second:third]:
        columns = st.sampled_from(names[second:third])
        models.append(st.builds(LDiversity, columns, st.integers(1, 9)))
        models.append(st.builds(TCloseness, columns, st.floats(0, 1), st.sampled_from(["equal", "ordered"])))
        measures.append(st.builds(Classification, columns))
    return Spec(
        quasi_identifiers={name: draw(SETTINGS) for name in names[:first]},
        identifiers=names[first:second],
        sensitive={name: draw(SENSITIVE) for name in names[second:third]},
        insensitive=names[third:],
        unit=draw(st.none() | st.sampled_from([*names, "else"])),
        privacy=draw(st.lists(st.one_of(models), min_size=1, max_size=3)),
        suppression=draw(st.floats(0, 1)),
        quality=draw(st.one_of(measures)),
        suppressed=draw(st.sampled_from(["remove", "star"])),
        input=InputFormat(draw(st.sampled_from([None, ";", "\t"])), draw(st.sampled_from([None, "'"]))),
    )


@settings(deadline=None)
@given(specs())
def test_a_spec_survives_its_mapping_and_yaml(spec):
    mapping = spec.to_mapping()
    assert Spec.from_mapping(mapping) == spec
    assert Spec.from_mapping(yaml.safe_load(yaml.safe_dump(mapping, sort_keys=False))) == spec


def test_unknown_keys_name_their_place_and_the_nearest(problems):
    found = problems(
        "columns:\n  age: {role: quasi-identifier, wieght: 2, max_level: 3}\n"
        "input: {delimeter: ';'}\nprivacy: [k-anonymity: 5]\nsupression: 0.02\n"
    )
    assert [message.splitlines()[0] for message in found] == [
        "spec.yaml, line 3, column 9: Unknown key 'input.delimeter' in the spec.",
        "spec.yaml, line 2, column 33: Unknown key 'columns.age.wieght' in the spec.",
        "spec.yaml, line 2, column 44: Unknown key 'columns.age.max_level' in the spec.",
        "spec.yaml, line 5, column 1: Unknown key 'supression' in the spec.",
    ]
    for message, near in zip(found, ["delimiter", "weight", "max-level", "suppression"], strict=True):
        assert f"Did you mean {near!r}?" in message


def test_wrong_types_name_their_place(problems):
    found = problems(
        "columns:\n  age: {role: quasi-identifier, weight: heavy, min-level: 1.5, null: no}\n"
        "  sex: sensitive\n  zip:\n  a: {role: quasi}\n  b: {}\n"
        "privacy: {k-anonymity: 5}\nsuppression: 2%\nquality: [loss]\nsuppressed: yes\ninput: ';'\n"
    )
    text = "\n".join(found)
    for expected in (
        "spec.yaml, line 2, column 33: columns.age.weight must be a number.\nFound: the text 'heavy'.",
        "columns.age.min-level must be a whole number.\nFound: 1.5.",
        "columns.age.null must be one of value, forbid.\nFound: 'no'.",
        "columns.sex must be a mapping, `key: value`.\nFound: the text 'sensitive'.",
        "columns.zip must be a mapping, `key: value`.\nFound: nothing.",
        "columns.a.role must be one of identifier, quasi-identifier, sensitive, insensitive, pseudonym, "
        "drop.",
        "The spec lacks 'columns.b.role'.",
        "privacy must be a list.",
        "suppression must be a number.\nFound: the text '2%'.",
        "quality must be a name, or one name with its settings.\nFound: a list ['loss'].",
        "suppressed must be one of remove, star.\nFound: 'yes'.",
        "input must be a mapping, `key: value`.\nFound: the text ';'.",
    ):
        assert expected in text
    assert len(found) == 12


def test_wrong_plug_ins_name_their_place(problems):
    found = problems(
        "columns:\n"
        "  age: {role: quasi-identifier, hierarchy: {interval: 5}}\n"
        "  zip: {role: quasi-identifier, hierarchy: {prefix: -1}}\n"
        "  a: {role: quasi-identifier, hierarchy: {prefix: 1, suppress: }}\n"
        "  b: {role: quasi-identifier, hierarchy: [prefix, prefx]}\n"
        "  c: {role: quasi-identifier, hierarchy: {intervals: [5, 12]}}\n"
        "  d: {role: sensitive, hierarchy: suppress, max-level: 2}\n"
        "privacy: [k-anonimity: 5, k-anonymity: 0, 5, k-anonymity]\n"
    )
    assert found[0].startswith("spec.yaml, line 2, column 33: columns.age.hierarchy: ")
    places = [message.split(" ")[5].rstrip(":") for message in found]
    assert places == [
        "columns.age.hierarchy",
        "columns.zip.hierarchy",
        "columns.a.hierarchy",
        "columns.b.hierarchy.1",
        "columns.c.hierarchy",
        "columns.d",
        "privacy.0",
        "privacy.1",
        "privacy.2",
        "privacy.3",
    ]
    assert "Did you mean 'intervals'?" in found[0]
    assert "only a quasi-identifier can have max-level." in found[5]
    assert "Did you mean 'k-anonymity'?" in found[6]


def test_sensitive_columns_units_models_and_measures(load, tmp_path):
    spec = load(
        "columns:\n"
        "  age: {role: quasi-identifier}\n"
        "  disease: {role: sensitive, hierarchy: {file: disease.csv}, null: forbid}\n"
        "  pay: {role: sensitive}\n"
        "unit: patient\n"
        "privacy:\n"
        "  - k-anonymity: 5\n"
        "  - l-diversity: {column: pay, l: 3, kind: recursive, c: 4}\n"
        "  - t-closeness: {column: disease, t: 0.2, distance: hierarchical}\n"
        "  - k-map: {k: 5, population: census/people.csv}\n"
        "  - delta-presence: {population: census/people.csv, lower: 0.05, upper: 0.15}\n"
        "quality: {classification: {target: pay}}\n"
    )
    assert spec.sensitive == {
        "disease": Sensitive(hierarchy=HierarchyFile("disease.csv"), null="forbid"),
        "pay": Sensitive(),
    }
    census = tmp_path / "census" / "people.csv"
    assert spec.files == (tmp_path / "spec.yaml", tmp_path / "disease.csv", census)
    assert (spec.unit, spec.quality) == ("patient", Classification("pay"))
    assert spec.privacy == (
        KAnonymity(5),
        LDiversity("pay", 3, "recursive", 4),
        TCloseness("disease", 0.2, "hierarchical"),
        KMap(5, census),
        DeltaPresence(census, 0.05, 0.15),
    )
    written = spec.to_mapping()
    assert written["privacy"][3] == {"k-map": {"k": 5, "population": "census/people.csv"}}
    assert Spec.from_mapping(written, tmp_path) == spec


def test_keys_that_a_role_has_no_use_for(problems):
    found = problems(
        "columns:\n"
        "  age: {role: quasi-identifier}\n"
        "  a: {role: sensitive, weight: 2, null: forbid}\n"
        "  b: {role: identifier, hierarchy: suppress}\n"
        "  c: {role: insensitive, null: forbid, max-level: 1}\n"
        "  d: {role: sensitive, hierarchy: prefx}\n"
        "privacy: [k-anonymity: 5]\n"
    )
    assert [message.partition("\n")[0] for message in found] == [
        f"spec.yaml, line {place}"
        for place in (
            "3, column 24: columns.a: only a quasi-identifier can have weight.",
            "4, column 25: columns.b: only a quasi-identifier or a sensitive column can have hierarchy.",
            "5, column 40: columns.c: only a quasi-identifier can have max-level, null.",
            "6, column 24: columns.d.hierarchy: Unknown hierarchy 'prefx'.",
        )
    ]


def test_models_from_text():
    assert models_from_text(["k-anonymity: 5", "l-diversity: {column: disease, l: 3}"], "--privacy") == [
        KAnonymity(5),
        LDiversity("disease", 3),
    ]
    with pytest.raises(InputError) as caught:
        models_from_text(
            ["k-anonymity", "k-anonimity: 5", "k-map: {k", "l-diversity: {l: 1, l: 2}", "[1]", ""],
            "--privacy",
        )
    assert len(caught.value.problems) == 6
    text = str(caught.value)
    for expected in (
        "--privacy 'k-anonymity': k-anonymity needs a whole number",
        "Did you mean 'k-anonymity'?",
        "with a space after each colon",
        "repeats keys: l.",
        "--privacy '[1]' must be a name, or one name with its argument.",
        "--privacy '' must be a name",
    ):
        assert expected in text


def test_what_the_spec_itself_refuses(problems):
    text = "\n".join(problems(SMALL.replace("[k-anonymity: 5]", "[]") + "suppression: 1.5\nquality: lost\n"))
    for expected in ("has no privacy model", "from 0 to 1", "Did you mean 'loss'?"):
        assert expected in text
    assert "no quasi-identifier" in problems("columns: {}\nprivacy: [k-anonymity: 5]")[0]


def test_repeated_keys(problems):
    found = problems(
        "columns:\n  age: {role: sensitive}\n  age: {role: identifier}\nprivacy: []\nprivacy: []\n"
    )
    assert sorted(found) == [
        "Spec 'spec.yaml' repeats the key 'age'.\nFound: lines 2 and 3.\nKeep one.",
        "Spec 'spec.yaml' repeats the key 'privacy'.\nFound: lines 4 and 5.\nKeep one.",
    ]


def test_names_that_yaml_takes_for_something_else(load):
    names = ["no", "on", "1", "007", "1.0", "null", "~", "2020-01-01", "x; DROP TABLE t", "naïve ☃"]
    lines = "".join(f"  {name}: {{role: insensitive}}\n" for name in names)
    assert load(SMALL.replace("privacy", lines + "privacy")).insensitive == tuple(names)


def test_keys_of_a_mapping_that_are_not_text():
    mapping = {"columns": {True: {"role": "identifier"}, "age": {None: "forbid"}}, 1: 2}
    with pytest.raises(InputError) as caught:
        Spec.from_mapping(mapping)
    assert [problem.message for problem in caught.value.problems] == [
        "Key True in columns is not text.\nPut it in quotes.",
        "Key None in columns.age is not text.\nPut it in quotes.",
        "Key 1 is not text.\nPut it in quotes.",
    ]


def test_merged_settings(load):
    spec = load(
        "columns:\n  1: &code {role: quasi-identifier, hierarchy: prefix, null: forbid}\n"
        "  zip: {<<: *code, hierarchy: suppress}\nprivacy: [k-anonymity: 5]\n"
    )
    assert spec.quasi_identifiers["zip"] == QuasiIdentifier(hierarchy=suppress(), null="forbid")


BOMB = "columns: &a0 [x, x]\n" + "".join(
    f"k{step}: &a{step} [{', '.join([f'*a{step - 1}'] * 9)}]\n" for step in range(1, 9)
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is empty"),
        ("# nothing\n", "is empty"),
        ("- a\n- b\n", "A spec is a mapping with the keys input, columns, unit, privacy"),
        ("just text", "Found: text."),
        (
            "age,sex\n31,F\n",
            "Found: text.\nCheck that this file is the spec and not the table.",
        ),
        ("name: Ann\n", "Found: other keys."),
        ("columns:\n\tage: 1\n", "in line 2, column 1"),
        ("columns:\n\tage: 1\n", "Indent with spaces, not tabs."),
        ("columns: {age\n", "is not valid YAML in line"),
        ("a: 1\n---\nb: 2\n", "is not valid YAML"),
        ("a: 2020-99-99\n", "Found: other keys."),
        ("? [a]\n: 1\n", "a key must be text"),
        ("a: *b\n", "is not valid YAML"),
        ("columns: &a\n  age: *a\n", "contains itself by an alias"),
        ("columns: " + "[" * 5000, "nested too deep"),
        (BOMB, "has more than 1,000,000 parts"),
        ("a: !!python/name:os.system\n", "is not valid YAML"),
        (b"a: \xff\n", "is not UTF-8 text"),
        ("a: \x01\n", "is not valid YAML"),
        ('a: "\\ud83d"\n', "is not valid YAML in line 1, column 4: half a character"),
        ("columns: {age: {role: sensitive}}\n", "The spec lacks 'privacy'."),
        (SMALL.replace("[k-anonymity: 5]", ""), "privacy must be a list.\nFound: nothing."),
    ],
)
def test_files_that_are_no_spec(problems, text, expected):
    assert any(expected in message for message in problems(text))


def test_missing_spec(tmp_path):
    with pytest.raises(MissingFileError):
        Spec.from_yaml(tmp_path / "no.yaml")


def test_bad_parameters_do_not_hide_a_column_that_is_not_sensitive(problems):
    written = SMALL.replace(
        "[k-anonymity: 5]", "[t-closeness: {column: d, t: 2}, l-diversity: {column: age, l: 2}]"
    )
    found = problems(written)
    assert any("t-closeness needs a number t from 0 to 1." in message for message in found)
    assert any("needs a sensitive column, and 'age' is not sensitive." in message for message in found)


def test_text_stays_as_it_is_written(load):
    spec = load(
        "columns:\n  no:\n    role: quasi-identifier\n"
        "    hierarchy: {order: {values: [no, yes, 01234, 2026-01-31, on], runs: [2]}}\n"
        "privacy: [k-anonymity: 5]\n"
    )
    assert spec.quasi_identifiers["no"].hierarchy.values == ("no", "yes", "01234", "2026-01-31", "on")


def test_characters_in_two_halves_as_json_writes_them(tmp_path):
    (tmp_path / "spec.json").write_text(
        json.dumps({"columns": {"\U0001f600": {"role": "quasi-identifier"}}, "privacy": [{"k-anonymity": 2}]})
    )
    assert list(Spec.from_yaml(tmp_path / "spec.json").quasi_identifiers) == ["\U0001f600"]
