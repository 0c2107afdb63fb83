"""Which rows are added, against a reference in plain Python and somebody who has all releases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import InputError
from shoal.incremental.admitted_rows import ExtensionPlan, plan
from shoal.incremental.extended_rows import ExtendedRows
from shoal.privacy.model import PrivacyModel


class Person(NamedTuple):
    """A row: when it came, its class, its sensitive value."""

    batch: int
    age: str | None
    sex: str
    disease: str

    @property
    def labels(self) -> tuple[str | None, str]:
        return self.age, self.sex


Check = Callable[[list[Person], list[Person]], bool]
"""Whether a class satisfies, by the definition: its rows, and all rows that there are."""


def k_anonymous(k: int) -> Check:
    return lambda rows, _: len(rows) >= k


def diverse(l: int) -> Check:  # noqa: E741 (its name in the field)
    return lambda rows, _: len({row.disease for row in rows}) >= l


def close(t: float) -> Check:
    def check(rows: list[Person], everybody: list[Person]) -> bool:
        here, there = (Counter(row.disease for row in part) for part in (rows, everybody))
        more = (max(0.0, here[d] / len(rows) - there[d] / len(everybody)) for d in there)
        return sum(more) <= t + 1e-9

    return check


CLAIMS: list[tuple[list[PrivacyModel], list[Check], int]] = [
    ([shoal.KAnonymity(2)], [k_anonymous(2)], 2),
    ([shoal.KAnonymity(3)], [k_anonymous(3)], 3),
    ([shoal.KAnonymity(2), shoal.LDiversity("disease", 2)], [k_anonymous(2), diverse(2)], 2),
    ([shoal.KAnonymity(2), shoal.TCloseness("disease", 0.4)], [k_anonymous(2), close(0.4)], 2),
]

persons = st.builds(
    Person, st.just(0), st.sampled_from(["20", "30", None]), st.sampled_from("FM"), st.sampled_from("abc")
)
batches = st.lists(st.lists(persons, min_size=1, max_size=14), min_size=2, max_size=4)


def by_class(rows: Iterable[Person]) -> dict[tuple[str | None, str], list[Person]]:
    classes: dict[tuple[str | None, str], list[Person]] = {}
    for row in rows:
        classes.setdefault(row.labels, []).append(row)
    return classes


def spec_of(models: Sequence[PrivacyModel], suppression: float = 1.0) -> shoal.Spec:
    return shoal.Spec(
        quasi_identifiers={"age": "suppress", "sex": "suppress"},
        sensitive=["disease"],
        privacy=list(models),
        suppression=suppression,
    )


def planned(people: Sequence[Person], published: set[int], batch: int, spec: shoal.Spec) -> ExtensionPlan:
    """Plan a release of all people, of whom some are published and those of a batch are new."""
    columns = {name: [getattr(p, name) for p in people] for name in ("age", "sex", "disease")}
    table = pa.table(columns, schema=pa.schema([(name, pa.string()) for name in columns]))
    released = np.array([place in published for place in range(len(people))], dtype=bool)
    new = np.array([p.batch == batch for p in people], dtype=bool)
    return plan(ExtendedRows(table, released, new, 0, table), spec)


@given(drawn=batches, claimed=st.sampled_from(CLAIMS))
def test_nobody_is_found_in_a_row_of_releases(
    drawn: list[list[Person]], claimed: tuple[list[PrivacyModel], list[Check], int]
) -> None:
    models, checks, k = claimed
    spec = spec_of(models)
    people: list[Person] = []
    published: set[int] = set()
    releases: list[set[int]] = []  # what each release added
    for batch, rows in enumerate(drawn):
        people += [row._replace(batch=batch) for row in rows]
        holds = partial(_judged, people=list(people), checks=checks)
        if batch == 0:
            passing = holds(range(len(people)))
            added = {place for place, p in enumerate(people) if passing[p.labels]}
        else:
            try:
                found = planned(people, published, batch, spec)
            except InputError as error:
                assert "l is above" in str(error)
                return
            added = set(np.flatnonzero(found.added).tolist())
            new = {place for place, p in enumerate(people) if p.batch == batch}
            assert not added & published
            assert added | published == set(np.flatnonzero(found.kept).tolist())
            assert found.suppressed == len(people) - len(added | published)
            assert (found.waiting, found.returned) == (len(new - added), len(added - new))
            sizes = Counter(len(rows) for rows in by_class(people[place] for place in added).values())
            assert found.class_sizes == sizes
            # What is added satisfies by itself, and what waits does not.
            assert all(holds(added).values())
            assert not any(holds(set(np.flatnonzero(found.candidates).tolist()) - added).values())
            # Classes that would fail as a whole are those that the models say.
            assert found.failing == sum(not held for held in holds(published | added).values())
            if found.failing:
                return
        published |= added
        releases.append(added)
    _attack(people, releases, k)


def _judged(
    places: Iterable[int], people: list[Person], checks: list[Check]
) -> dict[tuple[str | None, str], bool]:
    """Tell of each class that some people make whether it satisfies."""
    classes = by_class(people[place] for place in places)
    return {labels: all(check(rows, people) for check in checks) for labels, rows in classes.items()}


def _attack(people: Sequence[Person], releases: Sequence[set[int]], k: int) -> None:
    """Look for everybody with all releases in hand, knowing their class and when they came."""
    for place, person in enumerate(people):
        for added in releases[person.batch :]:
            candidates = {other for other in added if people[other].labels == person.labels}
            if candidates:
                assert len(candidates) >= k
            if place in candidates:
                break
            # Who is released later was not expected here: nobody can rule these candidates out.
            assert not candidates or not any(place in later for later in releases)


@given(drawn=batches.filter(lambda drawn: len(drawn) == 2), share=st.sampled_from([0, 0.1, 0.3, 0.6, 1]))
def test_the_limit_counts_all_rows(drawn: list[list[Person]], share: float) -> None:
    people = [row._replace(batch=batch) for batch, rows in enumerate(drawn) for row in rows]
    sizes = Counter(row.labels for row in people if row.batch == 0)
    published = {place for place, p in enumerate(people) if p.batch == 0 and sizes[p.labels] >= 2}
    found = planned(people, published, 1, spec_of([shoal.KAnonymity(2)], share))
    out = len(people) - len(published) - int(found.added.sum())
    assert found.feasible == (bool(found.added.any()) and out <= share * len(people) + 1e-6)


def test_values_that_failed_once_stay_out() -> None:
    spec = spec_of([shoal.KAnonymity(2), shoal.LDiversity("disease", 2)])
    old = [Person(0, "20", "F", "a")] * 3 + [Person(0, "30", "F", "a")]
    new = [Person(1, "20", "F", "b")] * 2 + [Person(1, "20", "F", "a"), Person(1, "30", "F", "b")]
    found = planned([*old, *new], set(), 1, spec)
    # Three of the first class all had the same value: whoever knows that they were suppressed knows it.
    assert found.added.tolist() == [False, False, False, True, True, True, True, True]
    # By size alone nobody tells anything.
    assert planned([*old, *new], set(), 1, spec_of([shoal.KAnonymity(2)])).added.all()


def test_average_risk_of_what_is_added() -> None:
    spec = spec_of([shoal.Risk(average=0.3)])
    new = [Person(1, "20", "F", "a")] * 4 + [Person(1, "30", "F", "a")] * 2
    found = planned(new, set(), 1, spec)
    assert found.added.tolist() == [True] * 4 + [False] * 2


def test_people_of_the_earlier_release_have_no_new_rows() -> None:
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"}, insensitive=["who"], unit="who", privacy=[shoal.KAnonymity(2)]
    )
    table = pa.table({"age": ["20"] * 5, "who": list("ABCDA")})
    released = np.array([True, True, False, False, False])
    with pytest.raises(InputError, match="have new rows, 1 of 3") as caught:
        plan(ExtendedRows(table, released, ~released, 0, None), spec)
    assert "'who'" in str(caught.value)
    found = plan(ExtendedRows(table, released, np.array([False, False, True, True, False]), 0, None), spec)
    assert found.added.tolist() == [False, False, True, True, False]
    # Two rows of one person are no crowd.
    table = pa.table({"age": ["20"] * 4, "who": list("ABCC")})
    released = np.array([True, True, False, False])
    assert not plan(ExtendedRows(table, released, ~released, 0, None), spec).added.any()
