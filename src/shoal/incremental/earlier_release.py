"""The release that is to be extended: its manifest, its file, and whether it may be extended at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PureWindowsPath

import pyarrow as pa

from shoal.audit import audit_release
from shoal.audit.manifest_check import same_file
from shoal.audit.manifest_file import Evidence
from shoal.describe.roles import Accepted
from shoal.errors import InputError, Problem
from shoal.privacy.k_anonymity import KAnonymity
from shoal.read.formulas import opens_in_spreadsheets, restored
from shoal.read.source import InputFormat, check_file, open_source
from shoal.spec.spec import Spec
from shoal.write.table_formats import suffix_of


@dataclass(frozen=True, eq=False)
class Earlier:
    """A release that is published and intact.

    Attributes
    ----------
    evidence
        What its manifest says.
    path
        Its file.
    spec
        What it satisfies, and the extended release will: the manifest's, but for what is asked otherwise.
    table
        Its rows as they stand in the file.
    input
        How the tables that it was made of are written, and the new rows.
    """

    evidence: Evidence
    path: Path
    spec: Spec
    table: pa.Table
    input: InputFormat = InputFormat()  # noqa: RUF009 (frozen)

    @property
    def name(self) -> str:
        """The name that its manifest gives it."""
        return self.evidence.manifest.file.name

    @property
    def sha256(self) -> str:
        return self.evidence.manifest.file.sha256

    @property
    def levels(self) -> dict[str, int]:
        levels = self.evidence.manifest.levels
        assert levels is not None, "others are refused when they are opened"
        return levels

    @property
    def rows(self) -> int:
        """Rows of the table that it was made of, suppressed ones included."""
        return self.evidence.manifest.rows.before


def open_earlier(
    manifest: str | Path,
    release: str | Path | None = None,
    *,
    folder: str | Path | None = None,
    suppression: float | None = None,
    k: int | None = None,
    accept: Mapping[str, Accepted] | None = None,
) -> Earlier:
    """Read a release that is to be extended, once it is certain that it is what its manifest says.

    Parameters
    ----------
    manifest
        Its manifest.
    release
        Its file; if not given, the one of that name beside the manifest.
    folder
        Where the files are that the spec names, such as hierarchies; if not given, beside the manifest.
    suppression, k
        What the extended release is to satisfy, if not the same.
    accept
        What its columns may be, beside what the earlier release accepts.

    Raises
    ------
    InputError
        The file is not the manifest's, does not keep its claims, or is one that cannot be extended soundly.
    """
    evidence = Evidence.read(manifest)
    path = _file(evidence, release)
    same = same_file(evidence, path)
    if not same.holds:
        raise InputError(
            f"The manifest {evidence.path.name!r} does not belong to the file {path.name!r}.\n"
            f"SHA-256: {same.measured}.\n"
            "A release is extended as it was published: give the file and the manifest that belong together."
        )
    spec = stated_spec(evidence, folder)
    if problems := [*_unsound(spec), *_unreadable(path)]:
        raise InputError(problems)
    _check_claims(evidence, path)
    source = open_source(path, evidence.input_format)
    if others := [name for name in source.columns if name not in spec.released]:
        raise InputError(
            f"The earlier release has columns that its spec does not name.\nFound: {', '.join(others)}.\n"
            "New rows cannot be given these: extend a release that Shoal wrote."
        )
    table = source.read(source.columns, coded=())
    if spec.escape_formulas and opens_in_spreadsheets(path):
        table = restored(table)
    return Earlier(evidence, path, _adjusted(spec, suppression, k, accept or {}), table)


def _file(evidence: Evidence, release: str | Path | None) -> Path:
    """Return the path of the release. What a manifest calls a file is a name, whatever it looks like."""
    beside = evidence.path.parent / PureWindowsPath(evidence.manifest.file.name).name
    path = beside if release is None else Path(release)
    if release is None and not path.exists():
        raise InputError(
            f"The release of the manifest {evidence.path.name!r} is not beside it.\n"
            f"Looked for: {path.name!r}.\nGive it: --release FILE (in Python release=...)."
        )
    check_file(path)
    return path


def stated_spec(evidence: Evidence, folder: str | Path | None) -> Spec:
    """Return the spec in a manifest with its hierarchies, which new rows need to get the same labels.

    Parameters
    ----------
    folder
        As for `open_earlier`.
    """
    files_folder = evidence.path.parent if folder is None else Path(folder)
    advice = (
        "A manifest names files without their folders: put them beside it, or say where they are, "
        "--files FOLDER (in Python files=...)."
    )
    evidence.check_paths(files_folder)
    try:
        spec = Spec.from_mapping(evidence.manifest.spec, files_folder)
    except InputError as error:
        raise InputError(
            Problem(f"In the manifest {evidence.path.name!r}: {problem.message}", problem.values)
            for problem in error.problems
        ) from None
    lost = [file.name for file in spec.files if not file.exists()]
    if lost and not spec.populations:
        raise InputError(
            f"Hierarchies of the manifest {evidence.path.name!r} are in files.\n"
            f"Not found: {', '.join(lost)}.\n{advice}"
        )
    levels = evidence.manifest.levels
    if levels is None:
        raise InputError(
            "New rows can get the labels of a release only if that has one level per column.\n"
            f"Found: a recoding of the kind {evidence.manifest.recoding.kind!r}.\n"
            "Release the new rows by themselves."
        )
    lacking = [name for name in spec.quasi_identifiers if name not in levels]
    if lacking:
        raise InputError(
            f"The manifest {evidence.path.name!r} does not list all levels.\n"
            f"Missing: {', '.join(lacking)}.\nGive the manifest as it was written."
        )
    return spec


def _unsound(spec: Spec) -> Iterator[Problem]:
    """Return what keeps a release from being extended such that nobody is given away."""
    for model in spec.privacy:
        if model.population is not None or not model.suppressible:
            yield Problem(
                f"A release under {model.describe()} cannot be extended.\n"
                "It compares classes with a population. Whoever is known not to be in the earlier release "
                "is one of the fewer people that are left, and the model does not count those.\n"
                "Release the new rows by themselves, against the population without the earlier people."
            )
    if spec.choose_by == "quasi-identifiers":
        yield Problem(
            "A release that was chosen by the quasi-identifiers alone cannot be extended.\n"
            "Which new rows wait depends on sensitive values, and whoever has both releases would see it.\n"
            "Release all rows together, or the new ones by themselves."
        )
    if spec.pseudonyms:
        yield Problem(
            "A release with pseudonyms cannot be extended.\n"
            "Whoever has both releases would see which rows of a person are new, and combine them.\n"
            "Release all rows together, or the new ones by themselves under another key."
        )
    if spec.suppressed == "star":
        yield Problem(
            "A release whose suppressed rows are starred cannot be extended.\n"
            "New rows that have to wait would appear in it with all their other columns, a few at a time, "
            "and whoever has both releases would see which they are.\n"
            "Make releases that are to grow with `suppressed: remove`."
        )
    if spec.unit is not None and spec.unit not in (*spec.sensitive, *spec.insensitive):
        yield Problem(
            f"A release that counts people by {spec.unit!r}, and does not have that column, cannot be "
            "extended.\n"
            "Nobody could tell who is in both releases.\n"
            "Release the new rows by themselves, without people of the earlier release."
        )


def _unreadable(path: Path) -> Iterator[Problem]:
    if suffix_of(path) == ".xlsx":
        yield Problem(
            f"A release in an Excel file cannot be extended.\nFound: {path.name!r}.\n"
            "Rows of two such files cannot be compared by a query. Make releases that are to grow as .csv or "
            ".parquet."
        )


def _check_claims(evidence: Evidence, path: Path) -> None:
    """Raise unless the earlier release keeps what it claims, as far as its file tells."""
    found = audit_release(path, manifest=evidence.path)
    failing = [finding for finding in found.findings if finding.checkable and not finding.holds]
    if failing:
        raise InputError(
            f"The earlier release does not satisfy its claim '{finding.claim}'.\n"
            f"Measured: {finding.measured}.\nOnly a release that holds can be extended."
            for finding in failing
        )


def with_k(spec: Spec, k: int) -> Spec:
    """Return the spec with another k for k-anonymity."""
    models = (KAnonymity(k) if isinstance(model, KAnonymity) else model for model in spec.privacy)
    return replace(spec, privacy=tuple(models))


def _adjusted(spec: Spec, suppression: float | None, k: int | None, accept: Mapping[str, Accepted]) -> Spec:
    if accept:
        spec = replace(spec, accept={**spec.accept, **accept})
    if suppression is not None:
        spec = replace(spec, suppression=suppression)
    if k is None:
        return spec
    claimed = [model.k for model in spec.privacy if isinstance(model, KAnonymity)]
    if not claimed:
        raise InputError("The earlier release does not claim k-anonymity.\nFound: a k.\nLeave it out.")
    adjusted = with_k(spec, k)
    if k > min(claimed):
        # What failed by its values under the smaller k would pass for what was too small under the larger.
        raise InputError(
            f"An extended release cannot claim a larger k than the earlier one.\nFound: {k}, and "
            f"{min(claimed)} before.\nLeave it out, or give a smaller one."
        )
    return adjusted
