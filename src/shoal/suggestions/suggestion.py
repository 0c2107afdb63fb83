"""What is proposed for a table, column by column, and the spec that comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shoal.describe.roles import EACH_ROW_A_PERSON, Role
from shoal.errors import InputError, nearest
from shoal.read.source import InputFormat

if TYPE_CHECKING:
    from shoal.events import Listener
    from shoal.spec.spec import Spec
    from shoal.suggestions.null_like import NullLike
    from shoal.suggestions.profile import ColumnProfile
    from shoal.suggestions.separation import Separation

SUPPRESSION = 0.02


@dataclass(frozen=True, slots=True)
class ColumnSuggestion:
    """What is proposed for one column.

    Attributes
    ----------
    profile
        What is in it.
    role, reason
        What it probably is to the people in the table, and why.
    sure
        Whether name or values told the role. Otherwise somebody who knows the table should look.
    hierarchy
        Of a quasi-identifier: what stands after `hierarchy:` in a spec.
    missing_values
        `own` where some values do not fit the hierarchy, such as `?` among numbers.
    remark
        What to know about the hierarchy.
    separation
        The set of columns with which it tells rows apart best.
    """

    profile: ColumnProfile
    role: Role
    reason: str
    sure: bool = True
    hierarchy: object = None
    missing_values: str | None = None
    remark: str = ""
    separation: Separation | None = None

    @property
    def name(self) -> str:
        return self.profile.name

    @property
    def type(self) -> object:
        """What stands after `type:` in a spec: for numbers with a decimal comma that are released."""
        return None if self.role is Role.IDENTIFIER else self.profile.type

    def to_mapping(self) -> dict[str, Any]:
        """Return it for a program."""
        return {
            **self.profile.to_mapping(),
            "role": self.role.value,
            "hierarchy": self.hierarchy,
            "type": self.type,
            "reason": self.reason,
            "sure": self.sure,
            "separation": None if self.separation is None else self.separation.to_mapping(),
        }


@dataclass(frozen=True)
class Suggestion:
    """What is proposed for a table. It holds counts and shares, and no value of few people.

    Attributes
    ----------
    table
        The file's name, or the kind of frame.
    rows
        Of the table.
    sampled_rows
        How many of them were looked at, if not all.
    columns
        In the order of the table.
    separations
        Of one, two and three quasi-identifiers those that tell rows apart best.
    k
        For k-anonymity.
    suppression
        Share of the rows that may be suppressed.
    unit
        The column that says who a row is about, where somebody has several rows.
    input
        How the CSV file is written, as far as it was said.
    null_like
        Texts that often stand for NULL, such as `?`, and where they are.
    null_values
        If they do stand for NULL in a file: all that must be listed as `null-values` then.
    confirmed
        Whether somebody was asked about every column: otherwise the spec says that it is only proposed.
    """

    table: str
    rows: int
    sampled_rows: int | None
    columns: tuple[ColumnSuggestion, ...]
    separations: tuple[Separation, ...]
    k: int
    suppression: float = SUPPRESSION
    unit: str | None = None
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
        if self.unit is None:
            return EACH_ROW_A_PERSON
        nulls = self[self.unit].profile.nulls
        rows = "1 row" if nulls == 1 else f"{nulls:,} rows"
        missing = f"; it is NULL in {rows}: say whom these are about, or remove them" if nulls else ""
        return f"counted by {self.unit!r}: somebody has several rows{missing}"

    @property
    def unsure(self) -> tuple[str, ...]:
        """The columns whose role neither name nor values tell."""
        return tuple(column.name for column in self.columns if not column.sure)

    @cached_property
    def spec(self) -> Spec:
        """The spec that is proposed.

        Raises
        ------
        InputError
            There is no quasi-identifier, so there is nothing to anonymize.
        """
        from shoal.spec.spec import Spec
        from shoal.suggestions.draft import mapping

        if not self.in_role(Role.QUASI_IDENTIFIER):
            raise InputError(
                f"No column of {self.table!r} is a quasi-identifier: there is nothing to generalize.\n"
                f"Found: {', '.join(_counted(self))}.\n"
                "If others may know one of the columns, give it that role: shoal init --interactive asks."
            )
        return Spec.from_mapping(mapping(self))

    def with_column(
        self, name: str, *, role: Role | str | None = None, hierarchy: object = None
    ) -> Suggestion:
        """Return the suggestion with another role or hierarchy of a column, as somebody decided.

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
        try:
            chosen = column.role if role is None else Role(role)
        except ValueError:
            known = [each.value for each in Role]
            raise InputError(
                f"{role!r} is not a role.\nRoles: {', '.join(known)}.{nearest(str(role), known)}"
            ) from None
        written = None
        if chosen is Role.QUASI_IDENTIFIER:
            written = hierarchy or column.hierarchy or _proposed_hierarchy(column.profile)
        decided = replace(
            column,
            role=chosen,
            reason=column.reason if chosen is column.role else "decided by hand",
            sure=True,
            hierarchy=written,
            remark=column.remark if written == column.hierarchy else "",
            missing_values="own" if written is not None and column.profile.fits < 1 else None,
        )
        columns = tuple(decided if each is column else each for each in self.columns)
        changed = replace(self, columns=columns)
        if written is not None:
            _ = changed.spec  # a hierarchy that is none is refused here and now
        return changed

    def _repr_html_(self) -> str:
        from shoal.notebook import suggestion_html

        return suggestion_html(self)

    def to_yaml(self) -> str:
        """Return the spec as a YAML file with comments."""
        from shoal.suggestions.draft import text

        return text(self)

    def to_mapping(self) -> dict[str, Any]:
        """Return everything for a program."""
        return {
            "table": self.table,
            "rows": self.rows,
            "sampled_rows": self.sampled_rows,
            "columns": [column.to_mapping() for column in self.columns],
            "separations": [one.to_mapping() for one in self.separations],
            "null_like": [one.to_mapping() for one in self.null_like],
            "null_values": list(self.null_values),
            "unit": self.unit,
            "k": self.k,
            "suppression": self.suppression,
        }


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
    input: InputFormat = InputFormat(),  # noqa: B008 (frozen)
    listener: Listener | None = None,
) -> Suggestion:
    """Propose what the columns of a table are, with reasons, and a spec to begin with.

    Parameters
    ----------
    data
        Whatever `anonymize` takes: the path of a file, or a data frame.
    k
        For k-anonymity; 5 where it is not given, or 2 for a table of fewer than 50 rows; all people, where
        they are fewer.
    input
        How a CSV file is written, where it should not be found out.
    listener
        Is told of each step.

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

    return propose(data, k, input, listener)
