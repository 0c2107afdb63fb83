"""Pieces of HTML: whatever comes from data is escaped, and what would reverse a sentence is not there."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from shoal.draw.html import framed, heading, page, paragraph, picture, table
from shoal.draw.svg import Canvas

HOSTILE = "<script>alert('1')</script> & \"x\" \u202eabc\u2066\x00\ufffe"
words = st.text(st.sampled_from("<>&\"'/ab\u202e\x00{%}"), max_size=8)


class Texts(HTMLParser):
    """The tags of a page, and the texts within them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@given(words, words, words)
def test_texts_come_out_as_they_went_in(first: str, second: str, third: str) -> None:
    found = Texts(framed(heading(first), paragraph(second), table(("k",), [(third,)], numbers=[0])))
    assert found.tags == ["div", "style", "h3", "p", "div", "table", "thead", "tr", "th", "tbody", "tr", "td"]
    seen = "".join(found.texts)
    for text in (first, second, third):
        assert text.replace("\u202e", "\ufffd").replace("\x00", "\ufffd") in seen


def test_parts_that_are_not_markup_are_escaped() -> None:
    whole = page(HOSTILE, HOSTILE, paragraph(HOSTILE), picture(Canvas(1, 1, HOSTILE)))  # type: ignore[arg-type]
    assert "script" not in Texts(whole).tags
    assert not {"\u202e", "\u2066", "\x00", "\ufffe"} & set(whole)


def test_a_drawing_is_not_escaped() -> None:
    assert "svg" in Texts(framed(picture(Canvas(1, 1, "A dot")))).tags
