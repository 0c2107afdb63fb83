"""The labels of tuples as a table of the database, for recodings whose labels differ from class to class."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from shoal import _kernel
from shoal.describe.hierarchy import ANYTHING
from shoal.engines.relational.database import Database
from shoal.engines.relational.star_schema import Dimension, Joined, Star, key, packed, sql
from shoal.recode.by_entries import PARTS, at_levels
from shoal.recode.recoding import LooksBeside, TuplesInParts
from shoal.recode.released_classes import Verdict


@dataclass(frozen=True, slots=True)
class TupleLabels:
    """A row for each released tuple of values: its key, and its label in each quasi-identifier.

    Tuples whose rows are removed have no row, so that the database never holds their labels.

    Attributes
    ----------
    table
        Its name in the database: the columns `key`, `q0`, `q1`, ...
    dimensions, levels
        Those of the quasi-identifiers, and of other columns that the recoding looks at; the level at which
        the tuples were counted, by column.
    varied
        The positions of those that the key is made of.
    columns
        How many quasi-identifiers there are.
    parts
        Into how many parts equal rows are dealt out, which are in the key too; 1 where they stay together.
    """

    table: str
    key_type: str
    dimensions: Sequence[Dimension]
    levels: Sequence[int]
    varied: Sequence[int]
    columns: int
    parts: int = 1

    @classmethod
    def put(
        cls,
        database: Database,
        verdict: Verdict,
        dimensions: Sequence[Dimension],
        *,
        star: bool,
        typed: Collection[str],
    ) -> TupleLabels:
        """Put the labels of a recoding into the database.

        Parameters
        ----------
        dimensions
            Those of the quasi-identifiers, and then of the columns that the recoding looks at beside these.
        star
            Whether suppressed rows are released too, with `*` for every label.
        typed
            Columns whose type was found out from their values.
        """
        if isinstance(verdict.recoding, TuplesInParts):
            return cls._put_parts(database, verdict, verdict.recoding, dimensions)
        coded, recoding = verdict.coded, verdict.recoding
        levels = [
            *(coded.bottom or (0,) * len(coded.columns)),
            *(0 for _ in dimensions[len(coded.columns) :]),
        ]
        sizes = [dimension.labels[level] for dimension, level in zip(dimensions, levels, strict=True)]
        numbers = [
            column.maps[level][column.codes] for column, level in zip(coded.columns, levels, strict=False)
        ]
        parts = 1
        if isinstance(recoding, LooksBeside):
            numbers += [coded.attributes[name].codes for name in recoding.columns_beside]
            part = recoding.parts(coded)
            parts = int(part.max(initial=0)) + 1
        varied = [position for position, size in enumerate(sizes) if size > 1]
        if parts > 1:
            numbers, sizes = [*numbers, part], [*sizes, parts]
        grouped = _kernel.index_rows(numbers, sizes)
        first = np.zeros(len(grouped), dtype=np.int64)
        # Entries of one tuple differ in other columns alone, so any of them has its labels.
        first[grouped.tuple_of_row] = np.arange(coded.entries)
        released = verdict.entries_kept[first]
        if not star:
            first, released = first[released], released[released]
        keyed = [*varied, *([len(dimensions)] if parts > 1 else [])]
        keys = packed(
            [numbers[position][first] for position in keyed],
            [sizes[position] for position in keyed],
            len(first),
        )
        columns: dict[str, pa.Array] = {"key": keys}
        for position, (column, cells) in enumerate(zip(coded.columns, verdict.cells, strict=True)):
            if star:
                texts = verdict.label_texts(position, typed=column.name in typed)
                labels = pa.concat_arrays([texts, pa.array([ANYTHING], pa.string())])
                of_tuples = np.where(released, cells.numbers[first].astype(np.int64), len(texts))
                values = labels.take(pa.array(of_tuples))
            else:
                values = cells.labels.take(pa.array(cells.numbers[first]))
            columns[f"q{position}"] = (
                values.dictionary_encode() if pa.types.is_string(values.type) else values
            )
        return cls(
            table=database.put(pa.table(columns), "tuples"),
            key_type="string" if pa.types.is_string(keys.type) else "int64",
            dimensions=dimensions,
            levels=levels,
            varied=varied,
            columns=len(coded.columns),
            parts=parts,
        )

    @classmethod
    def _put_parts(
        cls, database: Database, verdict: Verdict, recoding: TuplesInParts, dimensions: Sequence[Dimension]
    ) -> TupleLabels:
        """Put the tuples of one part after the other, each with its class, and join them with its labels."""
        assert verdict.entries_kept.all(), "it is refused otherwise"
        quasi_identifiers = len(verdict.coded.columns)
        levels = [
            *(column.min_level for column in verdict.coded.columns),
            *(0 for _ in dimensions[quasi_identifiers:]),
        ]
        sizes = [dimension.labels[level] for dimension, level in zip(dimensions, levels, strict=True)]
        varied = [position for position, size in enumerate(sizes) if size > 1]
        dealt_out = PARTS if isinstance(recoding, LooksBeside) else 1
        counts = [*(sizes[position] for position in varied), *([dealt_out] if dealt_out > 1 else [])]
        parts, key_type = [], "int64"
        for table, class_of in recoding.tuples():
            numbers = at_levels(table, levels[:quasi_identifiers])
            keyed = varied
            if isinstance(recoding, LooksBeside):
                numbers += [table.attributes[name].codes for name in recoding.columns_beside]
                numbers.append(recoding.parts(table))
                keyed = [*varied, len(dimensions)]
            keys = packed([numbers[position] for position in keyed], counts, len(class_of))
            key_type = "string" if pa.types.is_string(keys.type) else "int64"
            numbered = {"key": keys, "class": pa.array(class_of.astype(np.int64))}
            parts.append(database.put(pa.table(numbered), "part"))
        of_class = ibis.table(*cls._put_classes(database, verdict, recoding))
        tuples: Any = ibis.union(
            *(ibis.table({"key": key_type, "class": "int64"}, name=name) for name in parts)
        )
        labels = [f"q{position}" for position in range(quasi_identifiers)]
        joined = tuples.inner_join(of_class, "class").select("key", *labels)
        kept = database.keep(sql(database, joined), "tuples")
        return cls(kept, key_type, dimensions, levels, varied, quasi_identifiers, dealt_out)

    @staticmethod
    def _put_classes(
        database: Database, verdict: Verdict, recoding: TuplesInParts
    ) -> tuple[dict[str, str], str]:
        """Put the labels of each class into the database; return the types of the table, and its name."""
        entry = np.zeros(int(recoding.class_of.max()) + 1, dtype=np.int64)
        entry[recoding.class_of] = np.arange(verdict.coded.entries)
        columns: dict[str, pa.Array] = {"class": pa.array(np.arange(len(entry)))}
        for position, cells in enumerate(verdict.cells):
            values = cells.labels.take(pa.array(cells.numbers[entry]))
            text = pa.types.is_string(values.type)
            columns[f"q{position}"] = values.dictionary_encode() if text else values
        types = {name: "int64" if name == "class" else "string" for name in columns}
        return types, database.put(pa.table(columns), "classes")

    @property
    def needed(self) -> list[Dimension]:
        """The dimension tables that the key is made of."""
        return [self.dimensions[position] for position in self.varied]

    def star(self, database: Database) -> Star:
        """Return the input, with the parts that equal rows are dealt out to, where the key has these."""
        star = Star.of(database)
        if self.parts == 1:
            return star
        return star.dealt_out(self.needed, [self.levels[position] for position in self.varied], self.parts)

    def join(self, joined: Joined) -> tuple[Any, list[Any]]:
        """Join the rows of the input with their labels; rows that are removed go.

        Returns
        -------
        tuple
            The joined table, and in it the label of each quasi-identifier.
        """
        # No query looks into a label, so that its type need not be known here.
        labels = {f"q{position}": "string" for position in range(self.columns)}
        side: Any = ibis.table({"key": self.key_type, **labels}, name=self.table)
        numbers = [
            joined.number(self.dimensions[position], self.levels[position]) for position in self.varied
        ]
        counts = [self.dimensions[position].labels[self.levels[position]] for position in self.varied]
        if self.parts > 1:
            numbers, counts = [*numbers, joined.input["part"]], [*counts, self.parts]
        table = joined.table.inner_join(side, key(numbers, counts) == side.key)
        return table, [side[name] for name in labels]
