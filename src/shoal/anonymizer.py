"""Anonymization as a step of a pipeline of scikit-learn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from shoal.errors import InputError
from shoal.flow import anonymize
from shoal.release import Release
from shoal.spec.spec import Spec, SpecForm

if TYPE_CHECKING:
    from sklearn.utils import Tags

_PARAMETERS = ("spec", "recoding", "keep_undeclared", "drop_undeclared")
_FRAMES = ("default", "pandas", "polars")


class Anonymizer:
    """Anonymizes the table that it is fitted to, and gives other tables the labels of that release.

    A step of a pipeline must give as many rows as it gets, in their order. So suppressed rows are starred
    instead of removed, whatever the spec says, and rows are not shuffled: what comes out is for the next step
    and not for publication. Publish `release_` or what `Release.apply` returns instead.

    It does not need scikit-learn. What is pickled can still transform other tables, but `release_` is left
    out, because it holds the original rows; hierarchies made from these, such as `clusters`, are kept.

    Parameters
    ----------
    spec
        What the columns mean and what the release must satisfy, as for `shoal.anonymize`.
    recoding
        As for `shoal.anonymize`. `transform` needs one with a level for every column.
    keep_undeclared, drop_undeclared
        What to do with columns that the spec does not name; otherwise they are an error.

    Attributes
    ----------
    release_
        The release of the table that it was fitted to.
    feature_names_in_
        The columns of that table.

    Examples
    --------
    >>> import pandas as pd
    >>> import shoal
    >>> spec = shoal.Spec(quasi_identifiers={"age": shoal.intervals(10)}, privacy=shoal.KAnonymity(2))
    >>> anonymizer = shoal.Anonymizer(spec)
    >>> anonymizer.fit_transform(pd.DataFrame({"age": [31, 52, 35, 58]}))["age"].tolist()
    ['[30, 40)', '[50, 60)', '[30, 40)', '[50, 60)']
    >>> anonymizer.transform(pd.DataFrame({"age": [33, 44, 39, 91]}))["age"].tolist()
    ['[30, 40)', '*', '[30, 40)', '*']
    """

    def __init__(
        self,
        spec: SpecForm,
        *,
        recoding: Any = None,
        keep_undeclared: bool = False,
        drop_undeclared: bool = False,
    ) -> None:
        self.spec = spec
        self.recoding = recoding
        self.keep_undeclared = keep_undeclared
        self.drop_undeclared = drop_undeclared
        # Under this name scikit-learn copies it to clones.
        self._sklearn_output_config = {"transform": "default"}

    def fit(self, X: object, y: object = None) -> Self:  # noqa: N803 (as scikit-learn calls it)
        """Find the release of a table.

        Raises
        ------
        InputError, InfeasibleError
            As `shoal.anonymize`.
        """
        self.release_: Release = anonymize(
            X,
            replace(Spec.of(self.spec), suppressed="star"),
            recoding=self.recoding,
            keep_order=True,
            keep_undeclared=self.keep_undeclared,
            drop_undeclared=self.drop_undeclared,
        )
        self.feature_names_in_ = np.array(self.release_.source.columns, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        self._released = tuple(self.release_.table.column_names)
        levels = self.release_.recoding.levels
        self._further = None if levels is None else self.release_.spec_of_further_rows
        return self

    def transform(self, X: object) -> Any:  # noqa: N803
        """Give a table the labels of the release; rows that would break a claim among its own are starred.

        Raises
        ------
        InfeasibleError
            Even all rows together do not satisfy the models, as in a table of one row.
        InputError
            The recoding does not give every column one level.
        """
        self._require_fitted()
        if self._further is None:
            raise InputError(
                "This Anonymizer cannot transform other tables.\n"
                "Found: a recoding by which labels of a column differ from class to class.\n"
                "Fit it with one that gives every column a level, such as full-domain."
            )
        drop = self.drop_undeclared or self.keep_undeclared
        return self._framed(anonymize(X, self._further, keep_order=True, drop_undeclared=drop), X)

    def fit_transform(self, X: object, y: object = None) -> Any:  # noqa: N803
        """Find the release of a table and return its rows."""
        return self._framed(self.fit(X, y).release_, X)

    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> Self:
        """Choose the frames that come out; by default they are of the kind that went in."""
        if transform is not None:
            if transform not in _FRAMES:
                raise InputError(f"Frames are one of {', '.join(_FRAMES)}.\nFound: {transform!r}.")
            self._sklearn_output_config = {"transform": transform}
        return self

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Return the names of the columns that `transform` gives."""
        self._require_fitted()
        return np.array(self._released, dtype=object)

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the parameters, as scikit-learn asks for them."""
        return {name: getattr(self, name) for name in _PARAMETERS}

    def set_params(self, **parameters: object) -> Self:
        """Set parameters, as scikit-learn does."""
        for name, value in parameters.items():
            if name not in _PARAMETERS:
                raise InputError(
                    f"Anonymizer has no parameter {name!r}.\nParameters: {', '.join(_PARAMETERS)}."
                )
            setattr(self, name, value)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_further")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "release_"}

    def __sklearn_tags__(self) -> Tags:
        # Only scikit-learn asks, so that it is there.
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(categorical=True, string=True, allow_nan=True),
        )

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise InputError("This Anonymizer is not fitted yet.\nCall fit with a table first.")

    def _framed(self, release: Release, given: Any) -> Any:
        """Return the rows in the frame that is wanted, with the index of those that were given."""
        frames = self._sklearn_output_config["transform"]
        if frames == "polars":
            import polars

            return polars.from_arrow(release.table)
        # Others put frames of pandas side by side by their index.
        found = release.table.to_pandas() if frames == "pandas" else release.data
        if hasattr(found, "set_axis") and hasattr(given, "set_axis"):  # both are of pandas
            return found.set_axis(given.index)
        return found
