"""Measure the risk of a table, and of a table and its release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from shoal.describe.hierarchies.suppress import Suppress
from shoal.errors import InputError, Problem
from shoal.events import Listener, StepStarted
from shoal.prepare.read_rows import open_population
from shoal.privacy.k_anonymity import KAnonymity
from shoal.read.source import InputFormat, check_wanted
from shoal.risk.assessment import RiskAssessment, RiskComparison
from shoal.risk.attributes import attribute_risks
from shoal.risk.class_sizes import ClassSizes
from shoal.risk.grouped_table import GroupedTable, check_columns, open_classes, opened
from shoal.risk.population_uniques import PopulationUniques, population_uniques
from shoal.risk.reference_tables import add_compared
from shoal.risk.reidentification import journalist, marketer, prosecutor
from shoal.risk.special_uniques import SpecialUniques, affordable, special_uniques
from shoal.spec.spec import Spec, SpecForm


def assess_risk(
    data: object,
    quasi_identifiers: Sequence[str] | None = None,
    *,
    sensitive: Sequence[str] = (),
    unit: str | None = None,
    spec: SpecForm | None = None,
    population: object = None,
    sampling_fraction: float | None = None,
    population_size: int | None = None,
    threshold: float = 0.2,
    largest_subset: int = 4,
    released: bool = False,
    starred: float | None = None,
    starred_rows: int | None = None,
    original: object = None,
    levels: Mapping[str, int] | None = None,
    units: pa.ChunkedArray | pa.Array | None = None,
    input_format: InputFormat | None = None,
    listener: Listener | None = None,
) -> RiskAssessment:
    """Measure how well people can be found in a table, and what can be learnt of them.

    Parameters
    ----------
    data
        The path of a file, or a pandas, polars or Arrow table. It may be larger than memory.
    quasi_identifiers, sensitive, unit
        The columns that are known to others, those that nobody should learn, and the one that says who a row
        is about, if people are to be counted and not rows. Not with a spec, which says all of that.
    spec
        What the columns mean, or the path of its YAML file: also how the file is written, and types.
    population
        A larger table that contains the people of this one, one row per person.
    sampling_fraction, population_size
        Where only the size of the population is known: the share of it that is in the table, above 0 and at
        most 1, or how many people it has.
    threshold
        The chance above which rows are counted as at risk.
    largest_subset
        Up to how many columns are looked at together to see which single people out.
    released
        Whether the data is a release of that spec: then the quasi-identifiers are labels.
    starred
        The largest share of the rows that can be suppressed ones, left in with `*` in every
        quasi-identifier. If there are no more, they do not count. If not given they do, as a class that
        anybody sees; compared with a population, those that the spec lets be suppressed do not.
    starred_rows
        How many rows were suppressed and left in, if that is known.
    original
        For a release the table that it was made of: classes are compared with its sensitive values.
    levels
        The levels of a release: needed with a population, which is then generalized in the same way.
    units
        For a release that is a table: who each of its rows is about, where the release does not tell.
    input_format
        How the file is written, where that is not what the spec says.
    listener
        Called with what happens: see `shoal.events`.

    Raises
    ------
    InputError
        With everything that is wrong about the data or a parameter.

    Examples
    --------
    Three classes of 1, 1 and 2 rows: on average 3 / 4, and half of the rows are alone.

    >>> people = pa.table({"age": [31, 31, 52, 54], "sex": ["F", "F", "M", None]})
    >>> risk = assess_risk(people, ["age", "sex"])
    >>> risk.prosecutor.average, risk.sample_uniques, risk.class_sizes
    (0.75, 2, {1: 2, 2: 1})
    >>> risk.special.rows_by_smallest
    {1: 2, 2: 0}
    """
    spec = _spec(quasi_identifiers, sensitive, unit, spec, input_format)
    form = _format(spec, input_format, released)
    problems = _wrong(threshold, sampling_fraction, population_size, population, largest_subset)
    problems += _missing(data, spec, form, "release" if released else "table")
    problems += _missing_in_population(population, spec, levels, released)
    if problems:
        raise InputError(problems)
    report = listener or (lambda event: None)
    if units is None:
        unit, notes = _unit(data, spec, form, released)
    else:
        data, unit, notes = *_with_units(data, units), ()
    limit = starred
    if limit is None:
        # Starred rows are a class; but nobody in a population has its labels, so there they are left out.
        suppressible = population is not None and all(model.suppressible for model in spec.privacy)
        limit = spec.suppression if released and suppressible else 0.0
    report(StepStarted("classes"))
    with open_classes(
        data,
        tuple(spec.quasi_identifiers),
        tuple(spec.sensitive),
        unit=unit,
        input_format=form,
        types=spec.types,
        released=released,
        starred=limit,
        starred_rows=starred_rows,
    ) as classes:
        tables = add_compared(classes, spec, unit, population, original, levels, released)
        sizes = in_population = classes.sizes()
        known: PopulationUniques | None = None
        fraction = None
        skipped: tuple[str, ...] = ()
        if population is not None:
            report(StepStarted("population"))
            in_population, people, alone = classes.sizes_in(next(iter(tables.populations.values())))
            known = PopulationUniques(
                sizes.counted / max(people, 1), people, None, None, None, float(alone), "counted"
            )
        else:
            fraction = _fraction(sizes, sampling_fraction, population_size)
            if fraction is not None and sizes.counted < sizes.rows:
                skipped = (
                    "How many people are unique in the population is not estimated: some have rows in "
                    "several classes.",
                )
            elif fraction is not None:
                known = population_uniques(sizes, fraction)
        special, not_special = _special(classes, sizes, unit, largest_subset, report)
        report(StepStarted("values"))
        attributes = attribute_risks(classes, tuple(spec.sensitive), tables)
        return RiskAssessment(
            quasi_identifiers=tuple(spec.quasi_identifiers),
            rows=classes.rows,
            suppressed_rows=classes.suppressed_rows,
            classes=sizes.count,
            class_sizes=sizes.to_histogram(),
            members=sizes.members_by_size(),
            threshold=threshold,
            prosecutor=prosecutor(sizes, threshold),
            journalist=journalist(in_population, threshold, fraction),
            marketer=marketer(in_population, threshold, fraction),
            sample_uniques=sizes.alone,
            population_uniques=known,
            special=special,
            attributes=attributes,
            unit=unit and spec.unit,
            people=None if unit is None else sizes.counted,
            notes=(*notes, *skipped, *not_special),
        )


def compare_risk(
    original: object,
    release: object,
    quasi_identifiers: Sequence[str] | None = None,
    *,
    sensitive: Sequence[str] = (),
    unit: str | None = None,
    spec: SpecForm | None = None,
    population: object = None,
    sampling_fraction: float | None = None,
    threshold: float = 0.2,
    largest_subset: int = 4,
    starred: float | None = None,
    starred_rows: int | None = None,
    levels: Mapping[str, int] | None = None,
    units: pa.ChunkedArray | pa.Array | None = None,
    input_format: InputFormat | None = None,
    listener: Listener | None = None,
) -> RiskComparison:
    """Measure the risk of a table and of its release.

    Parameters are those of `assess_risk`; `starred`, `starred_rows`, `levels` and `units` are about the
    release, the input format and the sampling fraction about the original. The population stays the same:
    rows that were suppressed are no longer a part of the sample.

    Examples
    --------
    >>> people = pa.table({"age": ["31", "33", "52", "54"]})
    >>> release = pa.table({"age": ["[30, 40)", "[30, 40)", "[50, 60)", "[50, 60)"]})
    >>> both = compare_risk(people, release, ["age"])
    >>> both.before.prosecutor.highest, both.after.prosecutor.highest
    (1.0, 0.5)
    """
    if population is not None and spec is None:
        raise InputError(
            "A population is generalized as the release is, by the hierarchies of a spec.\n"
            "Found: a population and a release, and no spec.\nGive the spec, or leave one of them out."
        )
    spec = _spec(quasi_identifiers, sensitive, unit, spec, input_format)
    problems = _wrong(threshold, sampling_fraction, None, population, largest_subset)
    problems += _missing(original, spec, _format(spec, None, released=False), "table")
    problems += _missing(release, spec, _format(spec, None, released=True), "release")
    problems += _missing_in_population(population, spec, levels, released=True)
    if problems:
        raise InputError(problems)
    given: dict[str, Any] = {
        "population": population,
        "threshold": threshold,
        "largest_subset": largest_subset,
    }
    before = assess_risk(original, spec=spec, sampling_fraction=sampling_fraction, listener=listener, **given)
    after = assess_risk(
        release,
        spec=spec,
        population_size=None if sampling_fraction is None else round(before.counted / sampling_fraction),
        released=True,
        starred=starred,
        starred_rows=starred_rows,
        original=original,
        levels=levels,
        units=units,
        listener=listener,
        **given,
    )
    if after.rows > before.rows:
        raise InputError(
            "The release was not made of this original: it has more rows.\n"
            f"Found: {after.rows:,} rows, and {before.rows:,} in the original.\n"
            "Give the table that the release was made of, and the original first."
        )
    return RiskComparison(before, after)


def _spec(
    quasi_identifiers: Sequence[str] | None,
    sensitive: Sequence[str],
    unit: str | None,
    spec: SpecForm | None,
    input_format: InputFormat | None,
) -> Spec:
    """Return the spec, or one that says the same as the columns."""
    if spec is not None:
        if quasi_identifiers is not None or sensitive or unit is not None:
            raise InputError(
                "A spec says which columns are quasi-identifiers, sensitive and the unit.\n"
                "Found: a spec, and columns beside it.\nLeave one of them out."
            )
        return Spec.of(spec)
    if isinstance(quasi_identifiers, str) or not quasi_identifiers:
        raise InputError(
            "No quasi-identifiers given.\n"
            f"Found: {quasi_identifiers!r}.\nGive a list of quasi-identifiers, or a spec."
        )
    names = list(quasi_identifiers)
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"Quasi-identifiers are named more than once: {', '.join(twice)}.\nName each once.")
    return Spec(
        quasi_identifiers={name: Suppress() for name in names},
        sensitive=sensitive,
        unit=unit,
        privacy=[KAnonymity(1)],
        input=input_format or InputFormat(),
    )


def _wrong(
    threshold: float,
    sampling_fraction: float | None,
    population_size: int | None,
    population: object,
    largest_subset: int,
) -> list[Problem]:
    """Return what is wrong about the numbers."""
    problems = []
    if not 0 < threshold <= 1:
        problems.append(f"The threshold must be a probability: above 0, at most 1.\nFound: {threshold!r}.")
    if sampling_fraction is not None and not 0 < sampling_fraction <= 1:
        problems.append(
            "The sampling fraction must be the share of the population that is in the table: above 0, at "
            "most 1.\n"
            f"Found: {sampling_fraction!r}.\nFor 5 percent write 0.05."
        )
    if population_size is not None and population_size < 1:
        problems.append(f"A population must have at least one person.\nFound: {population_size!r}.")
    if (population is not None) + (sampling_fraction is not None) + (population_size is not None) > 1:
        problems.append(
            "The sampling fraction follows from the population, and from its size.\nGive one of these alone."
        )
    if largest_subset < 1:
        problems.append(f"Sets of columns must have at least 1 column.\nFound: {largest_subset!r}.")
    return [Problem(problem) for problem in problems]


def _missing(data: object, spec: Spec, form: InputFormat, what: str) -> list[Problem]:
    """Return the columns that a table lacks, or why it cannot be opened."""
    wanted = [*spec.quasi_identifiers, *spec.sensitive]
    if spec.unit is not None and what == "table":
        wanted.append(spec.unit)
    try:
        check_columns(data, list(dict.fromkeys(wanted)), form, what)
    except InputError as error:
        return list(error.problems)
    return []


def _missing_in_population(
    population: object, spec: Spec, levels: Mapping[str, int] | None, released: bool
) -> list[Problem]:
    """Return what keeps a population from being compared with."""
    if population is None:
        return []
    problems = []
    if released and levels is None:
        problems.append(
            Problem(
                "A population is generalized as the release is, and its levels are not known.\n"
                "Give the manifest of the release: --manifest FILE (in Python levels=...)."
            )
        )
    try:
        source = open_population(population, spec)
        check_wanted(
            list(spec.quasi_identifiers),
            source.columns,
            f"the population {source.name!r}",
            shown=not source.doubtful,
        )
    except InputError as error:
        problems += error.problems
    return problems


def _fraction(
    sizes: ClassSizes, sampling_fraction: float | None, population_size: int | None
) -> float | None:
    if population_size is None:
        return sampling_fraction
    if population_size < sizes.counted:
        what = "rows" if sizes.people is None else "people of the table"
        raise InputError(
            "The population is smaller than the table.\n"
            f"People: {population_size:,}; {what}: {sizes.counted:,}.\n"
            "A population contains the people of the table."
        )
    return sizes.counted / population_size if sizes.counted else 1.0


def _format(spec: Spec, given: InputFormat | None, released: bool) -> InputFormat:
    """Return how the file is written: an original as the spec says, a release as the audit takes it."""
    if not released:
        return given or spec.input
    form = given or InputFormat()
    own = InputFormat(form.delimiter, form.quote, form.encoding, header=form.header)
    return own.over(spec.input.of_release())


def _unit(data: object, spec: Spec, form: InputFormat, released: bool) -> tuple[str | None, tuple[str, ...]]:
    """Return the column by which people are counted; where a release does not have it as it was, rows are."""
    if spec.unit is None or not released:
        return spec.unit, ()
    columns = data.column_names if isinstance(data, pa.Table) else opened(data, form).columns
    if spec.unit in columns and spec.unit not in spec.quasi_identifiers:
        return spec.unit, ()
    state = "generalized" if spec.unit in spec.quasi_identifiers else "not"
    return None, (
        f"Rows of the release are counted, because {spec.unit!r} is {state} in it: where somebody has "
        "several rows in a class, the risk is higher than shown.",
    )


def _with_units(data: object, units: pa.ChunkedArray | pa.Array) -> tuple[pa.Table, str]:
    """Return a release with one more column, which says who a row is about, and its name."""
    if not isinstance(data, pa.Table) or len(units) != data.num_rows:
        raise InputError(
            "Units can be given only for a release that is a table.\n"
            f"Found: {len(units):,} units for {data.num_rows if isinstance(data, pa.Table) else 'no'} rows.\n"
            "Give a table, and a unit for each of its rows."
        )
    name = "unit"
    while name in map(str.lower, data.column_names):
        name += "_"
    return data.append_column(name, units), name


def _special(
    classes: GroupedTable, sizes: ClassSizes, unit: str | None, largest: int, report: Listener
) -> tuple[SpecialUniques | None, tuple[str, ...]]:
    """Return what singles rows out, or why that was not looked for."""
    if unit is not None:
        return None, ("Which columns single people out is only computed where rows are counted, not people.",)
    columns = len(classes.quasi_identifiers)
    size = affordable(sizes.count, columns, largest)
    if size == 0:
        return None, (
            f"Which columns single people out was not computed: {sizes.count:,} classes by {columns:,} "
            "columns are too many.",
        )
    notes: tuple[str, ...] = ()
    if size < min(largest, columns):
        notes = (
            f"Of columns together, up to {size} were examined, not {largest}: {sizes.count:,} classes by all "
            "sets of that many columns are too many.",
        )
    codes, rows = classes.codes() if sizes.uniques else ([], sizes.size[:0])
    names = classes.quasi_identifiers
    found = special_uniques(
        names, codes, rows, size, lambda s: report(StepStarted(f"{s} of {columns} columns"))
    )
    return found, notes
