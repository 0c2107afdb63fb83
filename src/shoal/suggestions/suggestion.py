"""A proposal for a table, column by column, and the spec that follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shoal.describe.roles import Role, how_people_count
from shoal.errors import InputError, Problem, nearest
from shoal.read.source import InputFormat
from shoal.spec.given_roles import GivenRole, given_roles, role_of
from shoal.suggestions.words import listed

if TYPE_CHECKING:
    from shoal.events import Listener
    from shoal.spec.spec import Spec
    from shoal.suggestions.null_like import NullLike
    from shoal.suggestions.profile import ColumnProfile
    from shoal.suggestions.roles import Proposal
    from shoal.suggestions.separation import Separation

SUPPRESSION = 0.02
_REVEALING = (
    Role.IDENTIFIER,
    Role.DROP,
    Role.PSEUDONYM,
    Role.QUASI_IDENTIFIER,
    Role.SENSITIVE,
    Role.INSENSITIVE,
)
"""The roles, by how much of a column a release reveals, and how freely."""


@dataclass(frozen=True, slots=True)
class ColumnSuggestion:
    """The proposal for one column.

    Attributes
    ----------
    profile
        Its content in figures.
    role, reason
        The proposed role, and why.
    sure
        Whether name or values settled the role. Otherwise somebody who knows the table should check it.
    hierarchy
        Of a quasi-identifier: the value of `hierarchy:` in a spec.
    missing_values
        `own` where the hierarchy does not cover some values, such as `?` among numbers.
    min_level
        The lowest level that is proposed: 1 for numbers of unknown meaning, which may be those of people.
    remark
        A note on the hierarchy.
    separation
        The set of columns with which it separates rows best.
    overruled
        The proposal, if a person chose a role that reveals more of the column.
    """

    profile: ColumnProfile
    role: Role
    reason: str
    sure: bool = True
    hierarchy: object = None
    missing_values: str | None = None
    min_level: int = 0
    remark: str = ""
    separation: Separation | None = None
    overruled: Proposal | None = None

    @property
    def name(self) -> str:
        return self.profile.name

    @property
    def proposal(self) -> Proposal:
        """The proposed role."""
        from shoal.suggestions.names import concepts_of
        from shoal.suggestions.roles import Proposal

        about = next((concept for concept in concepts_of(self.name) if concept.role is self.role), None)
        return Proposal(self.role, self.reason, self.sure, about)

    @property
    def type(self) -> object:
        """The value of `type:` in a spec, for released numbers with a decimal comma."""
        return None if self.role in (Role.IDENTIFIER, Role.DROP) else self.profile.type

    def to_mapping(self) -> dict[str, Any]:
        """Return the proposal as JSON-ready data."""
        return {
            **self.profile.to_mapping(),
            "role": self.role.value,
            "hierarchy": self.hierarchy,
            "min_level": self.min_level,
            "type": self.type,
            "reason": self.reason,
            "sure": self.sure,
            "overruled": None if self.overruled is None else self.overruled.role.value,
            "separation": None if self.separation is None else self.separation.to_mapping(),
        }


@dataclass(frozen=True)
class Suggestion:
    """The proposal for a table. It holds counts and shares, and no value that few people have.

    Attributes
    ----------
    table
        The file's name, or the kind of frame.
    rows
        Number of rows of the table.
    sampled_rows
        Number of rows in the sample, if not all rows were read.
    columns
        In the order of the table.
    separations
        The sets of one, two and three quasi-identifiers that separate rows best.
    k
        For k-anonymity.
    suppression
        Share of the rows that may be suppressed.
    unit
        The column that identifies the person, where a person has several rows.
    undecided
        The columns that may identify the person, where only somebody who knows the table can say which.
        The spec does not run until `with_unit` says it.
    why_undecided
        What shows that a person may have several rows.
    input
        The format of the CSV file, as far as the caller gave it.
    null_like
        Texts that often mean NULL, such as `?`, and their columns.
    null_values
        The full `null-values` list for the file, if these texts do mean NULL.
    confirmed
        Whether a person decided on every column. Otherwise the spec is marked as proposed.
    """

    table: str
    rows: int
    sampled_rows: int | None
    columns: tuple[ColumnSuggestion, ...]
    separations: tuple[Separation, ...]
    k: int
    suppression: float = SUPPRESSION
    unit: str | None = None
    undecided: tuple[str, ...] = ()
    why_undecided: str = ""
    input: InputFormat = InputFormat()  # noqa: RUF009 (frozen)
    null_like: tuple[NullLike, ...] = ()
    null_values: tuple[str, ...] = ()
    confirmed: bool = False

    def __getitem__(self, name: str) -> ColumnSuggestion:
        for column in self.columns:
            if column.name == name:
                return column
        known = [column.name for column in self.columns]
        raise InputError(
            f"Column {name!r} is not in the table.\nColumns: {', '.join(known)}.{nearest(name, known)}"
        )

    def in_role(self, role: Role) -> tuple[ColumnSuggestion, ...]:
        """Return the columns with a role."""
        return tuple(column for column in self.columns if column.role is role)

    @property
    def people(self) -> str:
        """How people are counted, in words."""
        if self.undecided:
            return f"not decided: {self.question}"
        if self.unit is None:
            return how_people_count(None)
        profile = self[self.unit].profile
        rows = "1 row" if profile.nulls == 1 else f"{profile.nulls:,} rows"
        missing = f"; it is NULL in {rows}: fill it in, or remove these rows" if profile.nulls else ""
        few = (
            f"; these are only {profile.distinct:,}, so no release can have k = {self.k:,}"
            if profile.distinct < self.k
            else ""
        )
        return f"{how_people_count(self.unit)}{few}{missing}"

    @property
    def question(self) -> str:
        """What only a person can answer: who a row is about. Empty if the table shows it."""
        if not self.undecided:
            return ""
        return (
            f"who is a row about? {self.why_undecided[:1].upper()}{self.why_undecided[1:]}: "
            f"{listed(self.undecided)}"
        )

    @property
    def unsure(self) -> tuple[str, ...]:
        """The columns whose role neither name nor values settle."""
        return tuple(column.name for column in self.columns if not column.sure)

    @cached_property
    def spec(self) -> Spec:
        """The proposed spec.

        Raises
        ------
        InputError
            The table has no quasi-identifier, so there is nothing to anonymize; or nobody has decided who a
            row is about.
        """
        from shoal.spec.spec import Spec
        from shoal.suggestions.draft import mapping

        if not self.in_role(Role.QUASI_IDENTIFIER):
            raise InputError(
                f"No column of {self.table!r} is a quasi-identifier, so there is nothing to generalize.\n"
                f"Found: {', '.join(_counted(self))}.\n"
                "If others may know one of the columns, give it that role with shoal init --interactive."
            )
        return Spec.from_mapping(mapping(self))

    def with_column(
        self, name: str, *, role: Role | str | None = None, hierarchy: object = None
    ) -> Suggestion:
        """Return the suggestion with the role or hierarchy that a person chose for a column.

        Examples
        --------
        >>> import pyarrow as pa
        >>> people = suggest(pa.table({"age": list(range(20, 60)), "points": list(range(10)) * 4}))
        >>> people["points"].role.value, people["points"].sure
        ('quasi-identifier', False)
        >>> people = people.with_column("points", role="sensitive")
        >>> people["points"].role.value, people["points"].sure, list(people.spec.sensitive)
        ('sensitive', True, ['points'])
        """
        column = self[name]
        chosen = column.role if role is None else role_of(role)
        if chosen is Role.DROP and name == self.unit:
            chosen = Role.IDENTIFIER  # people are counted by it, and it is not released either
        written = None
        if chosen is Role.QUASI_IDENTIFIER:
            written = hierarchy or column.hierarchy or _proposed_hierarchy(column.profile)
        as_proposed = chosen is column.role and written == column.hierarchy
        before = column.overruled or column.proposal
        decided = replace(
            column,
            role=chosen,
            reason=column.reason if chosen is column.role else "decided by hand",
            sure=True,
            hierarchy=written,
            remark=column.remark if written == column.hierarchy else "",
            min_level=column.min_level if as_proposed else 0,
            missing_values="own" if written is not None and column.profile.fits < 1 else None,
            overruled=before if reveals(chosen) > reveals(before.role) else None,
        )
        columns = tuple(decided if each is column else each for each in self.columns)
        known = {each.name for each in columns if each.role is Role.QUASI_IDENTIFIER}
        separations = tuple(one for one in self.separations if known.issuperset(one.columns))
        changed = replace(self, columns=columns, separations=separations)
        if written is not None:
            _ = changed.with_unit(None).spec  # refuses an invalid hierarchy at once
        return changed

    def with_roles(self, roles: Mapping[Role | str, str | Sequence[str]]) -> Suggestion:
        """Return the suggestion with the roles that a person chose for several columns.

        Parameters
        ----------
        roles
            For each role, texts that name columns: `age`, `age,zip`, `diag_*`; quasi-identifiers also with a
            hierarchy, `age=intervals:5,10`.

        Raises
        ------
        InputError
            With every text that names no column, every column that is given two roles, and every hierarchy
            that is wrong.

        Examples
        --------
        >>> import pyarrow as pa
        >>> people = suggest(pa.table({"age": list(range(20, 60)), "v1": [1, 2] * 20, "v2": [3, 4] * 20}))
        >>> people = people.with_roles({"sensitive": "v*", "quasi-identifier": "age=intervals:10"})
        >>> [column.role.value for column in people.columns], people["age"].hierarchy
        (['quasi-identifier', 'sensitive', 'sensitive'], {'intervals': [10]})
        """
        return self.with_given(given_roles(roles, [column.name for column in self.columns]))

    def with_given(self, roles: Mapping[str, GivenRole]) -> Suggestion:
        """Return the suggestion with the role that a person gave to each of these columns."""
        from shoal.spec.spec import hierarchy_from_text

        problems: list[Problem] = []
        changed = self
        for name, given in roles.items():
            try:
                written = None if given.hierarchy is None else hierarchy_from_text(given.hierarchy).to_spec()
                changed = changed.with_column(name, role=given.role, hierarchy=written)
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)
        return changed

    def with_unit(self, column: str | None) -> Suggestion:
        """Return the suggestion with the column that identifies the person; None if each row is a person.

        Examples
        --------
        >>> import pyarrow as pa
        >>> rows = range(240)
        >>> found = suggest(pa.table({"who": [n % 48 for n in rows], "where": [n // 5 % 16 for n in rows]}))
        >>> found.undecided, found.with_unit("who").spec.unit, found.with_unit(None).spec.unit
        (('who', 'where'), 'who', None)
        """
        from shoal.suggestions.unit import given_unit

        decided = replace(self, unit=column, undecided=(), why_undecided="")
        if column is None:
            return decided
        one = given_unit({column: self[column].proposal}, column).proposals[column]
        return decided if one.role is self[column].role else decided.with_column(column, role=one.role)

    def _repr_html_(self) -> str:
        from shoal.notebook import suggestion_html

        return suggestion_html(self)

    def to_yaml(self) -> str:
        """Return the spec as a YAML file with comments."""
        from shoal.suggestions.draft import text

        return text(self)

    def to_mapping(self) -> dict[str, Any]:
        """Return the suggestion as JSON-ready data."""
        return {
            "table": self.table,
            "rows": self.rows,
            "sampled_rows": self.sampled_rows,
            "columns": [column.to_mapping() for column in self.columns],
            "separations": [one.to_mapping() for one in self.separations],
            "null_like": [one.to_mapping() for one in self.null_like],
            "null_values": list(self.null_values),
            "unit": self.unit,
            "undecided": list(self.undecided),
            "question": self.question,
            "k": self.k,
            "suppression": self.suppression,
        }


def reveals(role: Role) -> int:
    """Return how much of a column a release reveals in a role, as a rank."""
    return max(1, _REVEALING.index(role))  # neither an identifier nor what is dropped is released


def _proposed_hierarchy(column: ColumnProfile) -> object:
    from shoal.suggestions.hierarchies import propose_hierarchy
    from shoal.suggestions.names import concepts_of

    return propose_hierarchy(column, next(iter(concepts_of(column.name)), None)).written


def _counted(suggestion: Suggestion) -> Iterator[str]:
    for role in Role:
        if count := len(suggestion.in_role(role)):
            yield f"{count:,} {role.value} column{'s' * (count > 1)}"


def suggest(
    data: object,
    *,
    k: int | None = None,
    unit: str | None = None,
    input: InputFormat = InputFormat(),  # noqa: B008 (frozen)
    listener: Listener | None = None,
) -> Suggestion:
    """Propose a role for each column of a table, with reasons, and a spec to start from.

    Parameters
    ----------
    data
        The path of a file, or a data frame: whatever `anonymize` accepts.
    k
        For k-anonymity. Default: 5, or 2 for a table of fewer than 50 rows.
    unit
        The column that identifies the person, or `none` if each row is another person. By default the table
        shows it, or the suggestion has a `question`.
    input
        Format of a CSV file (detected by default).
    listener
        Receives an event for each step.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": list(range(20, 60)), "sex": ["F", "M"] * 20, "income": [1, 2, 3, 4] * 10})
    >>> suggestion = suggest(people)
    >>> [column.role.value for column in suggestion.columns]
    ['quasi-identifier', 'quasi-identifier', 'sensitive']
    >>> suggestion["age"].reason, suggestion["age"].hierarchy
    ('age: others may know it (HIPAA C)', {'intervals': [5, 10, 20]})
    >>> import shoal
    >>> shoal.anonymize(people, suggestion.spec).levels["sex"]
    0
    """
    from shoal.suggestions.propose import propose

    return propose(data, k, unit, input, listener)
