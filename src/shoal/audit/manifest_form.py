"""The form of a manifest, apart from what reads it, since only that needs pydantic."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _File(_Form):
    name: str
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class _Claim(_Form):
    claim: str
    holds: bool
    measured: str
    checkable: bool = True
    figure: Any = None


class _Rows(_Form):
    before: int = Field(alias="in", ge=0)
    suppressed: int = Field(ge=0)
    out: int = Field(ge=0)


class _Dialect(_Form):
    delimiter: str = Field(min_length=1, max_length=1)
    quote: str = Field(min_length=1, max_length=1)


class Manifest(_Form):
    """What an audit looks at in a manifest; it may hold more."""

    format: Literal["shoal-manifest/1"]
    file: _File
    claims: list[_Claim]
    rows: _Rows
    classes: int
    class_sizes: dict[str, int]
    levels: dict[str, int]
    suppressed: Literal["remove", "star"]
    null: dict[str, str]
    spec: dict[str, Any]
    dialect: _Dialect | None = None
