"""What a notebook shows: well-formed, everything escaped, nothing that runs."""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.notebook import release_html

EVIL = '<img src=x onerror="alert(1)">&'
VOID = {"meta", "br", "img", "hr", "link", "input"}


class Checker(HTMLParser):
    """Notes the tags, and what is not closed or not opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check(html: str) -> None:
    parser = Checker()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    assert not parser.tags & {"script", "img", "link", "iframe", "object"}
    assert not any(name.startswith("on") or name in ("href", "src") for name in parser.attributes)
    assert html.count("<style>") == 1


@pytest.fixture(scope="module")
def release() -> Any:
    table = pa.table(
        {
            EVIL: [21, 25, 32, 38, 41, 49],
            "sex": ["<i>F</i>", "<i>F</i>", "M", "M", "<i>F</i>", "M"],
        }
    )
    spec = shoal.Spec(
        quasi_identifiers={EVIL: shoal.intervals(10, 20), "sex": "suppress"},
        privacy=[shoal.KAnonymity(2)],
        suppression=0.2,
    )
    return shoal.anonymize(table, spec, all_nodes=True)


def test_a_release(release: Any) -> None:
    html = release_html(release)
    check(html)
    assert "&lt;img src=x" in html
    for name, words in release.facts():
        if name not in ("Note", "Time"):
            assert words in html


def test_nodes(release: Any) -> None:
    html = release.satisfying_nodes._repr_html_()
    check(html)
    assert html.count("<tr>") == 1 + min(10, len(release.satisfying_nodes))
    assert f"{release.satisfying_nodes.best.score:.6g}" in html
    check(release.satisfying_nodes.filter(sex=0)._repr_html_())
    none = release.satisfying_nodes.filter(lambda node: False)
    check(none._repr_html_())


def test_many_nodes_say_how_many_follow() -> None:
    table = pa.table({name: list(range(20)) for name in "abc"})
    spec = shoal.Spec(
        quasi_identifiers={name: shoal.intervals(2, 4, 8) for name in "abc"}, privacy=[shoal.KAnonymity(2)]
    )
    nodes = shoal.anonymize(table, spec, all_nodes=True).satisfying_nodes
    assert nodes is not None
    assert f"{len(nodes) - 10:,} more follow." in nodes._repr_html_()


def test_an_audit(release: Any) -> None:
    html = release.audit._repr_html_()
    check(html)
    assert "All claims hold" in html
    assert "k-anonymity 2" in html


def test_risk_and_utility(release: Any) -> None:
    compared = release.risk()
    for found in (compared, compared.before):
        html = found._repr_html_()
        check(html)
        assert all(escape(cell, quote=False).replace("'", "&#39;") in html for *_, cell in found.facts())
    utility = release.utility(models=False)
    html = utility._repr_html_()
    check(html)
    assert utility.summary() in html
    assert all(section.title.replace("'", "&#39;") in html for section in utility.sections())


def test_a_suggestion() -> None:
    table = pa.table({EVIL: [str(i) for i in range(60)], "age": [20 + i % 50 for i in range(60)]})
    html = shoal.suggest(table)._repr_html_()
    check(html)
    assert "&lt;img src=x" in html


def test_a_comparison_and_a_lattice(release: Any) -> None:
    from shoal.explore.lattice_drawing import draw_lattice

    nodes = release.satisfying_nodes
    table = pa.table({EVIL: [21, 25, 32, 38], "sex": list("FFMM")})
    found = shoal.compare(table, {EVIL: release.spec}, ks=[2, 3])
    check(found._repr_html_())
    picture = draw_lattice(nodes._problem, tuple(release.levels.values()))
    check(picture._repr_html_())
    assert "&lt;img src=x" in picture._repr_html_()


def test_signs_that_no_page_can_hold_are_replaced() -> None:
    table = pa.table({"a\x00b": [1, 2, 3, 4]})
    spec = shoal.Spec(quasi_identifiers={"a\x00b": shoal.intervals(2)}, privacy=[shoal.KAnonymity(2)])
    html = release_html(shoal.anonymize(table, spec))
    assert "\x00" not in html
    check(html)
