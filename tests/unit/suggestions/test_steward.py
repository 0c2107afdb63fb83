"""What is proposed, beside what a careful steward would say: a part of `benchmarks/init.py`."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest

PATH = Path(__file__).parents[3] / "benchmarks" / "init.py"


@pytest.fixture(scope="module")
def steward() -> ModuleType:
    spec = importlib.util.spec_from_file_location("steward", PATH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["steward"] = module
    spec.loader.exec_module(module)
    return module


def test_nothing_unsafe_is_proposed_and_most_roles_are_as_a_steward_says(steward):
    compared = [steward.compare(judged) for judged in islice(steward.tables(), 0, None, 2)]
    assert len(compared) >= 20
    assert [what for one in compared for what in one.unsafe] == []
    people = Counter(one.people for one in compared)
    assert people["asked needlessly"] == 0
    assert people["right"] >= 0.6 * len(compared)
    roles = sum((one.roles for one in compared), Counter())
    assert sum(roles[role, role] for role in set(steward.ROLES.values())) >= 0.8 * roles.total()


def test_a_mistake_would_be_seen(steward):
    """Each kind of what is unsafe is reported for a proposal that has it."""
    judged = next(one for one in steward.tables() if one.name == "hospital visits, en")
    assert steward.compare(judged).unsafe == []
    found = steward.compare(judged).found
    worse = found.with_unit(None).with_column("name", role="sensitive").with_column("dob", role="insensitive")
    assert steward.people_counted(judged, worse) == "missed"
    reported = " ".join(steward.unsafe_columns(judged, worse))
    assert "name: an identifier is released" in reported
    assert "dob: exact dates are released" in reported
