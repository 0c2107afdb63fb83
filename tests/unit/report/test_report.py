"""The report as a page: its form, what it must hold, and what it must not."""

from __future__ import annotations

import hashlib
import json
import random
import re
import sys
from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.errors import OutputError
from shoal.report import internal_html, public_html, write_internal_report
from shoal.report.glossary import GLOSSARY, anchor
from shoal.search.algorithms.best_first import BestFirst

from .page import Page

SECTIONS = (
    "requirements", "done", "risk", "utility", "neighbours", "suppression", "claims", "settings", "glossary",
)  # fmt: skip

HOSTILE = "<script>alert('x')</script>\"&"
HOSTILE_LABEL = "</title></svg><img src=x onerror=alert(1)>"


def census(rows: int = 240) -> tuple[pa.Table, shoal.Spec]:
    draw = random.Random(3)
    people = pa.table(
        {
            "name": [f"person-{row}" for row in range(rows)],
            "age": [draw.randrange(20, 80) for _ in range(rows)],
            "sex": [draw.choice("FM") for _ in range(rows)],
            "zip": [f"537{draw.randrange(20):02}" for _ in range(rows)],
            "disease": [draw.choice(["flu", "cold", "asthma", None]) for _ in range(rows)],
        }
    )
    spec = shoal.Spec(
        identifiers=["name"],
        quasi_identifiers={
            "age": shoal.intervals(5, 10, 20),
            "sex": shoal.suppress(),
            "zip": shoal.prefix(5),
        },
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(4)],
        suppression=0.05,
    )
    return people, spec


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    return shoal.anonymize(*census())


@pytest.fixture(scope="module")
def page(release: shoal.Release) -> Page:
    return Page(internal_html(release))


def hostile() -> shoal.Release:
    draw = random.Random(5)
    people = pa.table(
        {
            HOSTILE: [draw.choice([HOSTILE_LABEL, "y", "z"]) for _ in range(120)],
            "a_very_long_name_" * 12: [draw.choice("ab") * 90 for _ in range(120)],
            "مدينة": [draw.choice(["القاهرة", "ירושלים", "北京"]) for _ in range(120)],
            "\u202eevil\x00name": [draw.choice(["p", "q", None]) for _ in range(120)],
            "ill<i>": [draw.choice(["flu</td>", "cold"]) for _ in range(120)],
        }
    )
    *names, sensitive = people.column_names
    spec = shoal.Spec(
        quasi_identifiers=dict.fromkeys(names, "suppress"),
        sensitive=[sensitive],
        privacy=[shoal.KAnonymity(2), shoal.LDiversity(sensitive, 2)],
        suppression=0.2,
    )
    return shoal.anonymize(people, spec)


def many_columns() -> shoal.Release:
    draw = random.Random(7)
    people = pa.table({f"column_{i:02}": [draw.randrange(4) for _ in range(60)] for i in range(24)})
    spec = shoal.Spec(
        quasi_identifiers=dict.fromkeys(people.column_names, "suppress"),
        privacy=[shoal.KAnonymity(3)],
        suppression=0.1,
    )
    return shoal.anonymize(people, spec, algorithm=BestFirst(checks=200))


def one_column() -> shoal.Release:
    spec = shoal.Spec(quasi_identifiers={"age": shoal.intervals(10)}, privacy=[shoal.KAnonymity(2)])
    return shoal.anonymize(pa.table({"age": [21, 24, 37, 39]}), spec)


def nothing_left(suppressed: str = "remove") -> shoal.Release:
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)},
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(2)],
        suppression=1.0,
        suppressed="star" if suppressed == "star" else "remove",
    )
    return shoal.anonymize(pa.table({"age": [1, 2, 3], "disease": ["flu", "cold", "flu"]}), spec)


def nothing_left_but_stars() -> shoal.Release:
    return nothing_left("star")


def compared_with_others() -> shoal.Release:
    """Models that look at the original table and at a population, and that count people."""
    draw = random.Random(11)
    people = pa.table(
        {
            "age": [draw.randrange(20, 60) for _ in range(200)],
            "sex": [draw.choice("FM") for _ in range(200)],
            "patient": [row // 2 for row in range(200)],
            "salary": [draw.randrange(6) * 1000 for _ in range(200)],
        }
    )
    town = pa.concat_tables([people.select(["age", "sex"])] * 3)
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(5, 10, 20), "sex": shoal.suppress()},
        sensitive=["salary"],
        unit="patient",
        privacy=[
            shoal.KAnonymity(3),
            shoal.TCloseness("salary", 0.4, distance="ordered"),
            shoal.KMap(4, town),
        ],
    )
    return shoal.anonymize(people, spec)


