"""The figures of the distributed Incognito paper, on small tables."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest

from shoal.bench import learned_wages, partition_figures
from shoal.bench.gallery import Gallery
from shoal.bench.learned_wages import Learned, learn_wages
from shoal.bench.partition_figures import PAPERS, plan
from shoal.bench.partition_runs import BUCKETIZERS, PHASES, run_partition
from shoal.data.wage import QUASI_IDENTIFIERS, Wages, draw_wages, load_wages

SMALL = Wages(draw_wages(240), real=False)


def bands(wage):
    """The labels of a wage from level 0 up, without the hierarchy."""
    return [wage, *(wage // width for width in (20, 40, 80, 160)), "*"]


@pytest.fixture(scope="module")
def runs():
    return {name: run_partition(SMALL, name, k=8) for name in BUCKETIZERS}


@pytest.mark.parametrize("name", BUCKETIZERS)
def test_gains_by_hand(runs, name):
    run = runs[name]
    rows = list(zip(run.class_of.tolist(), map(bands, run.wages.tolist()), strict=True))
    assert len(run.gains) == 6
    for level, found in enumerate(run.gains):
        everywhere = Counter(labels[level] for _, labels in rows)
        members = defaultdict(list)
        for number, labels in rows:
            members[number].append(labels[level])
        gain = {
            (number, label): here.count(label) / len(here) / (everywhere[label] / len(rows)) - 1
            for number, here in members.items()
            for label in here
        }
        assert found.labels == len(everywhere)
        assert found.mean == pytest.approx(
            sum(gain[number, labels[level]] for number, labels in rows) / len(rows), abs=1e-12
        )
        assert found.most == pytest.approx(max(gain.values()), abs=1e-12)
    assert (run.gains[5].mean, run.gains[5].most) == (0, 0)


def test_all_bucketizers_make_as_many_classes_of_all_rows(runs):
    # 240 rows are halved four times; 15 rows have no two halves of 8.
    for run in runs.values():
        assert sorted(Counter(run.class_of.tolist()).values()) == [15] * 16
        assert sorted(run.wages) == pytest.approx(sorted(SMALL.table.column("wage").to_pylist()))
        assert tuple(run.seconds) == PHASES
        assert min(run.seconds.values()) >= 0


def test_a_model_that_ignores_the_columns_errs_the_same_whatever_it_learned_from(monkeypatch):
    """Both recodings release all wages of the training rows, so that these have the same mean."""

    class Mean:
        def fit(self, rows, wages):
            assert np.isfinite(rows).all() and len(rows) == len(wages)
            self.mean = sum(wages) / len(wages)
            return self

        def predict(self, rows):
            return np.full(len(rows), self.mean)

    monkeypatch.setattr(learned_wages, "REGRESSORS", {"mean": lambda seed, rows: Mean()})
    found = learn_wages(SMALL.table, folds=2)
    assert list(found.errors) == [("mean", kind) for kind in ("original", "partition", "full-domain")]
    assert list(found.errors.values()) == pytest.approx([found.nothing] * 3)
    # By hand: each row is predicted by the mean of the other fold.
    fold_of = np.random.default_rng(0).permutation(240) % 2
    wages = SMALL.table.column("wage").to_pylist()
    errors = []
    for fold in (0, 1):
        other = [wage for wage, of in zip(wages, fold_of, strict=True) if of != fold]
        errors += [
            abs(sum(other) / len(other) - wage) / wage
            for wage, of in zip(wages, fold_of, strict=True)
            if of == fold
        ]
    assert found.nothing == pytest.approx(sum(errors) / len(errors))
    assert found.classes["partition"] >= 1


@pytest.mark.slow
def test_the_page_has_all_figures_with_what_the_paper_says(tmp_path, monkeypatch):
    pytest.importorskip("altair")
    made_up = Learned(
        errors={
            (model, kind): error
            for model in ("linear regression", "random forest")
            for kind, error in (("original", 0.2), ("partition", 0.25), ("full-domain", 0.3))
        },
        nothing=0.4,
        classes={"partition": 9, "full-domain": 2},
    )
    monkeypatch.setattr(learned_wages, "learn_wages", lambda table: made_up)
    monkeypatch.setattr(partition_figures, "GAINS_K", 8)
    gallery = Gallery(tmp_path / "figures", "Title", "Lead")
    for figure in plan(SMALL, 1000, ["phases", "workers", "gains", "errors"]):
        gallery.add(figure, figure.measure())
    assert not gallery.problems
    names = [f"partition-{name}" for name in ("phases", "workers", "gains", "errors")]
    kinds = [f"{name}.{kind}" for name in names for kind in ("csv", "png", "svg")]
    assert sorted(path.name for path in gallery.folder.iterdir()) == sorted(["index.html", *kinds])
    page = gallery.index.read_text(encoding="utf-8")
    assert page.count("<img src=") == 4
    assert page.count("wage (generated)") == 0  # it is in the pictures
    assert all("wage (generated)" in (gallery.folder / f"{name}.svg").read_text("utf-8") for name in names)
    assert "At every level incognito has the least gain of the three." in page
    assert "Every model errs more after anonymized data than after the original." in page
    with (gallery.folder / "partition-gains.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert {(line["algorithm"], line["level"]) for line in lines} == {
        (name, str(level)) for name in BUCKETIZERS for level in range(5)
    }
    expected = {each.level: each.mean * 100 for each in run_partition(SMALL, "incognito", k=8).gains}
    found = {int(line["level"]): float(line["percent"]) for line in lines if line["algorithm"] == "incognito"}
    assert found == pytest.approx({level: expected[level] for level in range(5)})


def test_different_numbers_of_classes_are_a_problem(monkeypatch):
    def uneven(wages, bucketizer, *, k):
        return run_partition(wages, bucketizer, k=8 if bucketizer == "value" else 16)

    monkeypatch.setattr(partition_figures, "run_partition", uneven)
    (figure,) = plan(SMALL, 1000, ["gains"])
    (problem,) = figure.measure().problems
    assert problem == (
        "The bucketizers must make as many classes.\n"
        "Found: 16 (value), 8 (beta-likeness), 8 (t-closeness), 8 (incognito)."
    )


def test_the_papers_statements_on_gains_are_compared_with_the_numbers():
    def holds(**means):
        named = {name.replace("_", "-"): of_levels for name, of_levels in means.items()}
        return [each.holds for each in partition_figures._of_gains(named)]

    as_printed = {"t_closeness": [9.0, 2.0], "beta_likeness": [6.0, 3.0], "incognito": [3.0, 1.0]}
    assert holds(**as_printed) == [True] * 5
    # Level 1: t-closeness is best, and beta-likeness no longer worst; 40% less than t-closeness on average
    # would need more than 0% there.
    otherwise = {"t_closeness": [9.0, 1.0], "beta_likeness": [6.0, 1.2], "incognito": [3.0, 1.5]}
    assert holds(**otherwise) == [False, True, False, False, False]


def test_the_papers_statements_on_times_are_compared_with_the_numbers(runs):
    def timed(seconds):
        made = [
            replace(runs[name], rows=rows, seconds=dict.fromkeys(PHASES, each / 4))
            for name, of_sizes in seconds.items()
            for rows, each in zip((10_000, 100_000), of_sizes, strict=True)
        ]
        return [each.holds for each in partition_figures._of_phases(made, [10_000, 100_000])]

    assert set(PAPERS) == {"t-closeness", "beta-likeness", "incognito"}
    like_paper = {"t-closeness": (8, 80), "beta-likeness": (3, 30), "incognito": (1.9, 19)}
    # Buckets take a quarter of the time here, so t-closeness takes four times as long for them.
    assert timed(like_paper) == [True, False, True, True]
    grows = {"t-closeness": (1, 10), "beta-likeness": (1, 10), "incognito": (1, 20)}
    assert timed(grows) == [False, True, False, False]


def test_the_papers_statements_on_errors_are_compared_with_the_numbers():
    errors = {("tree", "original"): 0.2, ("tree", "partition"): 0.3, ("tree", "full-domain"): 0.3}
    (statement,) = partition_figures._of_errors(errors, ["tree"])
    assert statement.holds
    (statement,) = partition_figures._of_errors({**errors, ("tree", "partition"): 0.2}, ["tree"])
    assert (statement.holds, statement.found) == (False, "Not so: tree from partition.")


def test_the_real_rows_are_taken_where_they_are(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path))
    drawn = load_wages()
    assert (drawn.description, drawn.table.num_rows) == ("wage (generated)", 3000)
    header = [*QUASI_IDENTIFIERS, "logwage", "wage"]
    row = [2006, 18, "1. Never Married", "1. White", "1. < HS Grad", "1. Industrial", "1. <=Good", "2. No"]
    lines = [header, [*row, 4.3, 75.04]]
    (tmp_path / "wage.csv").write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    real = load_wages()
    assert real.description == "wage (real)"
    assert real.table.column_names == [*QUASI_IDENTIFIERS, "wage"]


def test_drawn_rows_are_like_the_published_ones():
    """The counts of values are in ISLR's description; a tenth of the wages are one man's."""
    table = draw_wages(3000)
    counts = Counter(table.column("education").to_pylist())
    assert counts["2. HS Grad"] == pytest.approx(971, rel=0.1)
    assert counts["5. Advanced Degree"] == pytest.approx(426, rel=0.15)
    wages = table.column("wage").to_pylist()
    assert sum(wages) / 3000 == pytest.approx(111.7, rel=0.03)
    assert 20 <= min(wages) <= max(wages) <= 320
    alone = [wage for wage, count in Counter(wages).items() if count == 1]
    assert 200 < len(alone) < 450
