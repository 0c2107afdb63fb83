"""The table as the specs need it: read and coded once for all that describe its columns alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shoal.describe.hierarchy import FromData
from shoal.encode.table import CodedTable
from shoal.errors import InputError, Problem
from shoal.events import Listener
from shoal.prepare.columns import settle_columns
from shoal.prepare.read_rows import open_populations
from shoal.read.source import open_source
from shoal.search.problem import SearchProblem
from shoal.session import Session
from shoal.spec.spec import Spec
from shoal.tradeoff.candidates import Candidate, prefixed


def settled(
    data: object, candidates: Sequence[Candidate], problems: list[Problem], *, keep_undeclared: bool
) -> list[Candidate]:
    """Return the candidates with a role for every released column; what is wrong goes into `problems`."""
    specs = {candidate.spec_name: candidate.spec for candidate in candidates}
    insensitive: dict[str, tuple[str, ...]] = {}
    for name, spec in specs.items():
        try:
            source = open_source(data, spec.input)
        except InputError as error:
            # It is the same for all specs.
            problems += [problem for problem in error.problems if problem not in problems]
            continue
        _, others = open_populations(spec)
        try:
            roles, _ = settle_columns(spec, source, keep_undeclared, not keep_undeclared, others=others)
            insensitive[name] = roles.insensitive
        except InputError as error:
            problems += prefixed(name, error)
    return [
        replace(one, spec=replace(one.spec, insensitive=insensitive.get(one.spec_name, one.spec.insensitive)))
        for one in candidates
    ]


@dataclass(frozen=True)
class Group:
    """Candidates whose quasi-identifiers, types, units and populations are the same.

    `positions` are their positions among all that are compared.
    """

    candidates: tuple[Candidate, ...]
    positions: tuple[int, ...]

    def open(self, data: object, listener: Listener | None) -> Session:
        """Open the table for all of them."""
        together = self._together()
        return Session(
            data,
            together,
            also=[self._own(candidate, together) for candidate in self.candidates],
            engine="memory",
            drop_undeclared=True,
            listener=listener,
        )

    def problems(self, session: Session) -> list[tuple[SearchProblem, CodedTable]]:
        """Read and code the table, and return what a search is to be asked for each, sharing F0.

        With each comes the table by which its release is judged: of a choice by the quasi-identifiers alone,
        the search does not see all columns of that.

        Raises
        ------
        InputError
            With everything that is wrong about the table.
        """
        together = self._together()
        specs = [self._own(candidate, together) for candidate in self.candidates]
        return [(session.problem(spec), session.table(spec)) for spec in specs]

    def _own(self, candidate: Candidate, together: Spec) -> Spec:
        """Return the spec of a candidate, with the columns that all of them look at."""
        return replace(
            candidate.spec,
            identifiers=(),
            drop=(),
            pseudonyms=(),
            insensitive=together.insensitive,
            types=together.types,
            accept=together.accept,
        )

    def _together(self) -> Spec:
        """Return a spec that has all columns which any of them looks at, and no others."""
        first = self.candidates[0].spec
        targets = [
            column.hierarchy.target
            for column in first.quasi_identifiers.values()
            if isinstance(column.hierarchy, FromData) and column.hierarchy.target is not None
        ]
        own = {*first.quasi_identifiers, *first.sensitive}
        others = [name for name in dict.fromkeys((*self._attributes(), *targets)) if name not in own]
        read = {*own, *others}
        return replace(
            first,
            identifiers=(),
            drop=(),
            pseudonyms=(),
            insensitive=tuple(others),
            types={name: kind for name, kind in first.types.items() if name in read},
            accept={name: what for name, what in first.accept.items() if name in read},
        )

    def _attributes(self) -> list[str]:
        return list(dict.fromkeys(name for one in self.candidates for name in one.spec.attributes))


def grouped(candidates: Sequence[Candidate]) -> list[Group]:
    """Put those together that can share the coded table and F0."""
    keys: list[object] = []
    members: list[list[int]] = []
    for position, candidate in enumerate(candidates):
        key = _key(candidate.spec)
        # Not every hierarchy can be hashed.
        if key not in keys:
            keys.append(key)
            members.append([])
        members[keys.index(key)].append(position)
    return [
        Group(tuple(candidates[position] for position in positions), tuple(positions))
        for positions in members
    ]


def _key(spec: Spec) -> object:
    """Return what must be the same; weights, models, limits and measures need not be."""
    columns = [(name, replace(qi, weight=1.0)) for name, qi in spec.quasi_identifiers.items()]
    return (
        columns,
        dict(spec.sensitive),
        dict(spec.types),
        spec.unit,
        sorted(spec.populations),
        spec.input,
    )
