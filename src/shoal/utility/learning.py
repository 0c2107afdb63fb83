"""What models learn from the release, tested on originals that they have not seen."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.describe.label_cover import Cover, FloatArray, IntArray
from shoal.utility.features import Features
from shoal.utility.matching_rows import Belonging
from shoal.utility.models import CLASSIFIERS, REGRESSORS, single_thread
from shoal.utility.recoded_column import RecodedColumn

MOST_ROWS = 10_000
TEST_SHARE = 0.3
MOST_CLASSES = 50
FEWEST_NUMBERS = 11
_MOST_CATEGORIES = 50


@dataclass(frozen=True, slots=True)
class Scores:
    """One figure of models trained on the original, on the release, and on a release that tells nothing.

    That of the release is there twice: put to generalized rows, and to `raw` ones.
    """

    original: float
    release: float
    raw: float
    suppressed: float


@dataclass(frozen=True, slots=True)
class Learning:
    """How well one model predicts one column from the quasi-identifiers.

    Whoever has a model of labels generalizes a new row before it is put to the model. So are the test rows
    for the model of the release: their values become the labels that they have there, and stay what they are
    where the release lacks these. What the same model makes of the test rows as they are is there too, as
    `raw`: trees that learned from labels often do poorly between them. What is to be predicted is always the
    original value.

    Attributes
    ----------
    target, model
        What is predicted, and by which model.
    measure
        `accuracy`, the share of test rows predicted right; for numbers `R2`, 1 - (sum of squared errors) /
        (sum of squared distances from the test rows' mean). More is better.
    original, release
        That of the model trained on original rows, and on the same rows as the release has them.
    raw
        That of the latter on test rows that are not generalized.
    suppressed
        That of always predicting the most frequent value, or the mean, of the original training rows: all
        that is left where every quasi-identifier is suppressed.
    errors
        For numbers the mean absolute error of all of these.
    """

    target: str
    model: str
    measure: str
    original: float
    release: float
    raw: float
    suppressed: float
    errors: Scores | None = None

    @property
    def kept(self) -> float | None:
        """The share that the release keeps of the gain over knowing nothing; None where there is no gain."""
        gain = self.original - self.suppressed
        return (self.release - self.suppressed) / gain if gain > 0 else None

    def to_mapping(self) -> dict[str, object]:
        """Return it as plain values, ready for JSON."""
        return {**asdict(self), "kept": self.kept}


@dataclass(frozen=True, slots=True)
class Split:
    """Rows to train on and rows to test on.

    Attributes
    ----------
    train, test
        Row numbers of the original.
    released
        For each training row whether the release has it, and in `starred` whether with `*` alone.
    """

    train: IntArray
    test: IntArray
    released: NDArray[np.bool_]
    starred: NDArray[np.bool_]
    sampled: IntArray | None = None
    """Row numbers of the release to train on instead, where values have several labels."""

    @classmethod
    def of(cls, belonging: Belonging, rows: int, released: int, seed: int, most: int) -> Split:
        """Draw at most so many rows of the original, and hold some of them out."""
        random = np.random.default_rng(seed)
        chosen = random.permutation(rows)[:most]
        held_out = min(max(round(len(chosen) * TEST_SHARE), 1), len(chosen))
        test, train = np.sort(chosen[:held_out]), np.sort(chosen[held_out:])
        if belonging.kept is None:
            count = min(round(len(train) * released / rows), released)
            sampled = np.sort(random.permutation(released)[:count])
            nothing = np.zeros(len(train), dtype=np.bool_)
            return cls(train, test, nothing, nothing, sampled)
        kept = belonging.kept[train]
        starred = ~kept if belonging.starred_rows else np.zeros(len(train), dtype=np.bool_)
        return cls(train, test, kept | starred, starred)


def learn(
    target: RecodedColumn,
    columns: Sequence[RecodedColumn],
    split: Split,
    seed: int,
    models: Sequence[str] | None = None,
    *,
    report: Callable[[str, str], None] | None = None,
) -> tuple[Learning, ...]:
    """Train all models to predict a column from others, on the original and on the release.

    Parameters
    ----------
    target
        Has every value of the original as it is.
    columns
        The quasi-identifiers that it is predicted from.
    split
        Which rows are for training and which for testing.
    models
        Names of those to train; all if not given.
    report
        Called with the target and the model that is trained next.
    """
    numeric = is_numeric(target)
    truth = _truth(target, numeric)
    known = np.isfinite(truth)
    train, test = split.train[known[split.train]], split.test[known[split.test]]
    if not len(train) or not len(test) or (numeric and np.ptp(truth[test]) == 0):
        return ()
    features = [
        Features.of(column.name, column.domain, column.counts, _MOST_CATEGORIES) for column in columns
    ]
    raw = _original_rows(columns, features, test)
    generalized = _original_rows(columns, features, test, generalized=split.sampled is None)
    before = (_original_rows(columns, features, train), truth[train], [raw])
    after = (*_released_rows(target, columns, features, split, truth), [generalized, raw])
    score = _numeric_scores if numeric else _class_scores
    baseline = score(truth[test], np.full(len(test), _blind(truth[train], numeric)))
    found = []
    for name in models or models_of(target):
        if report is not None:
            report(target.name, name)
        original, release, unchanged = (
            score(truth[test], predicted)
            for data in (before, after)
            for predicted in _predicted(name, *data, numeric, seed, truth[train])
        )
        scores, errors = (
            Scores(original[position], release[position], unchanged[position], baseline[position])
            for position in (0, 1)
        )
        measure = "R2" if numeric else "accuracy"
        found.append(
            Learning(target.name, name, measure, **asdict(scores), errors=errors if numeric else None)
        )
    return tuple(found)


def is_numeric(column: RecodedColumn) -> bool:
    """Return whether a column is predicted as a number: it holds more than ten different numbers."""
    return column.domain.numbers is not None and len(column.domain.texts) >= FEWEST_NUMBERS


def models_of(target: RecodedColumn) -> Sequence[str]:
    """Return the names of the models that can predict a column."""
    return tuple(REGRESSORS if is_numeric(target) else CLASSIFIERS)


def unfit(column: RecodedColumn) -> str | None:
    """Return why a column cannot be a target, if it cannot."""
    if column.domain.size < 2:
        return "it has a single value"
    covered = column.cover.counts[column.rows > 0]
    if column.average is not None or ((covered > 1).any() and not _only_starred(column)):
        return "it is generalized in the release"
    if not is_numeric(column) and column.domain.size > MOST_CLASSES:
        return f"it has {column.domain.size:,} values, more than {MOST_CLASSES}, and they are not numbers"
    return None


def _only_starred(column: RecodedColumn) -> bool:
    """Return whether all labels but `*` are values."""
    there = column.rows > 0
    wide = (column.cover.counts > 1) & there
    return bool(column.star >= 0 and wide[column.star] and wide.sum() == 1 < there.sum())


def _truth(target: RecodedColumn, numeric: bool) -> FloatArray:
    """Return what is to be predicted for each row of the original; a number that is NULL is left out."""
    if not numeric:
        return target.before.astype(np.float64)
    assert target.domain.numbers is not None
    found: FloatArray = np.append(target.domain.numbers, np.nan)[target.before]
    return found


def _original_rows(
    columns: Sequence[RecodedColumn],
    features: Sequence[Features],
    rows: IntArray,
    *,
    generalized: bool = False,
) -> FloatArray:
    """Return rows of the original as numbers, as they are or as the release would have them."""
    parts = []
    for column, feature in zip(columns, features, strict=True):
        values = column.before[rows]
        part = _encoded(feature, Cover.identity(column.domain.size), values)
        if generalized:
            labels = _label_of(column)[values]
            known = labels >= 0
            part[known] = _encoded(feature, column.cover, labels[known])
        parts.append(part)
    return np.hstack(parts)


def _released_rows(
    target: RecodedColumn,
    columns: Sequence[RecodedColumn],
    features: Sequence[Features],
    split: Split,
    truth: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the training rows as the release has them, and what they are to predict."""
    if split.sampled is not None:
        rows = split.sampled
        labels = [column.after[rows] for column in columns]
        goals = _released_truth(target, truth)[rows]
    else:
        rows = split.train[split.released]
        starred = split.starred[split.released]
        labels = [
            np.where(starred, column.star, _label_of(column)[column.before[rows]]) for column in columns
        ]
        goals = truth[rows]
        goals = np.where(starred & (target.star >= 0), np.nan, goals)
    known = np.isfinite(goals)
    parts = [
        _encoded(feature, column.cover, label[known])
        for column, feature, label in zip(columns, features, labels, strict=True)
    ]
    return np.hstack(parts), goals[known]


def _released_truth(target: RecodedColumn, truth: FloatArray) -> FloatArray:
    """Return what each row of the release says of the target, NaN where it is suppressed."""
    values = np.full(target.domain.size, np.nan)
    values[target.before] = truth
    single = target.cover.counts == 1
    by_label = np.full(len(target.labels), np.nan)
    own = single[target.cover.owners]
    by_label[target.cover.owners[own]] = values[target.cover.positions[own]]
    found: FloatArray = by_label[target.after]
    return found


def _encoded(feature: Features, cover: Cover, labels: IntArray) -> FloatArray:
    """Return the numbers of each row's label; only labels that occur are looked at."""
    used, positions = np.unique(labels, return_inverse=True)
    found: FloatArray = feature.means(cover.only(used))[positions]
    return found


def _label_of(column: RecodedColumn) -> IntArray:
    assert column.label_of is not None, "such columns have sampled rows"
    return column.label_of


def _blind(goals: FloatArray, numeric: bool) -> float:
    """Return what is predicted where nothing is known: the mean, or the most frequent value."""
    if numeric:
        return float(goals.mean())
    values, counts = np.unique(goals, return_counts=True)
    return float(values[counts.argmax()])


def _class_scores(truth: FloatArray, predicted: FloatArray) -> tuple[float, float]:
    return float((truth == predicted).mean()), 0.0


def _numeric_scores(truth: FloatArray, predicted: FloatArray) -> tuple[float, float]:
    squares = float(((truth - predicted) ** 2).sum())
    spread = float(((truth - truth.mean()) ** 2).sum())
    return 1 - squares / spread, float(np.abs(truth - predicted).mean())


def _predicted(
    name: str,
    rows: FloatArray,
    goals: FloatArray,
    tests: Sequence[FloatArray],
    numeric: bool,
    seed: int,
    originals: FloatArray,
) -> list[FloatArray]:
    """Train a model and let it predict each set of test rows.

    What is the same in all training rows teaches nothing, and is left out. Without rows, without such
    columns or with a single goal there is nothing to learn: then it is the blind guess.
    """
    varied = np.flatnonzero(np.ptp(rows, axis=0) > 0) if len(rows) else np.zeros(0, dtype=np.int64)
    if not len(varied) or len(np.unique(goals)) < 2:
        return [np.full(len(test), _blind(originals, numeric)) for test in tests]
    model = (REGRESSORS if numeric else CLASSIFIERS)[name](seed, len(rows))
    # One thread: matrices are small, and sums in another order would be other figures.
    with single_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it need not converge: all have the same number of steps
        warnings.filterwarnings("error", message="Training interrupted")
        try:
            model.fit(rows[:, varied], goals if numeric else goals.astype(np.int64))
        except UserWarning:
            # A network of scikit-learn takes Ctrl-C for itself, stops training and says so.
            raise KeyboardInterrupt from None
        return [np.asarray(model.predict(test[:, varied]), dtype=np.float64) for test in tests]
