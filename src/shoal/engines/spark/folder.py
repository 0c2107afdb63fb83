"""Folders of files, on whatever file system Spark writes to."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from shoal.errors import OutputError
from shoal.files.atomic import check_link
from shoal.files.temporary import private_folder, remove_private
from shoal.write.unpublished import found_digests, gone


def located(spark: SparkSession, address: str) -> str:
    """Return a path as it is meant here: Spark may have been started in another folder."""
    jvm: Any = getattr(spark, "_jvm", None)
    if jvm is None or re.match(r"[A-Za-z][\w+.-]+:", address):
        return address
    default = jvm.org.apache.hadoop.fs.FileSystem.getDefaultUri(spark.sparkContext._jsc.hadoopConfiguration())
    return str(Path(address).absolute()) if default.getScheme() == "file" else address


class Folder:
    """A folder that Spark writes: hidden beside its output at first, then renamed.

    On a disk and on HDFS each rename happens at once. On an object store it is a copy of all files.
    """

    def __init__(self, spark: SparkSession, address: str) -> None:
        jvm: Any = getattr(spark, "_jvm", None)
        if jvm is None:
            raise OutputError(
                "Files cannot be written from this session.\n"
                "It is a client of a Spark server (Spark Connect), which gives no access to its files.\n"
                "Write to a table, or run where the driver runs."
            )
        self._path = jvm.org.apache.hadoop.fs.Path
        configuration = getattr(spark, "_jsparkSession").sessionState().newHadoopConf()  # noqa: B009 (not public)
        try:
            wanted = self._path(located(spark, address))
            self._files = wanted.getFileSystem(configuration)
            self._output = self._files.makeQualified(wanted)
        except Py4JError:
            raise OutputError(
                f"The output {address!r} cannot be written.\n"
                "Spark knows no such file system.\nCheck the path."
            ) from None
        self._private: Path | None = None
        self._check()
        self._hidden = self._make_hidden()

    def _check(self) -> None:
        parent = self._output.getParent()
        try:
            found = parent is not None and self._files.exists(parent)
        except Py4JError:
            found = True  # whoever may not look may still write
        # Object stores have no folders that could be missing.
        if not found and self._output.toUri().getScheme() in ("file", "hdfs"):
            raise OutputError(
                f"The output {self.name!r} cannot be written.\nIts folder does not exist.\n"
                "Create the folder first, or choose another."
            )

    @property
    def name(self) -> str:
        return str(self._output.getName())

    @property
    def hidden(self) -> str:
        """Where the files are written first."""
        return str(self._hidden)

    @property
    def output(self) -> str:
        return str(self._output)

    def check_replaceable(self, suffix: str) -> None:
        """Raise if something is at the output that a release of files with such names must not replace."""
        try:
            if not self._files.exists(self._output):
                return
            folder = self._files.getFileStatus(self._output).isDirectory()
            found = self._files.listStatus(self._output) if folder else ()
            strange = [entry for entry in found if entry.isDirectory() or not _is_part(entry, suffix)]
        except Py4JError:
            return  # whoever may not look may still write
        if strange:
            raise OutputError(
                f"The output folder {self.name!r} has other things in it than {suffix} files.\n"
                "All that is in it would be replaced.\nChoose another folder, or empty this one."
            )
        if not folder and not self.name.lower().endswith(suffix):
            raise OutputError(
                f"The output {self.name!r} cannot be written.\n"
                "It would be a folder, and a file of that name already exists.\n"
                f"Choose another name, or end it in {suffix}."
            )

    def publish(self) -> None:
        """Rename the hidden folder; what was at the output before is removed after that."""
        old = self._beside("old.")
        try:
            if not self._files.exists(self._hidden):
                raise gone()
            replaces = self._files.exists(self._output)
            if replaces and not self._files.rename(self._output, old):
                raise self._refused()
            try:
                if not self._files.rename(self._hidden, self._output):
                    raise self._refused()
            except BaseException:
                if replaces:
                    self._files.rename(old, self._output)
                raise
            if replaces:
                self._files.delete(old, True)
            self._tidy_up()
        except Py4JError:
            raise self._refused() from None

    def discard(self) -> None:
        self._files.delete(self._hidden, True)
        self._tidy_up()

    def _make_hidden(self) -> Any:
        """Return where files are written first; on a disk, in a folder that nobody else may enter."""
        parent = urlsplit(self._output.getParent().toUri().toString())
        if parent.scheme != "file":
            return self._beside("")
        try:
            check_link(Path(unquote(parent.path)) / self.name)
            self._private = private_folder(Path(unquote(parent.path)))
        except OutputError:
            raise
        except OSError as error:
            raise OutputError(
                f"The output {self.name!r} cannot be written.\nThe system says: {error.strerror}.\n"
                "Choose another folder, or change its permissions."
            ) from None
        return self._files.makeQualified(self._path(str(self._private / self.name)))

    def _tidy_up(self) -> None:
        if self._private is not None:
            remove_private(self._private)

    def contents(self, *, published: bool) -> Mapping[str, str]:
        """Return by name what tells its files from others: their SHA-256, or elsewhere their lengths.

        Elsewhere the names tell them apart too, since Spark gives each file that it writes one of its own.
        """
        if local := self.files(published=published):
            return found_digests(local)
        folder = self._output if published else self._hidden
        if not self._files.exists(folder):
            return {}
        return {str(one.getPath().getName()): str(one.getLen()) for one in self._files.listStatus(folder)}

    def files(self, *, published: bool) -> list[Path]:
        """Return the paths of the files, if they are on a disk of this machine."""
        folder = urlsplit((self._output if published else self._hidden).toUri().toString())
        if folder.scheme != "file":
            return []
        paths = Path(unquote(folder.path)).glob("*")
        return sorted(path for path in paths if not path.name.startswith((".", "_")))

    def tidy(self) -> None:
        """Remove the checksums that Hadoop puts beside files on a disk; nobody else knows them."""
        folder = urlsplit(self._hidden.toUri().toString())
        if folder.scheme == "file":
            for path in Path(unquote(folder.path)).glob(".*.crc"):
                path.unlink()

    def _beside(self, mark: str) -> Any:
        return self._path(self._output.getParent(), f".{self.name}.{mark}{secrets.token_hex(4)}")

    def _refused(self) -> OutputError:
        return OutputError(
            f"The output {self.name!r} could not be published.\n"
            "The file system refused to rename a folder.\n"
            "Check the permissions there."
        )


def _is_part(entry: Any, suffix: str) -> bool:
    """Return whether an entry of a folder is a file of a table, or one that Spark leaves beside them."""
    name = str(entry.getPath().getName())
    return name.lower().endswith(suffix) or name == "_SUCCESS" or (name[0] == "." and name.endswith(".crc"))
