"""From a table to its release in one call: a session whose steps run one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from shoal.audit.manifest_file import MANIFEST, Evidence, manifest_path
from shoal.errors import InputError
from shoal.events import Listener
from shoal.files.atomic import check_path
from shoal.read.source import InputFormat
from shoal.release import Release
from shoal.search.counting_plan import Plan
from shoal.search.result import SearchAlgorithm
from shoal.session import Session
from shoal.spec.at_levels import at_levels
from shoal.spec.spec import Spec, SpecForm
from shoal.strategies.resolve import require_spec, strategy_of
from shoal.strategies.strategy import Strategy


def anonymize(
    data: object,
    spec: SpecForm,
    *,
    output: str | Path | None = None,
    output_table: str | None = None,
    publish: bool = True,
    remember_people: bool = False,
    engine: str | None = None,
    table: str | None = None,
    memory: str | None = None,
    recoding: str | Mapping[str, object] | Strategy | None = None,
    algorithm: str | SearchAlgorithm | None = None,
    threads: int | None = None,
    seed: int | None = None,
    keep_order: bool = False,
    keep_undeclared: bool = False,
    drop_undeclared: bool = False,
    all_nodes: bool = False,
    listener: Listener | None = None,
) -> Release:
    """Find the release that loses the least information among those that satisfy the spec.

    Parameters
    ----------
    data
        A pandas, polars or Arrow table, a relation of DuckDB, a Spark data frame, an Ibis table; the path of
        a CSV, Parquet, Excel, Stata, SPSS or SAS file; several CSV or Parquet files, `visits/*.parquet`, or
        a folder of them; the URL of a database, `postgresql://server/clinic` or `clinic.duckdb`, with
        `table`. It is not changed.
    spec
        What the columns mean and what the release must satisfy: a `Spec`, the path of its YAML file, or the
        content of one as a dict.
    output, output_table
        Where the release goes: a file or a folder, or a table of the database. It is written there by the
        engine itself, with its evidence beside it. If not given, `Release.write` does it later.
    publish
        Whether it is put into that place at once; otherwise `Release.write` does that too, with what else is
        to be beside it.
    remember_people
        Keep keyed hashes of the people for `shoal.extend`; see `Release.write`.
    engine
        Where the rows are counted and recoded: the name of a registered engine, such as `duckdb`. All give
        the same release. If not given, the spec's; if that is `auto`, by what the data is and how large.
    table
        The table of a database, or a query in parentheses.
    memory
        How much an engine may use here, such as `4GB`; what is larger goes to files.
    recoding
        How values become labels, in place of the spec's: `full-domain`, `mondrian`, `cells` or another name,
        also with its settings, `{"mondrian": {"cut": "gain"}}`, or an object. `shoal recodings` lists them.
    algorithm
        The search, by its name or as an object with settings of its own. All that are exact give the same
        release; they differ in the time that it takes. If not given, it is `box`, and where there are too
        many choices of levels for that, `best-first`, which stops after some seconds with a proved bound.
    threads
        How many the search may use; all processors if not given.
    seed
        Makes the shuffle of the rows repeatable on this machine: it is mixed with the publisher's secret
        (`shoal.secret`) and with the release itself. Nothing that is written says that there was one.
    keep_order
        Leave the rows in the order of the input, which may reveal who is who.
    keep_undeclared, drop_undeclared
        What to do with columns that the spec does not name; otherwise they are an error.
    all_nodes
        Also find all choices of levels that satisfy, for `Release.satisfying_nodes`.
    listener
        Called with what happens: see `shoal.events`.

    Raises
    ------
    InputError
        With everything that is wrong about the data, the spec or a parameter.
    LinkableError
        Columns that are released unchanged single people out, and the spec does not accept that; an
        InputError too.
    InfeasibleError
        No release satisfies the spec; the message names the nearest that can be satisfied.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import shoal
    >>> people = pa.table({"age": [34, 37, 51, 58], "zip": ["53715", "53710", "53706", "53703"]})
    >>> spec = shoal.Spec(
    ...     quasi_identifiers={"age": shoal.intervals(10, 20), "zip": shoal.prefix(5)},
    ...     privacy=[shoal.KAnonymity(2)],
    ... )
    >>> release = shoal.anonymize(people, spec)
    >>> release.levels
    {'age': 1, 'zip': 1}
    >>> sorted(release.data["zip"].to_pylist())
    ['5370*', '5370*', '5371*', '5371*']
    """
    if threads is not None and threads < 1:
        raise InputError(f"The number of threads must be at least 1.\nFound: {threads}.")
    spec = Spec.of(spec)
    if recoding is not None:
        spec = replace(spec, recoding=recoding)  # type: ignore[arg-type]
    require_spec(strategy_of(spec.recoding, algorithm), spec, all_nodes=all_nodes)
    with Session(
        data,
        spec,
        output=output,
        output_table=output_table,
        engine=engine,
        table=table,
        memory=memory,
        keep_undeclared=keep_undeclared,
        drop_undeclared=drop_undeclared,
        seed=seed,
        keep_order=keep_order,
        listener=listener,
    ) as session:
        found = session.search(algorithm=algorithm, threads=threads, all_nodes=all_nodes)
        session.forget()  # the kernel's copy of the table, which recoding does not need
        release = session.release(found)
        if publish and session.output is not None:
            release.write(session.output, remember_people=remember_people)
    return release


def apply(
    release: str | Path,
    new_rows: object,
    *,
    output: str | Path | None = None,
    files: str | Path | None = None,
    key: str | Path | None = None,
    drop_undeclared: bool = False,
    keep_order: bool = False,
    input_format: InputFormat | None = None,
    listener: Listener | None = None,
) -> Release:
    """Give further rows the labels of a release that was written: `Release.apply` for files.

    Parameters
    ----------
    release
        The release, with its manifest beside it, or the manifest.
    new_rows, output, drop_undeclared, keep_order, listener
        As for `Release.apply`.
    files
        The folder with the files that the manifest's spec names, if they are not beside it.
    key
        The private key for pseudonyms, which no manifest names. With that of the release somebody who is in
        both has the same token in both.
    input_format
        How the file of `new_rows` is written, where that is not as the manifest's spec says.

    Raises
    ------
    InputError
        The manifest is none, its recoding does not give every column one level, or labels depend on the
        original table.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> import shoal
    >>> spec = shoal.Spec(quasi_identifiers={"age": shoal.intervals(10)}, privacy=shoal.KAnonymity(2))
    >>> path = Path(tempfile.mkdtemp()) / "release.csv"
    >>> _ = shoal.anonymize(pa.table({"age": [31, 35, 52, 58]}), spec).write(path)
    >>> shoal.apply(path, pa.table({"age": [33, 39, 44]})).table["age"].to_pylist()
    ['[30, 40)', '[30, 40)']
    """
    from shoal.incremental.earlier_release import stated_spec
    from shoal.incremental.extended_rows import check_steady

    path = Path(release)
    evidence = Evidence.read(path if path.name.endswith(MANIFEST) else manifest_path(path))
    if output is not None:
        check_path(
            Path(output),
            apart_from=(
                path,
                evidence.path,
                evidence.path.with_name(evidence.path.name.removesuffix(MANIFEST)),
            ),
        )
    spec = stated_spec(evidence, files)
    check_steady(spec, "Apply the release in Python, before its program ends: release.apply(new_rows).")
    spec = replace(
        spec,
        input=(input_format or InputFormat()).over(spec.input),
        key=None if key is None else Path(key).absolute(),
    )
    return anonymize(
        new_rows,
        at_levels(spec, evidence.manifest.levels or {}),
        output=output,
        drop_undeclared=drop_undeclared,
        keep_order=keep_order,
        listener=listener,
    )


def plan(
    data: object,
    spec: SpecForm,
    *,
    engine: str | None = None,
    table: str | None = None,
    memory: str | None = None,
    keep_undeclared: bool = False,
    drop_undeclared: bool = False,
    listener: Listener | None = None,
) -> Plan:
    """Return how `anonymize` would go about its search, and how large what it counts is. Nothing is written.

    The parameters are those of `anonymize`. The values of columns are counted for it, and where there may be
    too many tuples, these are estimated.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import shoal
    >>> people = pa.table({"age": [34, 37, 51, 58]})
    >>> spec = shoal.Spec(quasi_identifiers={"age": shoal.intervals(10, 20)}, privacy=[shoal.KAnonymity(2)])
    >>> "engine: memory" in shoal.plan(people, spec).render()
    True
    """
    with Session(
        data,
        spec,
        engine=engine,
        table=table,
        memory=memory,
        keep_undeclared=keep_undeclared,
        drop_undeclared=drop_undeclared,
        listener=listener,
    ) as session:
        return session.plan()
