"""The models of scikit-learn that a release is tried on, each with fixed settings.

They are to show what a release keeps, not to win: all are small enough to train in seconds. scikit-learn is
imported when a model is made.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

_FARTHEST = 5.0  # standard deviations


def single_thread() -> AbstractContextManager[Any]:
    """Keep the libraries under scikit-learn from starting threads."""
    from threadpoolctl import threadpool_limits  # scikit-learn brings it

    limits: AbstractContextManager[Any] = threadpool_limits(1)
    return limits


def _scaled(model: Any) -> Any:
    """Standardize what a model is given, but let what is rare not weigh without end."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    bounded = FunctionTransformer(np.clip, kw_args={"a_min": -_FARTHEST, "a_max": _FARTHEST})
    return make_pipeline(StandardScaler(), bounded, model)


def _logistic(seed: int, rows: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return _scaled(LogisticRegression(max_iter=100))


def _linear(seed: int, rows: int) -> Any:
    from sklearn.linear_model import Ridge

    return _scaled(Ridge(alpha=1.0))


def _tree(kind: str) -> Callable[[int, int], Any]:
    def make(seed: int, rows: int) -> Any:
        from sklearn import tree

        return getattr(tree, f"DecisionTree{kind}")(min_samples_leaf=5, random_state=seed)

    return make


def _neighbours(kind: str) -> Callable[[int, int], Any]:
    def make(seed: int, rows: int) -> Any:
        from sklearn import neighbors

        return _scaled(getattr(neighbors, f"KNeighbors{kind}")(min(15, rows)))

    return make


def _forest(kind: str) -> Callable[[int, int], Any]:
    def make(seed: int, rows: int) -> Any:
        from sklearn import ensemble

        return getattr(ensemble, f"RandomForest{kind}")(
            n_estimators=50, min_samples_leaf=3, random_state=seed
        )

    return make


def _network_classifier(seed: int, rows: int) -> Any:
    from sklearn.neural_network import MLPClassifier

    return _scaled(MLPClassifier(hidden_layer_sizes=(32,), max_iter=20, random_state=seed))


def _network_regressor(seed: int, rows: int) -> Any:
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.neural_network import MLPRegressor
    from sklearn.preprocessing import StandardScaler

    network = _scaled(MLPRegressor(hidden_layer_sizes=(32,), max_iter=20, random_state=seed))
    return TransformedTargetRegressor(network, transformer=StandardScaler())


CLASSIFIERS: dict[str, Callable[[int, int], Any]] = {
    "logistic regression": _logistic,
    "decision tree": _tree("Classifier"),
    "nearest neighbours": _neighbours("Classifier"),
    "random forest": _forest("Classifier"),
    "neural network": _network_classifier,
}
"""By name what makes a model for categories, of a seed and the number of training rows."""

REGRESSORS: dict[str, Callable[[int, int], Any]] = {
    "linear regression": _linear,
    "decision tree": _tree("Regressor"),
    "nearest neighbours": _neighbours("Regressor"),
    "random forest": _forest("Regressor"),
    "neural network": _network_regressor,
}
"""The same for numbers."""