def heuristic() -> shoal.Release:
    return shoal.anonymize(*census(), algorithm="datafly")


ODD_LABEL = "<img src=x onerror=alert(1)>"


def by_classes(recoding: str) -> shoal.Release:
    """Three cities keep their names, of which one is hostile; the others are joined."""
    people = pa.table(
        {
            "<b>city": [ODD_LABEL] * 4 + ["y"] * 4 + ["z", "z", "w", "w"],
            "age": [20, 20, 21, 21, 30, 31, 30, 31, 50, 61, 50, 61],
        }
    )
    spec = shoal.Spec(
        quasi_identifiers={"<b>city": shoal.suppress(), "age": shoal.intervals(10, 20)},
        privacy=[shoal.KAnonymity(4)],
    )
    return shoal.anonymize(people, spec, recoding=recoding)


def by_cells() -> shoal.Release:
    return by_classes("cells")


def by_mondrian() -> shoal.Release:
    return by_classes("mondrian")


ODD = [
    hostile, many_columns, one_column, nothing_left, nothing_left_but_stars, compared_with_others, heuristic,
]  # fmt: skip


@pytest.mark.parametrize("make", ODD)
def test_odd_releases_have_a_sound_page(make: object) -> None:
    assert callable(make)
    sound(Page(internal_html(make(), models=False)))


def test_the_page_is_sound(page: Page) -> None:
    sound(page)


def sound(page: Page, sections: Collection[str] = SECTIONS) -> None:
    """Check the form of a page: it is well-formed, stands alone and can be found one's way in."""
    assert page.problems == []
    assert page.source.startswith("<!DOCTYPE html>")
    (html,) = page.all("html")
    assert html.attributes == {"lang": "en"}
    assert len(page.ids) == len(set(page.ids))
    assert set(sections) <= set(page.ids)
    # Headings in order: none is more than one level below the one before it.
    levels = [int(heading.tag[1]) for heading in page.all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for table in page.all("table"):
        assert table.text.strip()
    assert len(page.all("caption")) == len(page.all("table"))
    assert all(cell.attributes.get("scope") for cell in page.all("th"))
    pictures = page.all("svg")
    titles = [title for title in page.all("title") if title.path[-1] == "svg"]
    assert len(titles) == len(pictures) > 0
    assert all(title.text for title in titles)
    stands_alone(page)


def stands_alone(page: Page) -> None:
    """Check that a page needs nothing else, runs nothing, and that its links lead somewhere in it."""
    assert page.all("script", "img", "link", "iframe", "object", "embed", "form", "base") == []
    for element in page.elements:
        assert not [name for name in element.attributes if name.startswith("on") or name in ("src", "srcset")]
        href = element.attributes.get("href")
        if href is not None:
            assert href.startswith("#") and href[1:] in page.ids, href
    (style,) = page.all("style")
    assert "url(" not in style.text and "@import" not in style.text
    addresses = re.findall(r"[a-z]+://[^\"' ]*", page.source)
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}


def test_names_and_labels_are_escaped() -> None:
    source = internal_html(hostile(), name=f"{HOSTILE}.csv", models=False)
    page = Page(source)
    sound(page)
    assert "<script" not in source and "onerror=alert(1)>" not in source.replace("&gt;", "")
    assert "<img" not in source and "</td>flu" not in source
    # They are there, as text.
    assert HOSTILE in page.text
    assert HOSTILE_LABEL in page.text
    assert "ill<i>" in page.text
    # What no page can hold, and what would turn round the text after it, is replaced.
    assert "\x00" not in source and "\u202e" not in source
    assert "\ufffdevil\ufffdname" in page.text


