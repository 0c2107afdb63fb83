"""Random requirements and measures: what a search is asked."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from shoal import registry
from shoal.encode.table import CodedTable
from shoal.measure.measure import Measure
from shoal.privacy.alpha_k import AlphaK
from shoal.privacy.beta_likeness import BetaLikeness
from shoal.privacy.delta_disclosure import DeltaDisclosure
from shoal.privacy.delta_presence import DeltaPresence
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_map import KMap
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.population import Population
from shoal.privacy.reidentification_risk import Risk
from shoal.privacy.t_closeness import TCloseness


@st.composite
def requirements(
    draw: st.DrawFn, population: Population | None = None, max_k: int = 6
) -> tuple[PrivacyModel, ...]:
    """One to three models of any kind."""
    column = st.sampled_from(["s", "t"])
    kinds: list[st.SearchStrategy[PrivacyModel]] = [
        st.builds(KAnonymity, st.integers(1, max_k)),
        st.builds(AlphaK, column, st.sampled_from([0.3, 0.5, 0.75, 1.0]), st.integers(1, max_k)),
        st.builds(LDiversity, column, st.integers(1, 4)),
        st.builds(LDiversity, column, st.sampled_from([1, 1.5, 2, 3]), st.just("entropy")),
        st.builds(
            LDiversity, column, st.integers(1, 3), st.just("recursive"), st.sampled_from([0.5, 1.0, 2.0, 4.0])
        ),
        st.builds(
            TCloseness,
            column,
            st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 1.0]),
            st.sampled_from(["equal", "ordered", "hierarchical"]),
        ),
        st.builds(
            BetaLikeness, column, st.sampled_from([0.5, 1.0, 2.0]), st.sampled_from(["basic", "enhanced"])
        ),
        st.builds(DeltaDisclosure, column, st.sampled_from([0.5, 1.0, 2.0])),
        st.builds(
            TCloseness,
            st.just("s"),
            st.sampled_from([0.1, 0.25, 0.5]),
            st.sampled_from(["equal", "ordered", "hierarchical"]),
            from_level=st.just(1),
        ),
        st.builds(
            BetaLikeness, st.just("s"), st.sampled_from([0.5, 1.0, 2.0]), from_level=st.sampled_from([0, 1])
        ),
        st.builds(DeltaDisclosure, st.just("s"), st.sampled_from([1.0, 2.0]), from_level=st.just(1)),
        st.builds(Risk, st.sampled_from([None, 0.2, 0.5, 1.0]), st.sampled_from([0.1, 0.2, 0.3, 0.5])),
    ]
    if population is not None:
        kinds += [
            st.builds(KMap, st.integers(1, 8), st.just(population)),
            st.builds(
                DeltaPresence,
                st.just(population),
                st.sampled_from([0.0, 0.0, 0.1, 0.2]),
                st.sampled_from([0.4, 0.6, 0.8, 1.0]),
            ),
        ]
    return tuple(draw(st.lists(st.one_of(kinds), min_size=1, max_size=3)))


def absorbed(
    table: CodedTable, models: tuple[PrivacyModel, ...], suppression: float
) -> tuple[CodedTable, float]:
    """Return a table and a share to suppress where a search can rely on classes that keep passing."""
    if not all(model.absorbing_people for model in models):
        table = replace(table, units=None)
    return table, suppression if all(model.absorbing for model in models) else 0.0


def measure_named(name: str) -> Measure:
    """Return a measure with the settings that it has by itself, of the column `t` if it needs a target."""
    kind = registry.resolve("measures", name)
    measure: Measure = kind.from_spec({"target": "t"} if "target" in kind.parameters else None)
    return measure


def measures_named(name: str) -> st.SearchStrategy[Measure]:
    """Draw the settings of a measure too."""
    kind = registry.resolve("measures", name)
    if "target" in kind.parameters:
        return st.just(measure_named(name))
    return st.sampled_from(kind.examples).map(kind.from_spec)
