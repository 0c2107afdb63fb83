"""The form of a manifest, apart from what reads it, since only that needs pydantic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from shoal.errors import InputError
from shoal.read.source import DELIMITERS

_Count = Annotated[int, Field(ge=0, lt=1 << 63)]


class _ManifestPart(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    def unknown_keys(self) -> Iterator[tuple[str, bool]]:
        """Yield the keys that are not known here, and whether some programs take one for a key that is."""
        fields = type(self).model_fields
        known = {(field.alias or name).casefold() for name, field in fields.items()}
        for key in self.model_extra or {}:
            yield key, key.casefold() in known
        for name, field in fields.items():
            value, where = getattr(self, name), field.alias or name
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, _ManifestPart):
                    yield from ((f"{where}.{key}", alike) for key, alike in part.unknown_keys())


class _ListedFile(_ManifestPart):
    name: str
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class _Table(_ManifestPart):
    name: str


class _Tool(_ManifestPart):
    name: str
    version: str


class SaidClaim(_ManifestPart):
    """What a manifest says of one claim."""

    claim: str
    holds: bool
    measured: str
    sql: str = ""
    checkable: bool = True
    figure: Any = None


class _Rows(_ManifestPart):
    before: _Count = Field(alias="in")
    suppressed: _Count
    out: _Count


class _Dialect(_ManifestPart):
    """How a CSV file is written: as all programs read it, or classes in it would be those of one reader."""

    delimiter: str = Field(pattern=f"^[{DELIMITERS}]$")
    quote: Literal['"']


class _Linkable(_ManifestPart):
    columns: dict[str, _Count]
    together: _Count
    with_quasi_identifiers: _Count | None = None


class SaidLinked(_ManifestPart):
    """What a manifest says of one pseudonym."""

    k: _Count
    people: _Count
    few: _Count


class _Extends(_ManifestPart):
    file: _ListedFile
    claims: list[SaidClaim]
    people: Any = None


FULL_DOMAIN = "full-domain"


class SaidRecoding(_ManifestPart):
    """What a manifest says of how values became labels; kinds that are not known here may hold more."""

    kind: str = Field(pattern="^[a-z][a-z0-9-]{0,63}$")
    levels: dict[str, _Count] | None = None

    def unknown_keys(self) -> Iterator[tuple[str, bool]]:
        known = self.kind == FULL_DOMAIN
        yield from ((key, alike) for key, alike in super().unknown_keys() if known or alike)

    @model_validator(mode="before")
    @classmethod
    def _as_known(cls, fields: Any) -> Any:
        if not isinstance(fields, dict):
            return fields
        if fields.get("kind") == FULL_DOMAIN:
            return {**fields, "levels": "missing" if fields.get("levels") is None else fields["levels"]}
        # What another kind means by levels is not known.
        return {key: value for key, value in fields.items() if key != "levels"}


class Manifest(_ManifestPart):
    """What an audit looks at in a manifest. It may hold more, which the audit reports.

    Format 1 was for one kind of recoding, and has its levels at the top.
    """

    format: Literal["shoal-manifest/1", "shoal-manifest/2"]
    tool: _Tool
    one_file: _ListedFile | None = Field(default=None, alias="file")
    folder: str | None = None
    files: list[_ListedFile] | None = None
    table: _Table | None = None
    claims: list[SaidClaim]
    rows: _Rows
    classes: _Count
    class_sizes: dict[str, _Count]
    recoding: SaidRecoding
    suppressed: Literal["remove", "star"]
    null: dict[str, str]
    spec: dict[str, Any]
    versions: dict[str, str] = {}
    shuffled: bool | None = None
    dialect: _Dialect | None = None
    extends: _Extends | None = None
    linkable: _Linkable | None = None
    linked: dict[str, SaidLinked] = {}

    @model_validator(mode="before")
    @classmethod
    def _as_format_2(cls, fields: Any) -> Any:
        if isinstance(fields, dict) and fields.get("format") == "shoal-manifest/1":
            levels = fields.get("levels")
            rest = {key: value for key, value in fields.items() if key != "levels"}
            return {**rest, "recoding": {"kind": FULL_DOMAIN, "levels": levels}}
        return fields

    @model_validator(mode="before")
    @classmethod
    def _file_by_default(cls, fields: Any) -> Any:
        # Most are of a file: without anything of that kind, that is what is missing.
        if isinstance(fields, dict) and not fields.keys() & {"file", "folder", "files", "table"}:
            return {**fields, "file": ""}
        return fields

    @model_validator(mode="after")
    def _one_output(self) -> Self:
        in_folder = self.folder is not None and self.files is not None
        if [self.one_file is not None, in_folder, self.table is not None].count(True) != 1:
            raise ValueError("a release is a file, a folder of files or a table")
        return self

    @property
    def name(self) -> str:
        """What the release is called: the name of its file, folder or table."""
        if self.one_file is not None:
            return self.one_file.name
        return self.folder or (self.table.name if self.table is not None else "")

    @property
    def levels(self) -> dict[str, int] | None:
        """The level of each quasi-identifier; None where the recoding has none, or is not known here."""
        return self.recoding.levels

    @property
    def file(self) -> _ListedFile:
        """The file that the release is.

        Raises
        ------
        InputError
            It is another thing.
        """
        if self.one_file is None:
            what = "a table" if self.folder is None else "a folder of files"
            raise InputError(
                f"The release {self.name!r} is {what}.\nThis can be done with one that is a file.\n"
                "Write it to a file first."
            )
        return self.one_file