@pytest.mark.parametrize("make", [by_cells, by_mondrian])
def test_a_recoding_by_classes_shows_how_much_its_labels_cover(make: object) -> None:
    assert callable(make)
    release = make()
    source = internal_html(release, models=False)
    page = Page(source)
    sound(page, [section for section in SECTIONS if section != "neighbours"])
    assert "<img" not in source and "<b>city" not in source
    assert ODD_LABEL in page.text and "Most frequent labels of <b>city" in page.text
    pictures = [each.text for each in page.all("desc") if each.text.startswith("unchanged")]
    assert len(pictures) == 2
    # Every label of these few is listed, with the rows that have it in the release.
    listed = [table.text for table in page.all("table") if "Most frequent labels" in table.text]
    for text, name in zip(listed, ["<b>city", "age"], strict=True):
        counts = release.table.column(name).combine_chunks().value_counts().to_pylist()
        assert sorted(line for line in text.split("\n") if line[-1:].isdigit()) == sorted(
            f"{each['values']}{each['counts']}" for each in counts
        )


def test_the_glossary_explains_the_words_that_are_used(page: Page) -> None:
    explained = {word for word in GLOSSARY if anchor(word) in page.ids}
    assert {anchor(word) for word in explained} == {
        (element.attributes["href"] or "")[1:]
        for element in page.all("a")
        if element.attributes.get("class") == "term"
    }
    assert list(GLOSSARY) == sorted(GLOSSARY, key=str.lower)
    linked = [element for element in page.all("a") if element.attributes.get("class") == "term"]
    assert len({element.attributes["href"] for element in linked}) > 15


def test_what_was_released_is_told(page: Page, release: shoal.Release) -> None:
    text = " ".join(page.text.split())
    assert release.suppressed_rows == 0
    assert f"There are {release.rows} rows in the table, all of them released." in text
    assert "1 other column has its values unchanged. 1 column of the table is not released: name." in text
    assert "All 3 claims hold." in text
    assert "proved optimal" in text
    for finding in release.audit.findings:
        assert finding.claim in text and finding.measured in text
        assert " ".join(finding.sql.split()) in text
    for name in ("name", "age", "sex", "zip", "disease"):
        assert name in {cell.text for cell in page.all("th")}


def test_the_key_figures_are_those_of_the_release(page: Page, release: shoal.Release) -> None:
    cards = {
        line.text.split("  ")[0].strip(): " ".join(line.text.split())
        for line in page.all("li")
        if line.path[-1] == "ul" and any(word in line.text for word in ("Highest risk", "Rows suppressed"))
    }
    told = " ".join(cards.values())
    # By hand: the smallest class gives the highest risk.
    assert f"Highest risk {100 / min(release.class_sizes):.4g}% was 100%" in told
    assert f"Rows suppressed {release.suppressed_rows} 0% of {release.rows}" in told


def test_equal_releases_have_equal_reports(release: shoal.Release) -> None:
    again = shoal.anonymize(*census(), seed=99, threads=1)
    assert internal_html(again, models=False) == internal_html(release, models=False)


def test_no_original_value_is_told(tmp_path: Path) -> None:
    """Neither what was generalized, nor what only suppressed rows had, nor where files were."""
    cities = {f"secret-town-{i}": ["north" if i < 6 else "south", "*"] for i in range(12)}
    lines = [";".join([city, *labels]) for city, labels in cities.items()]
    lines += ["secret-hamlet;only-suppressed;*"]
    folder = tmp_path / "secret-folder"
    folder.mkdir()
    (folder / "towns.csv").write_text("\n".join(lines), encoding="utf-8", newline="\n")
    towns = [*cities] * 4 + ["secret-hamlet"]
    people = pa.table(
        {
            "name": [f"secret-name-{row}" for row in range(len(towns))],
            "town": towns,
            "job": ["secret-cook" if row % 2 else "secret-baker" for row in range(len(towns))],
            "disease": [f"secret-illness-{row % 5}" for row in range(len(towns))],
        }
    )
    spec = shoal.Spec(
        identifiers=["name"],
        quasi_identifiers={
            "town": shoal.hierarchy_file(folder / "towns.csv"),
            "job": shoal.QuasiIdentifier(
                hierarchy=shoal.taxonomy({"staff": ["secret-cook", "secret-baker"]}), min_level=1
            ),
        },
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(5)],
        suppression=0.05,
    )
    release = shoal.anonymize(people, spec)
    assert release.levels == {"town": 1, "job": 1} and release.suppressed_rows == 1
    source = internal_html(release, models=False)
    assert "secret" not in source
    assert "only-suppressed" not in source
    assert "north" in source and "staff" in source


