"""What it costs to choose by quasi-identifiers alone: loss of the ordinary and of the blind choice.

The blind choice tells nothing of the sensitive column (docs/minimality.md). For each model the ordinary
search runs with k = 5; the blind one with larger and larger k, until the model holds at its node.

Usage: python benchmarks/minimality.py [--data adult] [--sensitive occupation] [--suppression 0.02]

Real data are found through SHOAL_DATA (default ../shared/datasets); what is not there is generated.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from shoal import AlphaK, KAnonymity, LDiversity, TCloseness
from shoal.data import load_benchmark
from shoal.errors import InfeasibleError
from shoal.measure.loss import Loss
from shoal.privacy.without_sensitive import without_sensitive
from shoal.search.algorithms.box import Box
from shoal.search.blind_choice import require_all
from shoal.search.problem import SearchProblem

BARS = (5, 10, 20, 50, 100, 200, 500, 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", default="adult")
    parser.add_argument("--sensitive", default="occupation")
    parser.add_argument("--suppression", type=float, default=0.02)
    given = parser.parse_args()
    table = load_benchmark(given.data)
    own = next(column for column in table.columns if column.name == given.sensitive)
    others = tuple(column for column in table.columns if column is not own)
    table = replace(table, columns=others, attributes={given.sensitive: own})
    print(f"{given.data}, {table.rows:,} rows, sensitive: {given.sensitive}")
    for model in (
        LDiversity(given.sensitive, 3),
        LDiversity(given.sensitive, 3, kind="entropy"),
        AlphaK(given.sensitive, 0.5, 5),
        TCloseness(given.sensitive, 0.4),
        TCloseness(given.sensitive, 0.3),
    ):
        ordinary = _loss(SearchProblem(table, (KAnonymity(5), model), Loss(), given.suppression))
        found = "no bar of those tried"
        for bar in BARS:
            models = (KAnonymity(bar), model)
            problem = SearchProblem(table, without_sensitive(models), Loss(), given.suppression)
            result = Box().search(problem)
            if result.levels is None:
                break
            try:
                require_all(models, problem.verdict(result.levels))
            except InfeasibleError:
                continue
            found = f"loss {result.score:.4f} at k = {bar}"
            break
        print(f"{model.describe()}: ordinary {ordinary}, blind {found}")


def _loss(problem: SearchProblem) -> str:
    score = Box().search(problem).score
    return "none" if score is None else f"loss {score:.4f}"


if __name__ == "__main__":
    main()
