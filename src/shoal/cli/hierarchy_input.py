"""What the commands of `shoal hierarchy` are told: a file or a hierarchy, and the column of a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import InputError, OutputError
from shoal.read.source import InputFormat

if TYPE_CHECKING:
    from shoal.describe.formats import Read
    from shoal.describe.hierarchy import Hierarchy, Levels
    from shoal.prepare.hierarchy_check import HierarchyCheck

_NESTED = (".yaml", ".yml", ".json")
_FILES = (".csv", ".tsv", ".txt", ".grc", ".cdl", ".ahs", ".deid", *_NESTED)


@dataclass(frozen=True, slots=True)
class HierarchyInput:
    """A file or a hierarchy, and perhaps the column that it is for.

    Attributes
    ----------
    text
        The path of a file, or a hierarchy as on the command line or in a spec.
    format
        Of the file, if it should not be found out.
    target
        The column at which to look, for hierarchies that do.
    data, column
        The table and its column, both or neither.
    written
        How the table is written.
    missing_values
        What becomes of values that the hierarchy has no place for.
    """

    text: str
    format: str | None = None
    target: str | None = None
    data: Path | None = None
    column: str | None = None
    written: InputFormat = InputFormat()  # noqa: RUF009 (frozen)
    missing_values: Any = "error"

    @property
    def is_file(self) -> bool:
        try:
            return Path(self.text).suffix.lower() in _FILES or Path(self.text).is_file()
        except OSError:  # too long for a name
            return False

    def read(self) -> Read:
        """Return what the file holds."""
        from shoal.describe import formats

        return formats.read_file(Path(self.text), self.format, None, self.column)

    def hierarchy(self) -> Hierarchy:
        """Return the hierarchy, of the file or as the text says."""
        if self.is_file:
            from shoal.describe import formats
            from shoal.describe.hierarchies.file import HierarchyFile

            found = self.format or formats.format_of(Path(self.text))
            return HierarchyFile(self.text, format=found, column=self.column if found == "anjana" else None)
        from shoal import registry
        from shoal.spec.spec import hierarchy_from_text

        hierarchy: Any
        if self.target is not None and self.text in registry.names("hierarchies"):
            hierarchy = registry.resolve("hierarchies", self.text).from_spec({"target": self.target}, Path())
        else:
            hierarchy = hierarchy_from_text(self.text)
        if self.target is not None:
            if getattr(hierarchy, "target", None) is None:
                raise InputError(f"The hierarchy {self.text!r} does not use a target.\nLeave --target out.")
            hierarchy = replace(hierarchy, target=self.target)
        built: Hierarchy = hierarchy
        return built

    def finding(self) -> HierarchyCheck:
        """Return what the hierarchy makes of the column."""
        from shoal.prepare.hierarchy_check import check_column

        if self.data is None or self.column is None:
            raise InputError("--data DATA and --column NAME go together.\nGive both, or neither.")
        return check_column(
            self.hierarchy(),
            self.data,
            self.column,
            input_format=self.written,
            missing_values=self.missing_values,
        )

    def sample(self) -> Levels:
        """Return the labels of the made-up values that a hierarchy has for examples."""
        import pyarrow as pa

        from shoal.describe.hierarchy import FromData

        hierarchy = self.hierarchy()
        values = getattr(hierarchy, "sample", ())
        if isinstance(hierarchy, FromData) or not values:
            raise InputError(
                f"Showing the hierarchy {self.text!r} needs a column.\nUse --data DATA --column NAME."
            )
        return hierarchy.levels(pa.array(list(dict.fromkeys(map(str, values)))))


def check_output(output: Path, *inputs: Path | None, force: bool) -> None:
    """Refuse an output that is no hierarchy by its name, or one of the inputs, or there already."""
    if output.suffix.lower() not in (".csv", *_NESTED):
        raise InputError(
            "The name of a hierarchy file must end in .csv, .yaml or .json.\n"
            f"Found: {output.name!r}.\nChoose another name."
        )
    for other in filter(None, inputs):
        if output.exists() and other.exists() and output.samefile(other):
            raise OutputError(f"The output '{output}' is the same file as the input.\nChoose another name.")
    if output.exists() and not force:
        raise OutputError(
            f"The hierarchy '{output}' already exists.\nSomebody may have edited it.\n"
            "Use --force to replace it, or choose another name."
        )
