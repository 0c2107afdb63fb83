"""The spec as Python objects."""

import math

import pyarrow as pa
import pytest

from shoal import registry
from shoal.describe import (
    HierarchyFile,
    QuasiIdentifier,
    Role,
    Sensitive,
    intervals,
    prefix,
    suppress,
)
from shoal.errors import InputError
from shoal.measure.classification import Classification
from shoal.measure.loss import Loss
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_map import KMap
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.read.source import InputFormat
from shoal.spec.spec import Spec, hierarchy_from_text


def make(**arguments):
    return Spec(**{"quasi_identifiers": {"age": "suppress"}, "privacy": [KAnonymity(5)], **arguments})


def problems(**arguments):
    with pytest.raises(InputError) as caught:
        make(**arguments)
    return [problem.message for problem in caught.value.problems]


def test_all_roles():
    spec = make(
        quasi_identifiers={"age": intervals(5, 10, 20), "zip": prefix(5), "sex": "suppress"},
        sensitive=["disease"],
        identifiers=["name"],
        insensitive=["note"],
        drop=["remarks"],
        suppression=0.02,
    )
    assert spec.roles == {
        "name": Role.IDENTIFIER,
        "age": Role.QUASI_IDENTIFIER,
        "zip": Role.QUASI_IDENTIFIER,
        "sex": Role.QUASI_IDENTIFIER,
        "disease": Role.SENSITIVE,
        "note": Role.INSENSITIVE,
        "remarks": Role.DROP,
    }
    assert spec.released == ("age", "zip", "sex", "disease", "note")
    assert spec.quasi_identifiers["sex"] == QuasiIdentifier(hierarchy=suppress())
    assert spec.quality == Loss()
    assert spec.suppressed == "remove"
    assert spec.input == InputFormat()


def test_quality_by_name_or_object():
    assert make(quality="loss") == make(quality=Loss())


def test_a_spec_cannot_be_changed():
    with pytest.raises(AttributeError):
        make().suppression = 0.5


def test_everything_wrong_at_once():
    found = problems(
        quasi_identifiers={
            "age": "interval",
            "zip": QuasiIdentifier(hierarchy=suppress(), weight=0, min_level=3, max_level=1),
            "sex": QuasiIdentifier(hierarchy=5, weight=math.nan, min_level=-1, null="maybe"),
            "both": "suppress",
        },
        sensitive=["both", "twice", "twice"],
        suppression=2,
        quality="los",
        suppressed="drop",
        privacy=[],
    )
    known = ", ".join(registry.names("hierarchies"))
    expected = [
        f"Column 'age': Unknown hierarchy 'interval'.\nKnown: {known}.\nDid you mean 'intervals'?",
        "Column 'zip': the weight must be a positive number, at most 1e+100.\nFound: 0.",
        "Column 'zip': the lowest level is above the highest.\nFound: 3 and 1.",
        f"Column 'sex': 5 is not a hierarchy.\nKnown: {known}.",
        "Column 'sex': the weight must be a positive number, at most 1e+100.\nFound: nan.",
        "Column 'sex': the lowest level must be a whole number, at least 0.\nFound: -1.",
        "Column 'sex': NULL means 'value' or 'forbid'.\nFound: 'maybe'.",
        "Column 'both' has more than one role: quasi-identifier, sensitive.\nGive it one.",
        "Column 'twice' is listed 2 times in sensitive.\nList it once.",
    ]
    assert found[: len(expected)] == expected
    rest = "\n".join(found[len(expected) :])
    for text in ("has no privacy model", "share of the rows", "Did you mean 'loss'?", "'remove' or 'star'"):
        assert text in rest


def test_no_quasi_identifier():
    assert problems(quasi_identifiers={}) == [
        "The spec has no quasi-identifier.\nGive at least one column that role."
    ]


@pytest.mark.parametrize("suppression", [-0.1, 1.01, math.nan, math.inf, "0.02", True, None])
def test_suppression_outside_its_range(suppression):
    assert "from 0 to 1" in problems(suppression=suppression)[0]


