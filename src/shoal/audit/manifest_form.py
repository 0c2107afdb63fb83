"""The form of a manifest, apart from what reads it, since only that needs pydantic."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_Count = Annotated[int, Field(ge=0, lt=1 << 63)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _File(_Form):
    name: str
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class _Tool(_Form):
    version: str


class _Claim(_Form):
    claim: str
    holds: bool
    measured: str
    sql: str = ""
    checkable: bool = True
    figure: Any = None


class _Rows(_Form):
    before: _Count = Field(alias="in")
    suppressed: _Count
    out: _Count


class _Dialect(_Form):
    delimiter: str = Field(min_length=1, max_length=1)
    quote: str = Field(min_length=1, max_length=1)


class Manifest(_Form):
    """What an audit looks at in a manifest; it may hold more."""

    format: Literal["shoal-manifest/1"]
    tool: _Tool
    file: _File
    claims: list[_Claim]
    rows: _Rows
    classes: _Count
    class_sizes: dict[str, _Count]
    levels: dict[str, _Count]
    suppressed: Literal["remove", "star"]
    null: dict[str, str]
    spec: dict[str, Any]
    dialect: _Dialect | None = None
