"""Which people labels cover: every person tried with every class."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.covered_people import covered_people
from shoal.describe.label_cover import Cover


@given(st.integers(0, 1 << 30), st.integers(1, 3), st.sampled_from([0.1, 0.5, 0.9]))
def test_pairs_are_those_of_brute_force(seed: int, columns: int, share: float) -> None:
    draw = np.random.default_rng(seed)
    tables = [draw.random((draw.integers(1, 8), draw.integers(1, 9))) < share for _ in range(columns)]
    covers = [Cover.of(*map(np.array, np.nonzero(table)), labels=len(table)) for table in tables]
    people = [draw.integers(table.shape[1], size=20) for table in tables]
    every = [draw.integers(len(table), size=draw.integers(1, 30)) for table in tables[:1]]
    every += [draw.integers(len(table), size=len(every[0])) for table in tables[1:]]
    classes = list(np.unique(np.stack(every), axis=1))
    found = [
        pair
        for who, of in covered_people(people, covers, classes)
        for pair in zip(who.tolist(), of.tolist(), strict=True)
    ]
    assert sorted(found) == [
        (person, of)
        for person in range(20)
        for of in range(len(classes[0]))
        if all(
            table[labels[of], values[person]]
            for table, labels, values in zip(tables, classes, people, strict=True)
        )
    ]
