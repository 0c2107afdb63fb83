"""What a spec must be for its rows to come in batches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from shoal.errors import InputError
from shoal.privacy.condition import ROUNDING
from shoal.privacy.distribution import Distribution
from shoal.privacy.model import PrivacyModel
from shoal.spec.spec import Spec


def require_batches(spec: Spec) -> None:
    """Raise everything that keeps a spec from being applied batch by batch.

    Raises
    ------
    InputError
        With all of it.
    """
    problems = []
    if spec.unit is not None:
        problems.append(
            f"People who come in several batches would be in several classes.\nFound: unit: {spec.unit}.\n"
            "Remove the unit if everybody has one row, or release all rows at once with `shoal anonymize`."
        )
    if spec.pseudonyms:
        problems.append(
            "Tokens would link the rows of a person in several batches, which no batch can see.\n"
            f"Found: role pseudonym of {', '.join(spec.pseudonyms)}.\n"
            "Drop these columns, or release all rows at once with `shoal anonymize`."
        )
    if spec.suppressed == "star":
        problems.append(
            "Suppressed rows of a batch may be too few to hide among each other.\nFound: suppressed: star.\n"
            "Use suppressed: remove."
        )
    if spec.choose_by == "quasi-identifiers":
        problems.append(
            "Which rows of a batch can be released depends on their sensitive values.\n"
            "Found: choose-by: quasi-identifiers.\nLeave it out, or use `shoal anonymize`."
        )
    for model in spec.privacy:
        if model.population is not None:
            problems.append(
                f"{model.describe()} compares with a population.\nWhoever knows when rows came knows that "
                "only "
                "some of these people can be in a batch.\nUse k-anonymity."
            )
        elif not _judges_batches(model):
            problems.append(
                f"{model.describe()} compares with the whole table, of which a stream has only a part.\n"
                "It takes no distribution.\nUse a model that does, such as beta-likeness."
            )
    if least_people(spec) < 2:
        problems.append(
            "Rows that are suppressed must be among others.\nFound: models that let a row be alone.\n"
            "Add k-anonymity with a k of at least 2."
        )
    if problems:
        raise InputError(problems)


def least_people(spec: Spec) -> int:
    """Return the least rows that any class needs."""
    average = min(model.average_risk for model in spec.privacy)
    return max(math.ceil(1 / average - ROUNDING), *(model.minimum_size for model in spec.privacy))


def undeclared(spec: Spec) -> list[str]:
    """Return the columns that models compare with a distribution which the spec does not declare."""
    compared = (model.column for model in spec.privacy if model.column and _compares(model))
    return list(dict.fromkeys(compared))


def declared(spec: Spec) -> dict[str, Distribution]:
    """Return the distributions that a spec declares, by column."""
    return {
        model.column: model.distribution
        for model in spec.privacy
        if model.column and model.distribution is not None
    }


def with_distributions(spec: Spec, known: Mapping[str, Distribution]) -> Spec:
    """Return the spec with these distributions where it declares none."""
    models: list[Any] = list(spec.privacy)
    for number, model in enumerate(models):
        if model.column in known and _compares(model):
            models[number] = replace(model, distribution=known[model.column])
    return replace(spec, privacy=tuple(models))


def _compares(model: PrivacyModel) -> bool:
    return model.reads.original


def _judges_batches(model: PrivacyModel) -> bool:
    """Return whether a model does not compare with the table, or can be given something else."""
    return not _compares(model) or "distribution" in {field.name for field in fields(model)}  # type: ignore[arg-type]
