"""What `anonymize` returns: the released table, how it came about, and the proof that it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from heapq import nsmallest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from shoal.audit import Audit
from shoal.describe.hierarchy import FromFile
from shoal.describe.roles import how_people_count
from shoal.engines.engine import Rows
from shoal.errors import InputError
from shoal.events import Listener, Steps
from shoal.explore.nodes import Nodes
from shoal.explore.original_table import Original
from shoal.measure.explain import Explanation
from shoal.read.columns import values_shown
from shoal.read.source import InputFormat, Source
from shoal.recode.recoding import AveragingClasses, LooksBeside, Recoding, averages_in
from shoal.recode.released_levels import LabelLoss, Ladder, in_order, ladders, losses
from shoal.search.result import Counters
from shoal.spec.at_levels import at_levels
from shoal.spec.for_recipients import HandedOn
from shoal.spec.spec import Spec
from shoal.strategies.alternative import Alternative, alternative
from shoal.write.manifest import is_file
from shoal.write.output import FileOutput, Output, TableOutput
from shoal.write.publish import Pages, publish

if TYPE_CHECKING:
    from shoal.explore.lattice_drawing import LatticePicture
    from shoal.explore.neighbours import Neighbour
    from shoal.incremental.people import HashedPeople
    from shoal.recode.class_averages import Average
    from shoal.risk import RiskComparison
    from shoal.risk.gains import Gain
    from shoal.session import Session
    from shoal.utility.assessment import UtilityAssessment

_LABELS_SHOWN = 3


class Choice(NamedTuple):
    """What was chosen for one quasi-identifier, such as `1 of 3`, and some of the released labels."""

    column: str
    chosen: str
    labels: str


@dataclass(frozen=True, eq=False)
class Release:
    """An anonymized table.

    Attributes
    ----------
    table
        The released rows as Arrow; `data` has them as the kind of frame that went in.
    spec
        What was asked for, undeclared columns that were kept included. Of a release from `satisfying_nodes`
        it has the measure and the weights by which they were ranked.
    recoding
        How values became labels. `levels` is the shortcut for what most recodings are made of.
    heights
        Per quasi-identifier the highest level that its hierarchy has.
    score
        The value of the spec's quality measure, smaller is better.
    explanation
        Between which ends the score lies, and what each column adds to it.
    rows, suppressed_rows
        Rows of the input, and how many of them were suppressed.
    class_sizes
        For each size that occurs, the number of released classes of that many rows.
    optimal
        Whether no other choice of levels scores better, proved: of those that satisfy the models of the
        search, with rows starred by its rule.
    bound
        Where that is not proved, what no choice of levels scores less than, if known.
    nodes
        The work of the search.
    audit
        What an independent check of the released values found.
    satisfying_nodes
        If asked for, all choices of levels that satisfy, the best first: to filter, to rank by another
        measure, and to make another release of.
    subsets
        From Incognito: for every set of quasi-identifiers the levels at which these alone satisfy, as Arrow.
    notes
        What else a reader should know.
    original
        The table that it was made of, for what compares with it. It holds what the release does not.
    sessions
        What opens a session, for further rows.
    """

    released: Rows = field(repr=False)
    spec: Spec
    recoding: Recoding
    heights: dict[str, int]
    score: float
    rows: int
    suppressed_rows: int
    class_sizes: dict[int, int] = field(repr=False)
    optimal: bool
    bound: float | None
    nodes: Counters
    audit: Audit
    shuffled: bool
    dialect: InputFormat | None
    notes: tuple[str, ...]
    explanation: Explanation = field(repr=False)
    source: Source = field(repr=False)
    original: Original = field(repr=False)
    steps: Steps = field(repr=False)
    sessions: Callable[..., Session] = field(repr=False)
    engine: str = "memory"
    satisfying_nodes: Nodes | None = field(default=None, repr=False)
    subsets: dict[tuple[str, ...], pa.Table] | None = field(default=None, repr=False)

    @cached_property
    def table(self) -> pa.Table:
        """The released rows in memory, as Arrow."""
        return self.released.table()

    @cached_property
    def data(self) -> Any:
        """The released rows, as the kind of frame that went in; Arrow where that was a file or a query."""
        return self.released.native()

    @property
    def levels(self) -> dict[str, int]:
        """The level of each quasi-identifier.

        Raises
        ------
        InputError
            The recoding does not give every column one level.
        """
        if self.recoding.levels is None:
            raise self._lacks("levels, one for each column")
        return dict(self.recoding.levels)

    @property
    def handed_on(self) -> HandedOn:
        """The spec and the recoding as the manifest has them."""
        spec, recoding = self.recoding.for_recipients(self.spec, self.original.coded)
        return HandedOn(spec, recoding.to_manifest())

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The files that it was made of, and those that its spec names."""
        return (*self.source.files, *self.spec.files)

    @property
    def quality(self) -> str:
        """The name of the quality measure."""
        return self.spec.quality.name

    @property
    def gap(self) -> float | None:
        """How much of the score may be too much, as a share of it; None where no bound is known."""
        if self.optimal:
            return 0.0
        return None if self.bound is None else (self.score - self.bound) / (abs(self.score) or 1.0)

    @cached_property
    def alternative(self) -> Alternative | None:
        """Another recoding that would lose much less; None where that is not known, or not so.

        It is looked for where the best choice of levels loses much: see `docs/recodings.md`.
        """
        if self.recoding.levels is None or not self.optimal:
            return None
        return alternative(self.original.problem(self.spec), self.spec, self.recoding.levels, self.score)

    @property
    def classes(self) -> int:
        """Released classes."""
        return sum(self.class_sizes.values())

    @property
    def seconds(self) -> dict[str, float]:
        """What each step took, and `total`."""
        return self.steps.seconds

    def write(
        self,
        path: str | Path | Output,
        *,
        report: bool = False,
        models: bool = True,
        sampling_fraction: float | None = None,
        sign: str | Path | None = None,
        manifest: str | Path | None = None,
        remember_people: bool = False,
    ) -> Path:
        """Write the release with its evidence beside it, once the audit of the written file holds.

        Parameters
        ----------
        path
            Ends in `.csv`, `.csv.gz`, `.parquet` or `.xlsx`. A file that is there already is replaced. Where
            an engine wrote the release it may be a folder of Parquet files, which has no suffix.
        report
            Also write two reports, HTML pages: `.report.html` to hand on with the release, and
            `.internal.html` for the publisher alone, which compares it with the original table. That is read
            again.
        models
            For the internal report, whether machine learning models are trained, which takes the most time.
        sampling_fraction
            For the internal report, the share of the population that is in the original table, if known.
        sign
            A file with the private key that signs the manifest.
        manifest
            Where the manifest goes; if not given, beside the file. That of a table then goes into the current
            folder, by the table's name.
        remember_people
            Keep keyed hashes of unit and identifiers in the publisher's own folder, for `shoal.extend`: it
            then finds out whether these people have new rows. They are never part of the release.

        Returns
        -------
        Path
            That of the file, or of the manifest where the release is a table.
        """
        output = path if isinstance(path, FileOutput | TableOutput) else FileOutput(Path(path))
        if isinstance(output, FileOutput):
            output = output.like(self.dialect, self.spec.input)

        def pages(audit: Audit, evidence: Mapping[str, Any]) -> Pages:
            from shoal.report import internal_html, public_html

            return Pages(
                internal=internal_html(
                    self,
                    name=output.title,
                    audit=audit,
                    sha256=evidence.get("file", {}).get("sha256"),
                    models=models,
                    sampling_fraction=sampling_fraction,
                    listener=self.steps.report,
                ),
                public=public_html(
                    evidence,
                    {choice.column: choice.labels for choice in self.choices()},
                    self.overlapping,
                    self.columns_beside,
                    self.gains(handed_on=True),
                    self.distinguishing,
                ),
            )

        def one_file(files: Sequence[Path]) -> Mapping[str, Any]:
            if not is_file(files, output):  # Spark writes a folder, whatever the suffix
                raise _no_single_file(output)
            return {}

        people = self._people(output) if remember_people else None
        written = publish(
            self,
            self.released.write,
            output,
            sign=sign,
            report=pages if report else None,
            stage=self.steps,
            manifest_at=None if manifest is None else Path(manifest),
            further=None if people is None else one_file,
        )
        if people is not None:
            from shoal.incremental.remembered_people import remember

            remember(written, people)
        return written

    @property
    def spec_of_further_rows(self) -> Spec:
        """The spec by which other rows get the labels of this release.

        Raises
        ------
        InputError
            The recoding does not give every column one level.
        """
        if self.recoding.levels is None:
            raise self._lacks("levels, one for each column")
        return at_levels(self.handed_on.spec, self.handed_on.recoding["levels"], self.spec)

    def apply(
        self,
        new_rows: object,
        *,
        output: str | Path | None = None,
        drop_undeclared: bool = False,
        keep_order: bool = False,
        listener: Listener | None = None,
    ) -> Release:
        """Give further rows, such as a test set, the labels that this release has: a release of their own.

        They must satisfy the models by themselves, since whoever has both knows which rows are whose. Rows
        of classes that do not are suppressed, however many these are. Values that a hierarchy does not cover
        are treated as the spec says. Nobody should have rows in both: see docs/apply.md.

        Parameters
        ----------
        new_rows, drop_undeclared, keep_order, listener
            As for `shoal.anonymize`.
        output
            Where to write the new release, with its evidence; `write` does it later.

        Raises
        ------
        InputError
            The recoding does not give every column one level.

        Examples
        --------
        >>> import shoal
        >>> spec = shoal.Spec(quasi_identifiers={"age": shoal.intervals(10)}, privacy=shoal.KAnonymity(2))
        >>> release = shoal.anonymize(pa.table({"age": [31, 35, 52, 58]}), spec)
        >>> test = release.apply(pa.table({"age": [33, 39, 44]}))
        >>> test.table["age"].to_pylist(), test.suppressed_rows
        (['[30, 40)', '[30, 40)'], 1)
        """
        with self.sessions(
            new_rows,
            self.spec_of_further_rows,
            output=output,
            drop_undeclared=drop_undeclared,
            keep_order=keep_order,
            listener=listener,
        ) as session:
            release = session.release()
            if session.output is not None:
                release.write(session.output)
        return release

    def _people(self, output: Output) -> HashedPeople:
        """Hash the people of the original table, before anything is written."""
        from shoal.incremental.remembered_people import people_of

        if isinstance(output, TableOutput) or output.folder:
            raise _no_single_file(output)
        return people_of(self.source, self.spec)

    def risk(
        self,
        *,
        sampling_fraction: float | None = None,
        threshold: float = 0.2,
        listener: Listener | None = None,
    ) -> RiskComparison:
        """Measure the risk before and after; see `shoal.assess_risk`. The original table is read again.

        Parameters
        ----------
        sampling_fraction
            The share of the population that is in the original table, if known.
        threshold
            The chance above which rows are counted as at risk.
        """
        from shoal.risk import compare_risk

        released, units = self.released.with_people(self.spec)
        return compare_risk(
            self.original.table(self.spec),
            released,
            spec=self.spec,
            units=units,
            sampling_fraction=sampling_fraction,
            threshold=threshold,
            starred_rows=self.suppressed_rows if self.spec.suppressed == "star" else 0,
            levels=self.recoding.levels,
            listener=listener,
        )

    def gains(self, *, handed_on: bool = False) -> dict[str, tuple[Gain, ...]]:
        """Return how much more likely sensitive values are in a class than in the release: `docs/risk.md`.

        Parameters
        ----------
        handed_on
            Only what recipients can compute from the released rows and the manifest: without people that
            the rows do not tell, and without hierarchies that are in files of their own.
        """
        from shoal.risk.gains import released_gains

        if not handed_on:
            rows, people = self.released.with_people(self.spec)
            return released_gains(rows, self.spec, people)
        spec = self.handed_on.spec
        hierarchies = {name: column.hierarchy for name, column in spec.sensitive.items()}
        return {
            name: of_levels[:1] if isinstance(of := hierarchies[name], FromFile) and of.files else of_levels
            for name, of_levels in released_gains(self.table, spec).items()
        }

    def utility(
        self,
        *,
        target: str | Sequence[str] | None = None,
        models: bool = True,
        listener: Listener | None = None,
    ) -> UtilityAssessment:
        """Measure what the release can still be used for; see `shoal.assess_utility`.

        Parameters
        ----------
        target
            The columns that models learn to predict; if not given, the sensitive ones that they can.
        models
            Whether machine learning models are trained, which takes the most time, and scikit-learn.
        """
        from shoal.utility.assess import assess_utility

        errors = None
        if isinstance(self.recoding, AveragingClasses):
            errors = self.recoding.average_errors(self.original.released(self.released.count))
        return assess_utility(
            self.original.table(self.spec),
            self.table,
            self.spec,
            target=target,
            models=models,
            levels=self.recoding.levels,
            average_errors=errors,
            listener=listener,
        )

    def lattice(self) -> LatticePicture:
        """Draw the lattice with the choice in it; of a large one, the lowest nodes that satisfy."""
        from shoal.explore.lattice_drawing import draw_lattice

        return draw_lattice(self.original.problem(self.spec), self._node())

    def neighbours(self) -> tuple[Neighbour, ...]:
        """Look at the choices of levels beside this one, and tell why each of them lost."""
        from shoal.explore.neighbours import neighbours

        return neighbours(self.original.problem(self.spec), self._node())

    def ladders(self) -> tuple[Ladder, ...]:
        """Return where each quasi-identifier stands in its hierarchy, by labels that the release has."""
        original, rungs = self.original, self.recoding.rungs
        if rungs is None:
            raise self._lacks("ladders, with one level to mark on each")
        return ladders(original.coded, [rungs[name] for name in original.coded.names], original.lost)

    def suppression(self) -> dict[str, tuple[LabelLoss, ...]]:
        """Return which labels the suppressed rows had, by column, as far as that gives nobody away."""
        original = self.original
        least = max(model.minimum_size for model in self.spec.privacy)
        cells = self.recoding.cells(original.coded)
        return losses(original.coded, cells, original.lost, max(least, 3))

    @property
    def choice_header(self) -> tuple[str, str, str]:
        """The names of what `choices` has of each column."""
        return "Column", self.recoding.choices(self.original.coded).title, "Labels"

    def choices(self) -> list[Choice]:
        """Return what was chosen for each quasi-identifier."""
        chosen = self.recoding.choices(self.original.released(self.released.count)).of_columns
        return [
            Choice(name, words, _some_labels(self.released.labels(name))) for name, words in chosen.items()
        ]

    def facts(self) -> list[tuple[str, str]]:
        """Return everything else that a reader of the release wants to know, in words."""
        linkable = self.audit.linkable
        facts = [
            *(("Pseudonym", linked.words()) for linked in self.audit.linked),
            *(() if linkable is None else (("Linkable", linkable.words()),)),
            *([("Roles", "proposed by `shoal init`, not yet confirmed")] if self.spec.proposed else []),
            *([("People", how_people_count(self.spec.unit))] if self.spec.proposed else []),
            ("Rows", f"{self.rows:,} in, {self.released.count:,} out"),
            ("Suppressed", self._suppressed()),
            ("Classes", self._classes()),
            ("Score", self._score()),
            *([] if self.alternative is None else [("Recoding", self.alternative.instead_of(self.score))]),
            *((finding.claim, finding.verdict) for finding in self.audit.findings),
            ("NULL", self._null_rule()),
            ("Order", "shuffled" if self.shuffled else "as in the input"),
            ("Time", self._time()),
        ]
        return facts + [("Note", note) for note in self.notes]

    def summary(self) -> str:
        """Return all of this as text.

        Examples
        --------
        >>> import shoal
        >>> spec = shoal.Spec(
        ...     quasi_identifiers={"age": shoal.intervals(10, 20), "sex": "suppress"},
        ...     privacy=[shoal.KAnonymity(2)],
        ... )
        >>> release = shoal.anonymize(pa.table({"age": [31, 35, 52, 58], "sex": list("FFMM")}), spec)
        >>> print(release.summary().partition("Time")[0])
        Column  Level   Labels
        age     1 of 3  [30, 40), [50, 60)
        sex     0 of 1  F, M
        <BLANKLINE>
        Rows                 4 in, 4 out
        Suppressed           0 rows
        Classes              2 of 2 rows
        Score                0.166666666667 loss, proved optimal (0 untouched, 1 fully suppressed)
        k-anonymity 2        holds, smallest class 2
        identifiers removed  holds, 0 of 0
        columns present      holds, 2 of 2
        NULL                 a value of its own
        Order                shuffled
        <BLANKLINE>
        """
        rows = [self.choice_header, *self.choices()]
        return f"{_aligned(rows)}\n\n{_aligned(self.facts())}"

    def __str__(self) -> str:
        return self.summary()

    def to_mapping(self) -> dict[str, Any]:
        """Return the result as plain values, ready for JSON."""
        return {
            **({} if self.recoding.levels is None else {"levels": self.levels}),
            "recoding": self.recoding.to_manifest(),
            "score": self.score,
            "quality": self.quality,
            "explanation": self.explanation.to_mapping(),
            "suppressed_rows": self.suppressed_rows,
            "rows": self.rows,
            "classes": self.classes,
            "satisfying_nodes": None if self.satisfying_nodes is None else len(self.satisfying_nodes),
            "nodes": self.nodes.to_mapping(),
            "seconds": self.seconds,
            "linked": {linked.column: linked.to_mapping() for linked in self.audit.linked},
            "linkable": None if self.audit.linkable is None else self.audit.linkable.to_mapping(),
            "optimal": self.optimal,
            "bound": self.score if self.optimal else self.bound,
            "gap": self.gap,
            "alternative": None if self.alternative is None else asdict(self.alternative),
            "claims": [
                {"claim": finding.claim, "holds": finding.holds, "measured": finding.measured}
                for finding in self.audit.findings
            ],
            "proposed": self.spec.proposed,
            "notes": list(self.notes),
        }

    def _node(self) -> tuple[int, ...]:
        if self.recoding.node is None:
            raise self._lacks("a lattice with neighbours")
        return self.recoding.node

    def _lacks(self, what: str) -> InputError:
        return InputError(
            f"Only some recodings have {what}.\nFound: a recoding of the kind '{self.recoding.kind}'.\n"
            "See `Release.recoding` for what it has, and `Release.choices` for what was chosen."
        )

    @cached_property
    def distinguishing(self) -> list[str]:
        """The quasi-identifiers that are not the same in all rows that were not suppressed."""
        coded = self.original.coded
        return [
            column.name
            for column, cells, lost in zip(
                coded.columns, self.recoding.cells(coded), self.original.lost, strict=True
            )
            if (cells.label_counts(coded) > lost).sum() > 1
        ]

    @cached_property
    def overlapping(self) -> list[str]:
        """The quasi-identifiers whose labels overlap, because they have no common level.

        Averages are no labels: nobody knows which values they stand for.
        """
        if self.recoding.levels is not None:
            return []
        from shoal.utility.overlap import overlapping

        return [
            each.name
            for each in self.original.coded.columns
            if each.name not in self.averages and overlapping(self.released.labels(each.name), each)
        ]

    @cached_property
    def averages(self) -> Mapping[str, Average]:
        """Those of the quasi-identifiers that have averages of classes in place of labels, and which."""
        return averages_in(self.recoding, self.original.coded.names)

    @cached_property
    def columns_beside(self) -> tuple[str, ...]:
        """The other columns on which the class of a row may depend, for most recodings none."""
        if not isinstance(self.recoding, LooksBeside):
            return ()
        from shoal.recode.by_entries import may_depend_on

        return may_depend_on(self.recoding, self.original.coded)

    def _repr_html_(self) -> str:
        from shoal.notebook import release_html

        return release_html(self)

    def _score(self) -> str:
        ends = f" ({self.explanation.between})" if self.explanation.between else ""
        return f"{self.score:.12g} {self.explanation.measure}, {self._proof()}{ends}"

    def _time(self) -> str:
        seconds = self.seconds
        parts = {step: seconds[step] for step in ("search", "report") if step == "search" or seconds[step]}
        listed = ", ".join(f"{step} {taken:.2f} s" for step, taken in parts.items())
        return f"{seconds['total']:.2f} s, of which {listed}"

    def _suppressed(self) -> str:
        if not self.suppressed_rows:
            return "0 rows"
        rows = "row" if self.suppressed_rows == 1 else "rows"
        share = self.suppressed_rows / self.rows
        return f"{self.suppressed_rows:,} {rows} ({share:.2%}), {_FATE[self.spec.suppressed]}"

    def _classes(self) -> str:
        if not self.class_sizes:
            return "none"
        least, most = min(self.class_sizes), max(self.class_sizes)
        sizes = (
            f"{least:,} row{'' if least == 1 else 's'}" if least == most else f"{least:,} to {most:,} rows"
        )
        # Where the claims count people, a class of seven rows may have two of them.
        return f"{self.classes:,} of {sizes}" + (
            "" if self.spec.unit is None else "; the claims count people"
        )

    def _proof(self) -> str:
        blind = " by the quasi-identifiers alone" if self.spec.choose_by == "quasi-identifiers" else ""
        if self.optimal:
            suppressible = self.spec.suppression > 0 and all(m.suppressible for m in self.spec.privacy)
            starred = self.spec.suppressed == "star" and suppressible
            return f"proved optimal{blind}{', smallest classes starred first' if starred else ''}"
        if self.satisfying_nodes is not None:
            return f"chosen among {len(self.satisfying_nodes):,} satisfying nodes"
        if self.bound is None:
            return "heuristic: a better one may exist"
        return (
            f"heuristic: a better one may exist, but none scores below {self.bound:.12g} (gap {self.gap:.1%})"
        )

    def _null_rule(self) -> str:
        nulls = self.spec.nulls
        forbidding = [name for name, meaning in nulls.items() if meaning == "forbid"]
        rule = "a value of its own"
        if forbidding and len(forbidding) == len(nulls):
            rule = "forbidden"
        elif forbidding:
            rule += f"; forbidden in {', '.join(forbidding)}"
        texts = self.spec.input.null_values
        if texts is not None:
            rule += f"; in the input it is {', '.join(map(repr, texts)) or 'no text'}"
        return rule


_FATE = {"remove": "removed", "star": "starred"}


def _no_single_file(output: Output) -> InputError:
    return InputError(
        "Only a release in a single file can be extended.\n"
        f"Found: {output.title!r}, which is not a single file.\n"
        "Leave --remember-people out (in Python remember_people)."
    )


def _some_labels(labels: pa.Array) -> str:
    """Return the first labels in their order, and how many there are."""
    known = labels.drop_null()
    first: tuple[str, ...]
    if pa.types.is_string(known.type):
        first = tuple(nsmallest(_LABELS_SHOWN, known.to_pylist(), key=in_order))
    else:
        first = values_shown(known.take(pc.array_sort_indices(known)[:_LABELS_SHOWN]))
    shown = [*first, *(["NULL"] if labels.null_count else [])]
    return ", ".join(shown) + (f", ... ({len(labels):,} labels)" if len(known) > len(first) else "")


def _aligned(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
