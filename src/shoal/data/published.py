"""Published facts about the benchmark data of the literature: rows, columns, values and hierarchies.

Adult, Cup, FARS, ATUS and IHIS are as Kohlmayer, Prasser et al. use them ("Flash", 2012, Fig. 11), with as
many labels per level as the hierarchies of ARX have; Lands End is as LeFevre et al. describe it ("Incognito",
SIGMOD 2005, Fig. 9). For FARS and Lands End only the heights are known; the labels in between are a guess.
Skews and ties are tuned so that there are about as many distinct tuples as in the data, where that number is
known. The values are made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shoal.data.random_values import Weights, curve, fading, scattered, shares, zipf
from shoal.data.trees import Occurring, Plan, clustered, crowded, digits, everything, groups, numbers, span


@dataclass(frozen=True, slots=True)
class PublishedColumn:
    """How one column is drawn."""

    plan: Plan
    """Its hierarchy."""
    weights: Weights
    """Frequencies of the values, in the order in which they are drawn."""
    tie: float = 0.0
    """Share of rows in which the column has the same rank among its values as the tied column."""
    to: str | None = None
    """The earlier column that it is tied to; by default a trait of the row that many columns share."""
    occurring: Occurring = everything
    """The values that occur."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A published table."""

    title: str
    rows: int
    columns: Mapping[str, PublishedColumn]


