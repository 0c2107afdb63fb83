"""Two tables about the same people."""

from __future__ import annotations

import pyarrow as pa
import pytest

from shoal.errors import InputError
from shoal.read.source import InputFormat
from shoal.suggestions.related import relate, with_roles
from shoal.suggestions.suggestion import suggest

PEOPLE = pa.table(
    {
        "id": [f"{1000 + 7 * n}" for n in range(60)],
        "age": [20 + n % 50 for n in range(60)],
        "ward": [f"{'AB'[n % 2]}{n % 3}" for n in range(60)],
    }
)
VISITS = pa.table(
    {
        "visit": list(range(1, 241)),
        "person": [f"{1000 + 7 * (n % 48)}" if n % 20 else "7" for n in range(240)],
        "ward": ["x"] * 240,
        "result": [n % 9 for n in range(240)],
    }
)


def related(first: pa.Table, second: pa.Table):
    return relate((suggest(first), suggest(second)), (first, second), InputFormat())


def test_the_key_is_found_by_its_values():
    people = PEOPLE.rename_columns(["person_id", "age", "ward"])
    (first, second), join = related(people, VISITS)
    assert join is not None
    assert (join.columns, join.rows, join.meeting) == (("person_id", "person"), (60, 240), (48, 228))
    assert (first.unit, second.unit) == (None, "person")
    assert second["person"].role is first["person_id"].role


def test_columns_of_one_name_get_the_role_that_reveals_less():
    (first, second), _ = related(PEOPLE, VISITS)
    roles = {first["ward"].role, second["ward"].role}
    assert suggest(VISITS)["ward"].role not in roles
    assert len(roles) == 1
    assert second["ward"].reason.startswith("as in ")


def test_numbers_that_only_begin_alike_do_not_join():
    other = pa.table({"order": list(range(1, 241)), "amount": [n % 7 for n in range(240)]})
    _, join = related(other, VISITS.rename_columns(["line", "person", "ward", "result"]))
    assert join is None


def test_roles_given_for_both():
    suggestions = [suggest(PEOPLE), suggest(VISITS)]
    first, second = with_roles(suggestions, {"sensitive": ["res*", "ward"]})
    assert {first["ward"].role.value, second["ward"].role.value, second["result"].role.value} == {"sensitive"}
    with pytest.raises(InputError, match="No column is 'ag'"):
        with_roles(suggestions, {"sensitive": "ag"})
