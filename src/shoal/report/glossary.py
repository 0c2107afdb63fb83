"""The words of the report, explained for somebody who meets them for the first time."""

from __future__ import annotations

import re
from collections.abc import Mapping

from markupsafe import Markup

GLOSSARY: Mapping[str, str] = {
    "accuracy": (
        "How often a trained model is right about rows that it has not seen. Compare it with what always "
        "predicting the most frequent value reaches."
    ),
    "association": (
        "How well one column predicts another. Here it is Cramér's V: 0 where two columns are independent, "
        "1 where one determines the other."
    ),
    "attribute disclosure": (
        "Learning something about a person without finding the person's row: if everybody in a class has "
        "the same illness, it does not matter which row is whose."
    ),
    "audit": (
        "A check in plain SQL, by other code than the code that made the release. The queries are in this "
        "page."
    ),
    "claim": "A statement about the release that is either true or false, and that a query checks.",
    "class": (
        "All rows that are equal in every quasi-identifier, so these columns cannot distinguish them. It is"
        " also called an equivalence class."
    ),
    "count query": (
        "A question such as: how many women between 30 and 50 have asthma? It is answered from the original"
        " table and from the release, and the answers are compared."
    ),
    "dropped column": "A column that the spec leaves out of the release, whatever it holds.",
    "entropy": (
        "How much information a column has, in bits: 0 if all values are the same, 1 for two equally "
        "frequent values, log2(n) for n of them."
    ),
    "gain": (
        "How much more likely a value is in a class: its share there / its share in the whole - 1. At 0 it "
        "is as likely, at 1 twice as likely, at -1 nobody in the class has it."
    ),
    "generalization": (
        "Making a value coarser: 37 becomes [30, 40), that is 30 to under 40, and 53715 becomes 537**."
    ),
    "heuristic": (
        "A search that ends without a proof that nothing better exists. What it found satisfies all models;"
        " another choice of levels may lose less."
    ),
    "hierarchy": (
        "The steps by which a column can be made coarser. Level 0 is the value itself; higher levels are "
        "coarser, usually up to *, which covers everything."
    ),
    "identifier": (
        "A column that the spec declares as identifying, such as a name or a number. It is not released."
    ),
    "insensitive column": (
        "A column that is neither generalized nor covered by any model: the spec says so, or the column is "
        "not in the spec and was kept."
    ),
    "journalist": (
        "An attacker who wants to show that somebody can be found, whoever it is, and does not know who is "
        "in the table. The risk is 1 / (size of the class in the population). Where no population is used, "
        "it is that of the prosecutor."
    ),
    "k-anonymity": "Every class has at least k rows, or k people where people are counted.",
    "label": "The content of a released cell: the original value, or something coarser that covers it.",
    "lattice": (
        "All choices of one level for each quasi-identifier. A step of one level in one column leads from a"
        " choice to its neighbour."
    ),
    "level": "How far up its hierarchy a column was generalized; 0 means not at all.",
    "linkable": (
        "A column whose values single people out, since it is released unchanged and some of its values "
        "occur once. Whoever knows such a value finds the row, whatever class it is in."
    ),
    "loss": (
        "The share of a column's range that a label hides: (values under the label - 1) / (values of the "
        "column - 1). It is 0 for an original value, and 1 for a suppressed cell."
    ),
    "marketer": (
        "An attacker who tries to find as many people as possible, and accepts being wrong about some. The "
        "risk is the share of them that is found on average. Where no population is used, it is the average"
        " risk of the prosecutor."
    ),
    "minimal sample unique": (
        "A set of columns in which a row is unique, while it is not unique in any smaller part of the set."
    ),
    "NULL": "A cell without a value. It counts as a value, and is never dropped from a count.",
    "optimal": (
        "Proved to be the best: no other choice of levels that the spec allows satisfies the models by which "
        "the search chooses and scores better by the chosen measure."
    ),
    "population": (
        "Everybody who could be in the table, of whom the people in it are a part: a town, all patients of "
        "a country."
    ),
    "population unique": (
        "Somebody who is the only one in the whole population with these values. A person who is unique in "
        "the table need not be. The number is estimated from the table by a statistical model."
    ),
    "posterior": (
        "How sure an attacker who knows a person's class can be of a sensitive value: the share of the most"
        " frequent value in the class. At 100% the value is given away."
    ),
    "prosecutor": (
        "An attacker who looks for one person, knows that the person is in the table and knows all of the "
        "person's quasi-identifiers. The risk is 1 / (size of the person's class)."
    ),
    "pseudonym": (
        "A column that has tokens in place of its values, such as the numbers of patients. Whoever has the "
        "key can compute them; for all others they only show which rows belong together."
    ),
    "quasi-identifier": (
        "A column that somebody else may know too, so that it can identify a person, mostly together with "
        "others: age, postcode, sex, profession."
    ),
    "R2": (
        "The share of the variance of a column that a model explains: 1 - (sum of squared errors) / (sum of"
        " squared distances from the mean). At 0 or below the mean would have been as good a prediction."
    ),
    "risk": (
        "The probability that an attacker who guesses as well as possible, and knows nothing but the quasi-"
        "identifiers, is right."
    ),
    "sample unique": "A row that is alone in its class, or a person, where people are counted.",
    "score": "How much the release loses by the chosen measure. The smaller, the better.",
    "sensitive column": (
        "A column with something that a person may want to keep private: an illness, a salary."
    ),
    "suppression": (
        "Removing rows whose class fails a model, or putting * into all of their quasi-identifiers, so that"
        " the others can keep more detail."
    ),
    "total variation": (
        "The distance between two distributions: the share of rows that would have to change to turn one "
        "into the other. At 0 they are equal, at 100% they have nothing in common."
    ),
    "unit": (
        "The column that says who a row is about, such as a patient number. Where the spec names one, "
        "people are counted; otherwise each row is taken for one person."
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
