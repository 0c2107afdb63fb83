"""The output of a release: a folder or a table that is not there yet, or one that may be replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from pyspark.sql import SparkSession

from shoal.engines.spark.folder import Folder
from shoal.errors import InputError, OutputError
from shoal.write.output import FileOutput, TableOutput

_SUFFIXES = (".parquet", ".csv", ".csv.gz")


def check_folder(spark: SparkSession, output: FileOutput, inputs: Iterable[str]) -> None:
    """Raise unless a folder can be written there without touching the input.

    Parameters
    ----------
    inputs
        The addresses of the files of the input as Spark gives them: with `%20` for a space.
    """
    name = output.path.name.lower()
    if not output.folder and not name.endswith(_SUFFIXES):
        raise InputError(
            f"The engine 'spark' does not write files like {output.title!r}.\n"
            f"Its suffix is {output.path.suffix!r}.\n"
            f"End its name in one of: {', '.join(_SUFFIXES)}; without a suffix it is a folder of Parquet "
            "files."
        )
    folder = Folder(spark, address_of(output))
    folder.discard()  # that it can be made is all that was to be known
    address = _alike(folder.output)
    if any(f"{_alike(unquote(name))}/".startswith(f"{address}/") for name in inputs):
        raise OutputError(
            f"The output {output.title!r} cannot be written.\nThe input is there.\nChoose another name."
        )
    folder.check_replaceable(next((suffix for suffix in _SUFFIXES if name.endswith(suffix)), ".parquet"))


def check_table(spark: SparkSession, output: TableOutput, input_title: str) -> None:
    """Raise unless a table can be written there without touching the input."""
    *schema, name = parts_of(output.name)
    refused = f"The table {output.name!r} cannot be written.\n"
    if schema and not spark.catalog.databaseExists(joined(*schema)):
        raise OutputError(f"{refused}There is no schema {'.'.join(schema)!r}.\nCreate it, or choose another.")
    full = joined(*schema, name)
    if not spark.catalog.tableExists(full):
        return
    found = spark.catalog.getTable(full)
    if found.isTemporary or "VIEW" in (found.tableType or ""):
        raise OutputError(f"{refused}A view has that name.\nChoose another.")
    if input_title.replace("`", "").lower().split(".")[-1] == name.lower() and _same(
        spark, input_title, full
    ):
        raise OutputError(f"{refused}It is the input.\nChoose another name.")


def _same(spark: SparkSession, one: str, other: str) -> bool:
    def full_name(name: str) -> tuple[object, ...]:
        found = spark.catalog.getTable(name)
        return found.catalog, found.namespace, found.name

    return spark.catalog.tableExists(one) and full_name(one) == full_name(other)


def _alike(address: str) -> str:
    """Return the address of a file in one form: Hadoop and Spark differ in slashes."""
    return re.sub(r"^(file:)?/+", "file:/", address)


def address_of(output: FileOutput) -> str:
    """Return where a folder goes: a path of Python's has lost a slash of `s3a://bucket/folder`.

    Examples
    --------
    >>> from pathlib import Path
    >>> address_of(FileOutput(Path("s3a://bucket/release")))
    's3a://bucket/release'
    """
    return re.sub(r"^(?!file:|dbfs:)([A-Za-z][\w+.-]+):/(?!/)", r"\1://", output.path.as_posix())


def local_path(address: str) -> Path | None:
    """Return the path of a file of this machine, None for that of another file system.

    Examples
    --------
    >>> str(local_path("file:///visits/in%20May.csv")), local_path("s3a://bucket/visits.csv")
    ('/visits/in May.csv', None)
    """
    parts = urlsplit(address)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def parts_of(name: str) -> list[str]:
    """Return the parts of a table's name.

    Examples
    --------
    >>> parts_of("clinic.`visits.2024`")
    ['clinic', 'visits.2024']
    """
    if not re.fullmatch(r"(`[^`]+`|[^`.]+)(\.(`[^`]+`|[^`.]+))*", name):
        raise OutputError(
            f"{name!r} is not the name of a table.\nFound something else than names with dots between them.\n"
            "Write it as schema.table."
        )
    return [part.strip("`") for part in re.findall(r"`[^`]+`|[^`.]+", name)]


def quoted(name: str) -> str:
    """Return a name as it stands in Spark's SQL."""
    return "`" + name.replace("`", "``") + "`"


def joined(*parts: str) -> str:
    return ".".join(map(quoted, parts))