def test_the_ends_of_the_range():
    assert make(suppression=0).suppression == 0.0
    assert make(suppression=1).suppression == 1.0


def test_a_text_is_no_list_of_columns():
    assert "Found: the text 'disease'." in problems(sensitive="disease")[0]


def test_names_must_be_text():
    assert "A column name must be text." in problems(sensitive=[5])[0]


@pytest.mark.parametrize("model", [5, None, object()])
def test_a_model_must_be_one(model):
    assert "is not a privacy model" in problems(privacy=[model])[0]


def test_a_measure_must_be_one():
    assert "is not a quality measure" in problems(quality=5)[0]


def test_hierarchies_from_text():
    assert hierarchy_from_text("suppress") == suppress()
    assert hierarchy_from_text("prefix") == prefix()
    assert hierarchy_from_text("prefix:5") == prefix(5)
    with pytest.raises(InputError, match="Unknown hierarchy 'prefx'"):
        hierarchy_from_text("prefx:5")


def test_adjusted_levels_weights_and_quality():
    spec = make(
        quasi_identifiers={
            "age": QuasiIdentifier(hierarchy=intervals(5, 10), weight=2.0, min_level=1, null="forbid"),
            "sex": "suppress",
        },
        suppression=0.1,
    )
    other = spec.adjust(levels={"age": (None, 2), "sex": 0}, weights={"sex": 3}, quality="height")
    assert other.quasi_identifiers == {
        "age": QuasiIdentifier(hierarchy=intervals(5, 10), weight=2.0, max_level=2, null="forbid"),
        "sex": QuasiIdentifier(hierarchy=suppress(), weight=3, max_level=0),
    }
    assert (other.quality.name, other.suppression, other.privacy) == ("height", 0.1, spec.privacy)
    assert spec.adjust() == spec
    assert spec.adjust(levels={"age": (1, None)}) == spec


def test_everything_wrong_with_an_adjustment_at_once():
    with pytest.raises(InputError) as caught:
        make().adjust(levels={"aeg": 0, "age": (2, 1)}, weights={"sex": 1, "age": -1}, quality="lost")
    assert [problem.message.partition("\n")[0] for problem in caught.value.problems] == [
        "Column 'aeg' is not a quasi-identifier of the spec.",
        "Column 'sex' is not a quasi-identifier of the spec.",
        "Column 'age': the weight must be a positive number, at most 1e+100.",
        "Column 'age': the lowest level is above the highest.",
        "Unknown quality measure 'lost'.",
    ]
    assert "Did you mean 'age'?" in str(caught.value)


def closeness(**settings):
    return TCloseness("disease", 0.2, **settings)


def test_sensitive_columns_as_a_list_or_a_mapping():
    assert make(sensitive=["disease", "job"]) == make(sensitive={"disease": None, "job": Sensitive()})
    spec = make(
        sensitive={"disease": prefix(1), "job": "suppress", "pay": Sensitive(null="forbid"), "note": None}
    )
    assert list(spec.sensitive) == ["disease", "job", "pay", "note"]
    assert spec.sensitive["disease"].hierarchy == prefix(1)
    assert spec.sensitive["job"].hierarchy == suppress()
    assert spec.nulls == {
        "age": "value",
        "disease": "value",
        "job": "value",
        "pay": "forbid",
        "note": "value",
    }
    assert spec.to_mapping()["columns"]["disease"] == {"role": "sensitive", "hierarchy": {"prefix": 1}}
    assert spec.to_mapping()["columns"]["pay"] == {"role": "sensitive", "null": "forbid"}


def test_everything_wrong_with_sensitive_columns_at_once():
    found = problems(
        sensitive={"a": "prefx", "b": 5, "c": Sensitive(hierarchy="prefix", null="maybe"), "age": None},
        unit="",
    )
    assert [message.partition("\n")[0] for message in found] == [
        "Column 'a': Unknown hierarchy 'prefx'.",
        "Column 'b': 5 is not a hierarchy.",
        "Column 'c': 'prefix' is not a hierarchy.",
        "Column 'c': NULL means 'value' or 'forbid'.",
        "Column 'age' has more than one role: quasi-identifier, sensitive.",
        "`unit` must be the name of a column.",
    ]


