"""A YAML text that changes in parts."""

from __future__ import annotations

import pytest

from shoal.errors import InputError
from shoal.spec.yaml_edit import REMOVED, edited
from shoal.spec.yaml_text import parse

BEFORE = """\
# top
columns:   # all
  # about age
  age: {role: quasi-identifier, hierarchy: {intervals: [5, 10]}, min-level: 1}  # for now
  zip:
    # the role
    role: quasi-identifier
    hierarchy:
      prefix: 5
    weight: 3
    # the end of zip

  "no": {accept: linkable,
     role: sensitive}
  job:
    hierarchy: suppress
    role: quasi-identifier
# below columns
privacy:
  - k-anonymity: 5   # five
unit: {undecided: [a, b]}
suppression: 0.02
"""
CHANGES = {
    ("columns", "age", "role"): "sensitive",
    ("columns", "age", "hierarchy"): REMOVED,
    ("columns", "age", "min-level"): REMOVED,
    ("columns", "zip", "role"): "sensitive",
    ("columns", "zip", "hierarchy"): REMOVED,
    ("columns", "zip", "weight"): REMOVED,
    ("columns", "no", "role"): "identifier",
    ("columns", "no", "accept"): REMOVED,
    ("columns", "job", "hierarchy"): {"prefix": 5},
    ("columns", "job", "weight"): 2.5,
    ("columns", "a: b"): {"role": "sensitive"},
    ("privacy", "0", "k-anonymity"): 10,
    ("unit",): "no",
    ("recoding",): "mondrian",
}
AFTER = """\
# top
columns:   # all
  # about age
  age: {role: sensitive}  # for now
  zip:
    # the role
    role: sensitive
    # the end of zip

  "no": {role: identifier}
  job:
    hierarchy: {prefix: 5}
    role: quasi-identifier
    weight: 2.5
  'a: b': {role: sensitive}
# below columns
privacy:
  - k-anonymity: 10   # five
unit: 'no'
suppression: 0.02
recoding: mondrian
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_only_what_changes_is_written_anew(newline):
    assert edited(BEFORE.replace("\n", newline), CHANGES) == AFTER.replace("\n", newline)


def test_the_end_of_a_mapping_that_loses_its_last_key():
    text = "columns:\n  b:\n    role: q\n    hierarchy:\n      prefix: 5\n"
    changes = {("columns", "b", "hierarchy"): REMOVED, ("columns", "b", "weight"): 3, ("unit",): "b"}
    assert edited(text, changes) == "columns:\n  b:\n    role: q\n    weight: 3\nunit: b\n"
    assert parse(
        edited("{a: {x: 1, y: 2, z: 3}}", {("a", "x"): REMOVED, ("a", "z"): REMOVED, ("b",): 1})
    ).content == {
        "a": {"y": 2},
        "b": 1,
    }
    assert edited("a: {x: 1}", {("a", "x"): REMOVED}) == "a: {}\n"
    assert edited("a: {}  # none", {("a", "x"): 1, ("a", "y"): 2}) == "a: {x: 1, y: 2}  # none\n"


def test_text_of_several_lines_ends_where_its_last_line_does():
    text = "a:\n  note: |\n    one\n    two\n\n  # next\n  b: 1\nc: 2\n"
    assert edited(text, {("a", "note"): "x", ("d",): 3}) == "a:\n  note: x\n\n  # next\n  b: 1\nc: 2\nd: 3\n"
    assert edited(text, {("a", "note"): REMOVED}) == "a:\n\n  # next\n  b: 1\nc: 2\n"
    assert edited("a:\n  note: |\n    one\n\n# end\n", {("a", "b"): 1}) == (
        "a:\n  note: |\n    one\n  b: 1\n\n# end\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "a: &own {role: q}\nb: *own\n",
        "base: &own {role: q}\na: {x: 1}\nb: {<<: *own}\n",
        "b: &own {role: q}\na: *own\n",
    ],
)
def test_what_stands_in_two_places_is_not_changed_in_both(text):
    with pytest.raises(InputError, match="cannot be changed without rewriting"):
        edited(text, {("b", "role"): REMOVED})