def test_without_scikit_learn(release: shoal.Release, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    page = Page(internal_html(release))
    sound(page)
    assert "it needs scikit-learn, which is not installed here" in " ".join(page.text.split())


def test_learning_can_be_left_out(release: shoal.Release) -> None:
    text = Page(internal_html(release, models=False)).text
    assert "Not measured: machine learning was switched off." in text


def test_models_are_compared(page: Page) -> None:
    (drawn,) = [title for title in page.all("title") if "predict disease" in title.text]
    described = next(each for each in page.all("desc") if "random forest" in each.text)
    assert drawn.text == "accuracy of models that predict disease"
    assert re.search(
        r"random forest: original \d+(\.\d)?%, release \d+(\.\d)?%, no columns \d", described.text
    )


def test_a_hierarchy_made_from_the_table_is_told_as_it_was_asked_for() -> None:
    people, _ = census()
    spec = shoal.Spec(quasi_identifiers={"zip": shoal.priority(5, 2)}, privacy=[shoal.KAnonymity(4)])
    release = shoal.anonymize(people.select(["zip"]), spec)
    assert "Hierarchy priority: keeps the most frequent values of the table" in internal_html(
        release, models=False
    )


def test_uniques_of_the_population(release: shoal.Release) -> None:
    text = Page(internal_html(release, models=False, sampling_fraction=0.1)).text
    assert "unique in a population of 2,400, of which the table holds 10%" in text
    assert "Zayatz" in text


def test_unprotected_columns_are_warned_of(page: Page) -> None:
    (warning,) = [each for each in page.all("p") if each.attributes.get("class") == "warn"]
    assert "No claim covers the sensitive column disease" in warning.text


def test_a_protected_column_is_not_warned_of() -> None:
    people, spec = census()
    asked = shoal.Spec(
        identifiers=["name"],
        quasi_identifiers=spec.quasi_identifiers,
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(4), shoal.LDiversity("disease", 2)],
    )
    page = Page(internal_html(shoal.anonymize(people, asked), models=False))
    assert [each for each in page.all("p") if each.attributes.get("class") == "warn"] == []
    assert "It stops learning a sensitive value because all of a class share it" in page.text


def test_people_are_counted_before_and_after() -> None:
    """The release does not name them; its publisher knows who each row is about."""
    risk = compared_with_others().risk()
    assert (risk.before.unit, risk.after.unit) == ("patient", "patient")
    assert (risk.before.counted, risk.after.counted) == (100, 100)


def test_people_are_counted_also_where_the_release_does_not_have_them() -> None:
    release = compared_with_others()
    assert "patient" not in release.table.column_names
    text = " ".join(Page(internal_html(release, models=False)).text.split())
    assert "People are counted, by patient." in text
    # By hand: the classes of the original rows at the released levels, with their patients.
    assert release.suppressed_rows == 0
    (smallest,) = [each.figure for each in release.audit.findings if each.claim.startswith("k-anonymity")]
    assert f"with a probability of at most {100 / smallest:.3g}%" in text
    assert release.risk().after.class_sizes != release.class_sizes


def test_a_heuristic_says_so() -> None:
    text = " ".join(Page(internal_html(heuristic(), models=False)).text.split())
    assert "a better choice may exist" in text
    assert "proved optimal" not in text


def test_a_failing_claim_is_at_the_top(release: shoal.Release) -> None:
    worse = shoal.audit_release(release.table.slice(0, 50), release.spec)
    assert not worse.holds
    page = Page(internal_html(release, audit=worse, models=False))
    (verdict,) = [each for each in page.all("div") if "verdict" in (each.attributes.get("class") or "")]
    assert verdict.attributes["class"] == "verdict bad"
    assert "1 of 3 claims does not hold." in verdict.text
    (opened,) = [each for each in page.all("details") if "open" in each.attributes]
    assert "The claims, and how to check them" in opened.text


def test_it_is_written_whole(release: shoal.Release, tmp_path: Path) -> None:
    path = write_internal_report(release, tmp_path / "people.csv.internal.html", models=False)
    assert path.read_bytes().decode("utf-8") == internal_html(release, name="people.csv", models=False)
    assert b"\r" not in path.read_bytes()
    assert "shoal audit people.csv" in path.read_text("utf-8")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("kind", ["internal", "report"])
