"""How much more likely classes make sensitive values, against plain Python."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.risk.gains import released_gains

KINDS = {"flu": "lungs", "cold": "lungs", "gout": "joints", None: None}
SPEC = shoal.Spec(
    quasi_identifiers={"age": "suppress", "sex": "suppress"},
    sensitive={
        "ill": shoal.Sensitive(hierarchy=shoal.taxonomy({"lungs": ["flu", "cold"], "joints": ["gout"]})),
        "pay": shoal.Sensitive(),
        "town": shoal.Sensitive(),
    },
    privacy=[shoal.KAnonymity(2), shoal.BetaLikeness("ill", 3), shoal.LDiversity("pay", 2)],
)
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["[20, 30)", "*", None]),
        st.sampled_from(["F", "*"]),
        st.sampled_from(list(KINDS)),
        st.sampled_from([10, 20, None]),
        st.sampled_from(["Ann", "Bob", "Cid"]),
    ),
    min_size=1,
    max_size=12,
)


def by_hand(rows, label):
    """Return mean and largest gain of rows (class, value, person); each value of a person counts once."""
    people = {person for *_, person in rows}
    of_class, of_label, of_pair = defaultdict(set), defaultdict(set), defaultdict(set)
    for key, value, person in rows:
        of_class[key].add(person)
        of_label[label(value)].add(person)
        of_pair[key, label(value)].add(person)
    gains = [
        (len(who) / len(of_class[key]) / (len(of_label[name]) / len(people)) - 1, len(who))
        for (key, name), who in of_pair.items()
    ]
    return sum(gain * n for gain, n in gains) / sum(n for _, n in gains), max(gain for gain, _ in gains)


def table(rows):
    names = ["age", "sex", "ill", "pay", "who"]
    types = [pa.string(), pa.string(), pa.string(), pa.int64(), pa.string()]
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), types, strict=True)]
    return pa.table(columns, names=names).append_column("town", pa.nulls(len(rows), pa.string()))


@pytest.mark.parametrize("counted", ["rows", "people beside", "people in the rows"])
@given(rows=ROWS)
def test_gains_of_values_and_labels(counted, rows):
    released, spec, people = table(rows), SPEC, None
    if counted == "people beside":
        spec, people = replace(SPEC, unit="patient"), released.column("who")
        released = released.drop_columns(["who"])
    elif counted == "people in the rows":
        spec = replace(SPEC, unit="who", insensitive=["who"])
    found = released_gains(released, spec, people)
    assert list(found) == ["ill", "pay"]  # no model is about towns
    who = list(range(len(rows))) if counted == "rows" else [row[4] for row in rows]
    ill = [((age, sex), value, one) for (age, sex, value, *_), one in zip(rows, who, strict=True)]
    pay = [((age, sex), value, one) for (age, sex, _, value, _), one in zip(rows, who, strict=True)]
    levels = [(ill, lambda value: value), (ill, KINDS.get), (ill, lambda value: "*")]
    for gain, (of_rows, label) in zip(found["ill"], levels, strict=True):
        assert (gain.mean, gain.most) == pytest.approx(by_hand(of_rows, label), abs=1e-12)
    (gain,) = found["pay"]
    assert (gain.mean, gain.most) == pytest.approx(by_hand(pay, lambda value: value), abs=1e-12)


@given(rows=ROWS)
def test_of_rows_no_level_gains_more_than_the_one_below_and_none_below_0(rows):
    values, kinds, everything = released_gains(table(rows), SPEC)["ill"]
    assert values.mean >= kinds.mean - 1e-12 >= everything.mean - 2e-12
    assert values.most >= kinds.most - 1e-12 >= everything.most - 2e-12
    assert (everything.labels, everything.mean, everything.most) == (1, 0, 0)


def test_a_release_of_a_database_has_the_same_gains(tmp_path):
    path = tmp_path / "people.duckdb"
    rows = [
        (f"{20 + row % 7}", "FM"[row % 2], ["flu", "cold", "gout"][row % 3], 10 * row, "")
        for row in range(40)
    ]
    people = table(rows).select(["age", "sex", "ill"])
    with duckdb.connect(str(path)) as connection:
        connection.register("rows", people)
        connection.execute("CREATE TABLE people AS SELECT * FROM rows")
    spec = replace(SPEC, sensitive={"ill": SPEC.sensitive["ill"]}, privacy=SPEC.privacy[:2])
    there = shoal.anonymize(path, spec, table="people", engine="duckdb")
    here = shoal.anonymize(people, spec)
    assert there.engine == "duckdb"
    assert there.gains() == here.gains() == here.gains(handed_on=True)
    assert here.gains()["ill"][0].most > 0


def test_starred_rows_are_a_class():
    rows = [("[20, 30)", "F", "flu", 10, ""), ("[20, 30)", "F", "cold", 10, ""), ("*", "*", "gout", 20, "")]
    (gain, *_) = released_gains(table(rows), SPEC)["ill"]
    assert (gain.labels, gain.most) == (3, 2)  # gout is one of three, and all of a class
    assert released_gains(table(rows).slice(3), SPEC) == {}


def test_people_who_cannot_be_told_apart_are_not_counted():
    rows = table([("*", "*", "flu", 10, "")] * 2)
    assert released_gains(rows, replace(SPEC, unit="patient")) == {}
    assert released_gains(rows.drop_columns(["who"]), SPEC)["ill"][0].most == 0