SHAPES = {
    # 19,502 distinct tuples.
    "adult": Shape(
        "the Adult data of the UCI repository (US census of 1994)",
        30_162,
        {
            "sex": PublishedColumn(groups(2), shares(67.6)),
            "age": PublishedColumn(
                numbers(1, 100, 5, 10, 20), curve(2, 4, 4, 3, 2, 0.8, 0.2, 0.02), occurring=span(16, 88)
            ),
            "race": PublishedColumn(groups(5), shares(86, 9.3, 3)),
            "marital-status": PublishedColumn(
                groups(7, 2), shares(46.6, 32.3, 14, 3.1, 2.7, 1.2), 0.6, "age"
            ),
            "education": PublishedColumn(groups(16, 5, 3), shares(32.6, 22.1, 16.7, tail=0.9), 0.25, "age"),
            "native-country": PublishedColumn(groups(41, 6), shares(91.2, 2, tail=0.6), 0.5, "race"),
            "workclass": PublishedColumn(
                groups(8, 3), shares(73.9, 8.3, 6.9, 4.2, 3.5, 3.15), 0.2, "age", occurring=span(0, 7)
            ),
            "occupation": PublishedColumn(
                groups(14, 3), shares(13.4, 13.4, 13.2, 12.3, 11.9, 10.6, tail=1.2), 0.5, "education"
            ),
            "salary-class": PublishedColumn(groups(2), shares(75.1), 0.6, "marital-status"),
        },
    ),
    # 63,441 distinct tuples: all.
    "cup": Shape(
        "the KDD Cup 1998 data (donors)",
        63_441,
        {
            "ZIP": PublishedColumn(
                digits(5), scattered(fading(1900)), occurring=clustered(13_294, 4_014, 732, 99, 10)
            ),
            "AGE": PublishedColumn(
                numbers(0, 100, 5, 10, 20),
                curve(0.1, 0.1, 1.5, 4, 5, 5, 5, 5, 4, 2, 0.2),
                0.2,
                occurring=span(3, 97),
            ),
            "GENDER": PublishedColumn(groups(6), shares(54.5, 43.9, 1.17, 0.4, tail=0)),
            "INCOME": PublishedColumn(groups(7, 2), zipf(0.4), 0.2),
            "STATE": PublishedColumn(groups(53), scattered(zipf(1)), 1.0, "ZIP"),
            "RAMNTALL": PublishedColumn(
                numbers(0, 5676, 1000, 2000, 4000), fading(60), 0.6, occurring=crowded(814, 20)
            ),
            "NGIFTALL": PublishedColumn(
                numbers(0, 238, 20, 40, 80), fading(6.5), 0.6, occurring=crowded(81, 20)
            ),
            "MINRAMNT": PublishedColumn(
                numbers(0, 451, 100, 200, 400), fading(4.5), 0.3, occurring=crowded(58, 14)
            ),
        },
    ),
    "fars": Shape(
        "the fatality analysis reporting system (US traffic accidents)",
        100_937,
        {
            "iage": PublishedColumn(numbers(0, 100, 5, 10, 20, 40), curve(1, 2, 4, 3, 3, 2, 2, 1, 1, 0.2)),
            "irace": PublishedColumn(groups(20, 5), shares(60, 28, 5, tail=1.5), 0.8),
            "ideathmon": PublishedColumn(numbers(0, 14, 3, 6), shares(60, tail=0), 0.6),
            "ideathday": PublishedColumn(numbers(0, 33, 7, 14), shares(60, tail=0), 0.6),
            "isex": PublishedColumn(groups(3), shares(67, 32.5)),
            "ihispanic": PublishedColumn(groups(10, 3), shares(60, 30, 5, tail=1), 0.8),
            "istatenum": PublishedColumn(groups(51, 9, 4), zipf(0.7)),
            "iinjury": PublishedColumn(groups(8, 3), shares(30, 17, 12, tail=0.5), 0.7),
        },
    ),
    # 168,926 distinct tuples.
    "atus": Shape(
        "the American Time Use Survey",
        539_253,
        {
            "Region": PublishedColumn(groups(4, 2), zipf(0.3)),
            "Age": PublishedColumn(
                numbers(0, 100, 5, 10, 20, 40, unknown=True), zipf(0), 0.5, occurring=span(15, 86)
            ),
            "Sex": PublishedColumn(groups(3), zipf(0.1), occurring=span(0, 2)),
            "Race": PublishedColumn(groups(23, 5), zipf(3.4)),
            "Marital status": PublishedColumn(groups(7, 4), zipf(1.6), 0.6),
            "Citizenship status": PublishedColumn(groups(6, 3), zipf(3.4), 0.2),
            "Birthplace": PublishedColumn(groups(155, 7), zipf(3.4), 0.2),
            "Highest level of school completed": PublishedColumn(groups(18, 4, 2), zipf(1.65), 0.4),
            "Labor force status": PublishedColumn(groups(6, 3), zipf(2.25), 0.5),
        },
    ),
    # 973,943 distinct tuples.
    "ihis": Shape(
        "the Integrated Health Interview Series, 1997 to 2010",
        1_193_504,
        {
            "YEAR": PublishedColumn(numbers(1900, 112, 5, 10, 20, 40), zipf(0), occurring=span(97, 111)),
            "QUARTER": PublishedColumn(groups(4, 2), zipf(0)),
            "REGION": PublishedColumn(groups(4, 2), zipf(0.2)),
            "PERNUM": PublishedColumn(numbers(1, 25, 2, 4), zipf(1.8)),
            "AGE": PublishedColumn(numbers(0, 100, 5, 10, 20), zipf(0), 0.5, occurring=span(0, 86)),
            "MARSTAT": PublishedColumn(groups(10, 3), zipf(1.6), 0.6),
            "SEX": PublishedColumn(groups(2), zipf(0)),
            "RACEA": PublishedColumn(groups(38), zipf(2.6)),
            "EDUC": PublishedColumn(groups(26), zipf(1.4), 0.4),
        },
    ),
    "lands-end": Shape(
        "the orders of Lands End Corporation",
        4_591_581,
        {
            "Zipcode": PublishedColumn(
                digits(5), scattered(zipf(0.5)), occurring=clustered(31_953, 7_600, 900, 100, 10)
            ),
            "Order date": PublishedColumn(numbers(1, 320, 7, 28), curve(2, 1, 1, 1, 2, 4)),
            "Gender": PublishedColumn(groups(2), shares(68)),
            "Style": PublishedColumn(groups(1509), zipf(0.7), 0.3, "Order date"),
            "Price": PublishedColumn(digits(4), scattered(zipf(0.8)), 0.9, "Style", crowded(346, 4)),
            "Quantity": PublishedColumn(groups(1), zipf(0)),
            "Cost": PublishedColumn(digits(4), scattered(zipf(0.8)), 0.8, "Price", crowded(1412, 4)),
            "Shipment": PublishedColumn(groups(2), shares(90)),
        },
    ),
}