def test_beside_a_release_it_is_about_that_file(release: shoal.Release, tmp_path: Path, kind: str) -> None:
    path = release.write(tmp_path / "people.csv", report=True, models=False)
    text = Page((tmp_path / f"people.csv.{kind}.html").read_text("utf-8")).text
    assert hashlib.sha256(path.read_bytes()).hexdigest() in text
    assert "read_csv('people.csv'" in text
    assert ("machine learning was switched off" in text) == (kind == "internal")
    assert "python people.csv.checker.py people.csv people.csv.manifest.json" in text


def test_reports_on_an_earlier_release_are_removed(release: shoal.Release, tmp_path: Path) -> None:
    path = release.write(tmp_path / "people.csv", report=True, models=False)
    assert {"people.csv.internal.html", "people.csv.report.html"} <= {
        each.name for each in tmp_path.iterdir()
    }
    release.write(path)
    assert not [each.name for each in tmp_path.iterdir() if each.suffix == ".html"]


def test_only_csv_files_have_a_checker(release: shoal.Release) -> None:
    assert "checker.py" not in internal_html(release, name="people.parquet", models=False)


@pytest.mark.parametrize(
    ("where", "checked"),
    [
        ({"file": {"name": "release.csv", "sha256": "0"}}, True),
        ({"folder": "release.csv", "files": [{"name": "part-0.csv", "sha256": "0"}]}, True),
        ({"folder": "release", "files": [{"name": "part-0.parquet", "sha256": "0"}]}, False),
        ({"table": {"name": "release.csv"}}, False),
    ],
)
def test_recipients_are_shown_the_checker_where_there_is_one(
    release: shoal.Release, tmp_path: Path, where: dict[str, object], checked: bool
) -> None:
    path = release.write(tmp_path / "other.csv")
    written = json.loads(Path(f"{path}.manifest.json").read_text(encoding="utf-8"))
    del written["file"]
    text = Page(public_html({**written, **where}, {})).text
    assert ("python release.csv.checker.py release.csv release.csv.manifest.json" in text) == checked
    assert bool(re.search("Files *1", text)) == ("folder" in where)


def test_averages_lose_variance() -> None:
    people, spec = census()
    spec = replace(
        spec, quasi_identifiers={"age": "suppress"}, identifiers=["name", "sex", "zip"], suppression=0.0
    )
    averaged = Page(internal_html(shoal.anonymize(people, spec, recoding="microaggregation"), models=False))
    assert "of their variance on average" in averaged.text
    assert "Loss of age: the squared error of the released numbers as a share of" in averaged.text
    labelled = Page(internal_html(shoal.anonymize(people, spec, recoding="cells"), models=False))
    assert "of their detail on average" in labelled.text
    assert "share of the variance" not in labelled.text


def test_of_a_wide_table_ten_other_columns_are_listed_and_the_rest_is_folded(tmp_path: Path) -> None:
    ills = {f"ill_{number:02}": ["flu", "cold"] * 3 for number in range(12)}
    people = pa.table({"name": list("abcdef"), **ills, "age": [31, 32, 33, 34, 35, 36]})
    spec = shoal.Spec(
        identifiers=["name"],
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive=[*ills],
        privacy=[shoal.KAnonymity(2)],
    )
    path = shoal.anonymize(people, spec).write(tmp_path / "people.csv", report=True, models=False)
    for kind, section in (
        ("internal", "Columns and what is left of them"),
        ("report", "Columns and their l"),
    ):
        page = Page(Path(f"{path}.{kind}.html").read_text("utf-8"))
        (table,) = [each for each in page.all("table") if section in each.text]
        listed = ["age", *[f"ill_{number:02}" for number in range(10)]]
        assert re.findall(r"^(age|name|ill_\d\d)", table.text, re.MULTILINE) == listed
        assert "details" not in table.path
        (folded,) = [each for each in page.all("details") if "3 more columns" in each.text[:20]]
        assert re.findall(r"^(age|name|ill_\d\d)", folded.text, re.MULTILINE) == ["ill_10", "ill_11", "name"]
        assert "open" not in folded.attributes
    (warning,) = [each for each in Page(Path(f"{path}.internal.html").read_text()).all("p")
                  if each.attributes.get("class") == "warn"]  # fmt: skip
    assert warning.text.count("sure in the worst class") == 8 and "and 4 more" in warning.text


def test_a_place_that_is_none_is_refused_before_any_work(release: shoal.Release, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="does not exist"):
        write_internal_report(release, tmp_path / "nowhere" / "report.html")
