"""A strategy chooses a recoding that satisfies, scores what it says, and runs from a table to its release."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
from hypothesis import strategies as st

import shoal
from shoal.describe.hierarchies.suppress import Suppress
from shoal.encode.table import CodedTable
from shoal.errors import InfeasibleError, InputError
from shoal.measure.loss import Loss
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import PrivacyModel
from shoal.release import Release
from shoal.search.frequency_sets import InMemory
from shoal.search.problem import SearchProblem
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability
from shoal.strategies.resolve import engines_for, require_spec
from shoal.strategies.strategy import Chosen, Question, Strategy
from shoal.testing.problems import requirements
from shoal.testing.promises import close, draw_and_check, promise, require, require_equal
from shoal.testing.recodings import check_recoding_of, same_labels
from shoal.testing.tables import described_tables


def check_strategy(strategy: Strategy, *, rows: int = 20, columns: int = 3, examples: int = 40) -> None:
    """Raise AssertionError with the first promise that a strategy breaks.

    It may refuse tables, if it names the columns that it cannot serve. What it chooses satisfies the models
    within the limit, and scores what it says; the choice does not depend on the number of threads. Its
    recodings keep what recodings promise. A release that it makes is written, audited and checked by the
    stand-alone checker.

    Parameters
    ----------
    rows, columns, examples
        How large drawn tables are at most, and how many are drawn.

    Examples
    --------
    >>> from shoal.strategies.full_domain_search import FullDomainSearch
    >>> check_strategy(FullDomainSearch(), examples=5)
    """
    whose = f"The strategy {getattr(strategy, 'name', type(strategy).__name__)!r}"
    with promise(whose, "it has all that a strategy has"):
        require(isinstance(strategy, Strategy), "It lacks name, summary, needs, require, choose or more.")
        require(strategy.summary.endswith(".") and "\n" not in strategy.summary, strategy.summary)
        require(all(isinstance(need, Ability) for need in strategy.needs), "It needs what is no ability.")
        require("memory" in engines_for(strategy), "No engine of Shoal's own can serve it.")

    def check(table: CodedTable, models: tuple[PrivacyModel, ...], share: float, starred: bool) -> None:
        _check_choice(whose, strategy, table, models, share, starred)

    draw_and_check(
        check,
        described_tables(rows, columns),
        st.one_of(st.tuples(st.builds(KAnonymity, st.integers(2, 4))), requirements(max_k=4)),
        st.sampled_from([0.0, 0.0, 0.1, 0.5]),
        st.booleans(),
        examples=examples,
    )
    _check_release(whose, strategy)


def _check_choice(
    whose: str,
    strategy: Strategy,
    table: CodedTable,
    models: tuple[PrivacyModel, ...],
    suppression: float,
    starred: bool,
) -> None:
    free = tuple(replace(column, min_level=0, max_level=column.height) for column in table.columns)
    table = replace(table, columns=free)
    spec = Spec(
        quasi_identifiers=dict.fromkeys(table.names, "suppress"),
        sensitive={name: shoal.Sensitive(hierarchy=Suppress()) for name in table.attributes},
        privacy=models,
        suppression=suppression,
        suppressed="star" if starred else "remove",
    )
    try:
        require_spec(strategy, spec)
    except InputError:  # it says before any work that it cannot serve this
        return

    def make_problem(counted: CodedTable) -> SearchProblem:
        return SearchProblem(counted, models, Loss(), suppression, starred=starred)

    def choose(threads: int) -> Chosen | None:
        try:
            return strategy.choose(Question(spec, InMemory(table), make_problem, 1 << 40, threads=threads))
        except InfeasibleError:
            return None
        except InputError as error:
            # Its columns may be of a kind that it cannot serve; it says which they are.
            require(any(name in str(error) for name in table.names), str(error))
            return None

    with promise(whose, "it chooses a recoding, or raises InfeasibleError"):
        chosen = choose(1)
    with promise(whose, "its choice does not depend on threads, and is the same each time"):
        again = choose(2)
        one, other = (None if found is None else found.recoding for found in (chosen, again))
        require(same_labels(one, other, table), "With two threads it chose another.")
    if chosen is None:
        return
    problem = chosen.problem
    with promise(whose, "what it chooses satisfies the models, within the limit"):
        verdict = problem.verdict_of(chosen.recoding)
        require(problem.satisfied(verdict), f"{verdict.suppressed_rows} of {table.rows} rows suppressed.")
    with promise(whose, "`score` is what the measure gives"):
        score = problem.score(verdict)
        require(close(chosen.score, score), f"Found: {chosen.score}.\nExpected: {score}.")
    with promise(whose, "`bound` is no more than the score"):
        require(chosen.bound is None or chosen.bound <= chosen.score * (1 + 1e-9), f"{chosen.bound}.")
    with promise(whose, "recodings have levels if it `has_levels`"):
        require_equal(chosen.recoding.levels is not None, strategy.has_levels)
    check_recoding_of(chosen.recoding, problem.table)


def _check_release(whose: str, strategy: Strategy) -> None:
    """Make a release of a small table, write it, audit it and run the checker."""
    people = pa.table(
        {
            "age": [31, 31, 31, 38, 38, 38, 52, 52, 59, 59, 77, None],
            "sex": list("FFFMMMFFFFMM"),
            "weight": [61.5, 70, 58, 82.5, 90, 77, 64, 59.5, 71, 66, 88, 93],
            "disease": ["flu", "cold", "gout"] * 4,
        }
    )

    def release_of(second: str) -> Release:
        spec = Spec(
            quasi_identifiers={"age": shoal.intervals(10, 20), second: "suppress"},
            sensitive=["disease"],
            privacy=[KAnonymity(2)],
            suppression=0.2,
        )
        table = people.select(["age", second, "disease"])
        return shoal.anonymize(table, spec, recoding=strategy, engine="memory")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release.csv"
        with promise(whose, "it runs from a table to its release, with reports"):
            try:
                release = release_of("sex")
            except InputError as error:
                # It may serve numbers alone, if it says which columns are none.
                require("sex" in str(error), str(error))
                release = release_of("weight")
            require(release.audit.holds, release.audit.render())
            release.summary()
            release.write(path, report=True)
        with promise(whose, "an audit of the written release fails nowhere"):
            audit = shoal.audit_release(path)
            require(not audit.fails, audit.render())
        with promise(whose, "the stand-alone checker finds nothing wrong"):
            _run_checker(path)


def _run_checker(path: Path) -> None:
    command = [sys.executable, "-I", f"{path}.checker.py", str(path), f"{path}.manifest.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    require(done.returncode == 0, done.stdout + done.stderr)
