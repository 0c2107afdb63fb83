"""Released rows in a database, which writes them to their output and audits them itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.audit import Audit
from shoal.audit.audit import audit_relation
from shoal.audit.reference import claims, original_columns
from shoal.audit.remote import database_relation
from shoal.describe.hierarchy import ANYTHING, as_text
from shoal.engines.relational.database import UnpublishedRelation
from shoal.engines.relational.recode import RecodeQueries
from shoal.read import formulas
from shoal.spec.spec import Spec
from shoal.sql.relation import shown_files
from shoal.write.manifest import Releasable
from shoal.write.output import FileOutput, Output
from shoal.write.publish import Stage

_MARKS = {"pyspark": "`"}
"""What stands around names in SQL, where that is not a double quote."""


@dataclass(frozen=True)
class DatabaseRows:
    """Released rows that a database has written.

    Attributes
    ----------
    stored
        Where they are until they are published.
    output
        Where they will go, if that was known when they were written.
    """

    queries: RecodeQueries
    stored: UnpublishedRelation
    output: Output | None
    populations: Mapping[str, pa.Table]

    @property
    def count(self) -> int:
        return self.stored.rows

    def table(self) -> pa.Table:
        self.stored.check()
        return self.queries.database.fetch(f"SELECT * FROM {self.stored.relation}")

    def with_people(self, spec: Spec) -> tuple[pa.Table, pa.ChunkedArray | None]:
        if spec.unit is None or spec.tells_people:
            return self.table(), None
        found = self.queries.database.fetch(self.queries.with_units(spec.unit))
        return found.drop_columns(["unit"]).rename_columns(self.queries.columns), found.column("unit")

    def native(self) -> Any:
        self.stored.check()
        frame = getattr(self.stored, "frame", None)
        return self.table() if frame is None else frame

    def labels(self, column: str) -> pa.Array:
        verdict, spec = self.queries.verdict, self.queries.spec
        position = verdict.coded.names.index(column)
        labels = verdict.released_labels(position, typed=column in spec.types)
        if spec.suppressed == "remove":
            return labels
        texts = as_text(labels)
        return pc.unique(
            pa.concat_arrays([texts, pa.array([ANYTHING] * bool(verdict.suppressed_rows), pa.string())])
        )

    def formula_cells(self) -> dict[str, int]:
        names = self._text_columns()
        if not names:
            return {}
        database = self.queries.database
        counts = [formulas.counting_sql(self._column(name), database.dialect) for name in names]
        (found,) = database.rows(f"SELECT {', '.join(counts)} FROM {self.stored.relation}")
        return {name: int(count) for name, count in zip(names, found, strict=True) if count}

    def audit(self, spec: Spec, levels: Mapping[str, int] | None) -> Audit:
        earlier = self._earlier(spec, levels)
        return self._audit(self.stored, self.output, spec, levels, earlier)

    def write(self, release: Releasable, output: Output, stage: Stage) -> tuple[UnpublishedRelation, Audit]:
        self.stored.check()
        if output == self.output:
            return self.stored, release.audit
        database, columns = self.queries.database, self.queries.columns
        database.check(output)
        with stage("write"):
            cells = self._cells(release.spec, output, formulas.escaping_sql)
            named = ", ".join(f"{cells[name]} AS r{i}" for i, name in enumerate(columns))
            query = f"SELECT {named} FROM {self.stored.relation}"
            stored = database.store(query, columns, output, shuffle=False)
        try:
            with stage("audit"):
                audit = self._audit(stored, output, release.spec, release.recoding.levels, release.audit)
                return stored, audit.require(self.count)
        except BaseException:
            stored.discard()
            raise

    def _earlier(self, spec: Spec, levels: Mapping[str, int] | None) -> Audit | None:
        """Audit the rows with who they are about, where claims count people and the release does not tell."""
        if spec.unit is None or spec.tells_people or not any(claim.reads.unit for claim in claims(spec)):
            return None
        columns = {name: _quoted(f"r{position}") for position, name in enumerate(self.queries.columns)}
        query = f"({self.queries.with_units(spec.unit)}) AS shoal_rows"
        return self._queried(query, columns, None, spec, levels, None, unit="unit")

    def _audit(
        self,
        stored: UnpublishedRelation,
        output: Output | None,
        spec: Spec,
        levels: Mapping[str, int] | None,
        earlier: Audit | None,
    ) -> Audit:
        columns = {name: _quoted(name) for name in self.queries.columns}
        source = stored.relation
        if _escapes(spec, output):
            cells = self._cells(spec, output, formulas.restoring_sql)
            named = ", ".join(f"{cell} AS {self._column(name)}" for name, cell in cells.items())
            source = f"(SELECT {named} FROM {source}) AS shoal_rows"
        return self._queried(source, columns, output, spec, levels, earlier, stored=stored)

    def _column(self, name: str) -> str:
        return _quoted(name, _MARKS.get(self.queries.database.dialect, '"'))

    def _text_columns(self) -> list[str]:
        """Return the columns of the release that are text."""
        empty = self.queries.database.fetch(f"SELECT * FROM {self.stored.relation} LIMIT 0")
        return formulas.text_columns(empty.schema)

    def _cells(self, spec: Spec, output: Output | None, change: Callable[[str, str], str]) -> dict[str, str]:
        """Return the SQL of each column; that of text changed, where formulas are escaped."""
        changed = self._text_columns() if _escapes(spec, output) else ()
        dialect = self.queries.database.dialect
        return {
            name: change(self._column(name), dialect) if name in changed else self._column(name)
            for name in self.queries.columns
        }

    def _queried(
        self,
        source: str,
        columns: Mapping[str, str],
        output: Output | None,
        spec: Spec,
        levels: Mapping[str, int] | None,
        earlier: Audit | None,
        unit: str | None = None,
        stored: UnpublishedRelation | None = None,
    ) -> Audit:
        compared = original_columns(spec, claims(spec))
        original = f"({self.queries.original(compared)}) AS shoal_rows" if compared else None
        shown, shown_dialect = _shown(output, stored, list(columns))
        with database_relation(
            self.queries.database,
            source,
            columns,
            name=self.queries.database.title,
            shown=shown or source,
            shown_columns={name: _quoted(name) for name in columns},
            shown_dialect=shown_dialect,
            original=original,
            original_columns={name: f"o{position}" for position, name in enumerate(compared)},
            hidden=() if unit is None else (unit,),
            shown_text=list(columns) if stored is not None and _all_text(output) else None,
        ) as (relation, own):
            return audit_relation(
                relation,
                spec,
                original=own,
                populations=self.populations,
                levels=levels,
                unit=unit,
                earlier=earlier,
            )


def _escapes(spec: Spec, output: Output | None) -> bool:
    """Return whether cells like formulas are escaped there."""
    return (
        spec.escape_formulas
        and isinstance(output, FileOutput)
        and formulas.opens_in_spreadsheets(output.path)
    )


def _all_text(output: Output | None) -> bool:
    """Return whether a release goes to a file in which all is text, whatever types the database has."""
    return isinstance(output, FileOutput) and output.is_csv


def _shown(
    output: Output | None, stored: UnpublishedRelation | None, columns: Sequence[str]
) -> tuple[str, str | None]:
    """Return what stands after FROM for somebody who has the release, and in which dialect."""
    if stored is None:
        # These rows tell who they are about, and their query which labels suppressed rows had.
        return "release", None
    if not isinstance(output, FileOutput):
        return ("" if output is None else output.title, None)
    folder = [file.name for file in stored.files] != [output.path.name]
    shown, _ = shown_files(
        output.title, columns, folder=folder, delimiter=output.delimiter, quote=output.quote
    )
    return shown, "duckdb"


def _quoted(name: str, mark: str = '"') -> str:
    return mark + name.replace(mark, mark * 2) + mark
