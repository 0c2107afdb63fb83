"""The words of the report, explained for somebody who meets them for the first time."""

from __future__ import annotations

import re
from collections.abc import Mapping

from markupsafe import Markup

GLOSSARY: Mapping[str, str] = {
    "accuracy": (
        "How often a trained model is right about rows that it has not seen. It says something only beside "
        "what always guessing the most frequent value would reach."
    ),
    "association": (
        "How much one column tells about another. Here it is Cramér's V: 0 where two columns have nothing to"
        " do with each other, 1 where one gives the other away."
    ),
    "attribute disclosure": (
        "Learning something about a person without finding the person's row: if everybody in a class has the "
        "same illness, it does not matter which row is whose."
    ),
    "audit": (
        "A check of the released values alone, by other code than the one that made them: plain SQL, which "
        "is printed in this report, so that anybody can repeat it."
    ),
    "claim": "A sentence about the release that is either true or false and that a query can check.",
    "class": (
        "All rows that are equal in every quasi-identifier. Nobody can tell its rows apart by these columns."
        " It is also called an equivalence class, or a crowd."
    ),
    "count query": (
        "A question such as: how many women between 30 and 50 have asthma? The same question is put to the "
        "original table and to the release, and the answers are compared."
    ),
    "entropy": (
        "How much there is to tell about a column, in bits: 0 if all values are the same, 1 for a fair coin, "
        "log2(n) for n values that are equally frequent."
    ),
    "generalization": (
        "Making a value coarser: 37 becomes [30, 40), and 53715 becomes 537**. It is still true, but says "
        "less."
    ),
    "heuristic": (
        "A search that stops before it has proved that nothing better exists. What it found satisfies all "
        "claims; there may be a release that loses less."
    ),
    "hierarchy": (
        "The ladder on which a column can be made coarser, step by step: level 0 is the value as it was, and"
        " at the highest level all values are the same, usually *."
    ),
    "identifier": "A column that names people by itself, such as a name or a number. It is not released.",
    "insensitive column": (
        "A column that neither singles anybody out nor says anything delicate. It is released as it is."
    ),
    "journalist": (
        "An attacker who wants to show that anybody at all can be found, and does not know who is in the "
        "table. The risk is 1 / (size of the class in the population); where no population is given, it is "
        "taken to be that of the table itself."
    ),
    "k-anonymity": "Every class has at least k rows: whoever is looked for is hidden among k.",
    "label": "What stands in a released cell: the original value, or something coarser that covers it.",
    "lattice": (
        "All ways to choose one level for each quasi-identifier. One step up or down in one column leads "
        "from a choice to its neighbour."
    ),
    "level": "How far up its hierarchy a column was generalized; 0 means not at all.",
    "loss": (
        "How much of a column a label covers, beyond a single value: (values under the label - 1) / (values "
        "of the column - 1). It is 0 for an original value, and 1 for *."
    ),
    "marketer": (
        "An attacker who tries to find as many people as possible, and does not mind being wrong about some."
        " The risk is the share of rows that are found on average: classes / rows, where no population is "
        "given."
    ),
    "minimal sample unique": (
        "A set of columns in which a row is alone, and in no smaller part of which it is. The fewer columns "
        "it takes to single somebody out, the riskier is the row."
    ),
    "NULL": "A cell without a value. It counts as a value of its own here, and is never left out of a count.",
    "optimal": (
        "Proved to be the best: no other choice of levels satisfies all claims and loses less, by the "
        "measure that was asked for."
    ),
    "population": (
        "Everybody who could be in the table, of whom those in it are a part: a town, all patients of a "
        "country."
    ),
    "population unique": (
        "Somebody who is alone in the whole population with these values. Who is alone in the table need not"
        " be. Since the population is rarely known, the number is estimated from a sample by a statistical "
        "model."
    ),
    "posterior": (
        "How sure somebody can be of a sensitive value who knows a person's class: the share of the most "
        "frequent value in it. 100% means that it is given away."
    ),
    "prosecutor": (
        "An attacker who looks for one person, knows that the person is in the table and knows all of the "
        "person's quasi-identifiers. The risk is 1 / (size of the person's class)."
    ),
    "quasi-identifier": (
        "A column that names nobody by itself but does together with others, because somebody else may know "
        "it too: age, postcode, sex, profession."
    ),
    "R2": (
        "How much of the differences between numbers a model explains: 1 - (sum of squared errors) / (sum of"
        " squared distances from the mean). 1 is everything; at 0 or below the mean would have been as good "
        "a guess."
    ),
    "re-identification": "Finding out which row is about a certain person, or which person a row is about.",
    "risk": "The probability that an attacker who guesses as well as possible is right.",
    "sample unique": (
        "A row that is alone in its class: nobody else in the table has the same quasi-identifiers."
    ),
    "score": (
        "What the search made as small as possible: how much the release loses, by the measure that was "
        "asked for."
    ),
    "sensitive column": (
        "A column that says something that a person may want to keep private: an illness, a salary."
    ),
    "suppression": (
        "Leaving out rows that would stand out, or putting * into all of their quasi-identifiers, so that "
        "all others can be released in more detail."
    ),
    "total variation": (
        "How far two distributions are apart: the share of rows that would have to change to turn one into "
        "the other. 0 means that they are equal, 100% that they have nothing in common."
    ),
}
"""Each word with what it means, in plain words, in alphabetical order."""


def anchor(term: str) -> str:
    """Return where a word is explained.

    Examples
    --------
    >>> anchor("count query")
    'term-count-query'
    """
    return f"term-{re.sub('[^a-z0-9]+', '-', term.lower())}"


def link(term: str, words: str = "") -> Markup:
    """Return a link to the explanation of a word.

    Examples
    --------
    >>> link("class", "classes")
    Markup('<a class="term" href="#term-class">classes</a>')
    """
    if term not in GLOSSARY:
        raise ValueError(f"the glossary does not explain {term!r}")
    return Markup('<a class="term" href="#{}">{}</a>').format(anchor(term), words or term)
