"""Names of tables: as people write them, and as they stand in SQL."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shoal.errors import InputError

_PART = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')
_LONGEST = 63  # bytes; PostgreSQL cuts the rest off without an error


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a table, and that of its schema where it is said.

    Attributes
    ----------
    exact
        Whether it stood in quotes. Otherwise it is first taken as it is, and then in small letters, as
        PostgreSQL takes it.
    """

    schema: str | None
    table: str
    exact: bool = False

    @classmethod
    def read(cls, text: str) -> Name:
        """Read `visits`, `clinic.visits`, `clinic."Odd.Name"`.

        Examples
        --------
        >>> Name.read('clinic."Odd.Name"')
        Name(schema='clinic', table='Odd.Name', exact=True)
        """
        parts: list[str] = []
        position = 0
        while part := _PART.match(text, position):
            parts.append(part[2] or part[1].replace('""', '"'))
            position = part.end()
            if text[position : position + 1] != "." or position + 1 == len(text):
                break
            position += 1
        if position != len(text) or not 1 <= len(parts) <= 2:
            raise InputError(
                f"{text!r} is not the name of a table.\n"
                'Write visits or schema.visits; a part with a dot in it in double quotes: "odd.name".'
            )
        for part_name in parts:
            if len(part_name.encode()) > _LONGEST:
                raise InputError(
                    f"{part_name!r} is too long for a name.\nPostgreSQL takes {_LONGEST} bytes.\nShorten it."
                )
        return cls(parts[0] if len(parts) == 2 else None, parts[-1], '"' in text)

    @property
    def spellings(self) -> tuple[Name, ...]:
        """What it may stand for, in the order in which it is looked for."""
        if self.exact:
            return (self,)
        folded = Name(None if self.schema is None else self.schema.lower(), self.table.lower(), self.exact)
        return (self,) if folded == self else (self, folded)


def quoted(*names: str) -> str:
    """Return a name as it stands in SQL.

    Examples
    --------
    >>> print(quoted("clinic", 'the "odd" one'))
    "clinic"."the ""odd"" one"
    """
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)