def test_models_need_sensitive_columns():
    found = problems(
        sensitive=["disease", "job"],
        privacy=[LDiversity("diseas", 2), LDiversity("age", 2), closeness(distance="hierarchical")],
    )
    assert found == [
        "distinct 2-diversity of diseas needs a sensitive column, and 'diseas' is not sensitive.\n"
        "Sensitive columns: disease, job.\nDid you mean 'disease'?",
        "distinct 2-diversity of age needs a sensitive column, and 'age' is not sensitive.\n"
        "Sensitive columns: disease, job.\nGive the column that role, or use another.",
        "0.2-closeness of disease, hierarchical needs a hierarchy of column 'disease'.\nFound: none.\n"
        "Add one: in a spec `hierarchy:` beside its role, in Python sensitive={'disease': ...}.",
    ]
    assert "Sensitive columns: none." in problems(privacy=[closeness()])[0]
    assert make(sensitive={"disease": prefix(1)}, privacy=[closeness(distance="hierarchical")])


def test_the_same_model_twice_is_fine():
    models = [
        LDiversity("disease", 2),
        LDiversity("job", 3),
        LDiversity("job", 2, kind="entropy"),
        KAnonymity(5),
    ]
    spec = make(sensitive=["disease", "job"], privacy=[*models, KAnonymity(2)])
    assert len(spec.privacy) == 5
    assert spec.attributes == ("disease", "job")


def test_a_target_must_be_released_as_it_is():
    roles = {"sensitive": ["disease"], "insensitive": ["note"], "identifiers": ["name"]}
    for target in ("disease", "note"):
        spec = make(**roles, quality={"classification": {"target": target}})
        assert spec.quality == Classification(target)
        assert spec.attributes == (target,)
        assert spec.to_mapping()["quality"] == {"classification": {"target": target}}
    known = "Possible columns: disease, note."
    for target, found in (
        ("age", f"Its role: quasi-identifier. {known}\nGive it the role sensitive or insensitive"),
        ("name", f"Its role: identifier. {known}"),
        ("diseas", f"It has no role. {known}\nDid you mean 'disease'?"),
    ):
        (message,) = problems(**roles, quality=Classification(target))
        assert message.startswith(f"The measure classification cannot use column {target!r}.\n{found}")


def test_quality_with_settings_or_as_a_function():
    assert make(quality={"loss": {"aggregate": "max"}}).quality == Loss(aggregate="max")
    assert make(quality={"loss": None}) == make(quality="loss")
    assert make(quality=lambda node: float(sum(node.levels))).quality.name == "custom"
    assert "is not a quality measure" in problems(quality={"loss": None, "height": None})[0]
    assert "is not a quality measure" in problems(quality=Loss)[0]
    assert "Unknown quality measure 'los'" in problems(quality={"los": {}})[0]


def test_a_unit_in_any_role_or_none():
    assert make().withheld == ()
    assert make(unit="patient").withheld == ("patient",)
    assert make(unit="patient", identifiers=["name", "patient"]).withheld == ("name", "patient")
    assert make(unit="patient", insensitive=["patient"]).withheld == ()
    assert make(unit="patient").released == ("age",)
    assert make(unit="patient").to_mapping()["unit"] == "patient"
    assert "unit" not in make().to_mapping()
    assert problems(unit="patient", drop=["patient"])[0].startswith("Column 'patient' is the unit and cannot")


def test_files_of_a_spec(tmp_path):
    spec = make(
        quasi_identifiers={"age": HierarchyFile("age.csv", folder=tmp_path)},
        sensitive={"disease": HierarchyFile("disease.csv", folder=tmp_path)},
        privacy=[KMap(5, tmp_path / "census.csv"), KMap(5, pa.table({"age": [1]}))],
    )
    assert spec.files == (tmp_path / "age.csv", tmp_path / "disease.csv", tmp_path / "census.csv")
    assert len(spec.populations) == 2
