"""What the papers report, to stand beside our own runs.

- Incognito: K. LeFevre, D. DeWitt, R. Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", SIGMOD
  2005, section 4.2.1.
- Flash: F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. A. Kuhn, "Flash: Efficient, Stable and Optimal
  K-Anonymity", PASSAT 2012, section VI. A Java program on a desktop computer of 2011, 2 <= k <= 10.
"""

from __future__ import annotations

from collections.abc import Mapping

Range = tuple[float, float]
"""From the least to the most."""

ADULT_ORDER = (
    "age",
    "sex",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
"""The order in which the Incognito paper adds quasi-identifiers, of the Adult data with 45,222 rows."""

NODES_SEARCHED: Mapping[str, Mapping[int, int]] = {
    "bottom-up": {3: 14, 4: 47, 5: 206, 6: 680, 7: 2088, 8: 6366, 9: 12818},
    "incognito": {3: 14, 4: 35, 5: 103, 6: 246, 7: 664, 8: 1778, 9: 4307},
}
"""By the number of quasi-identifiers, Adult, k = 2."""

FLASH_SECONDS: Mapping[tuple[str, float], Range] = {
    ("adult", 0.0): (0.04, 0.05),
    ("adult", 0.02): (0.50, 1.35),
    ("adult", 0.04): (0.74, 1.70),
    ("cup", 0.0): (0.07, 0.08),
    ("cup", 0.02): (0.83, 1.92),
    ("cup", 0.04): (0.94, 2.69),
    ("fars", 0.0): (0.10, 0.17),
    ("fars", 0.02): (2.31, 3.74),
    ("fars", 0.04): (2.75, 3.99),
    ("atus", 0.0): (1.20, 1.80),
    ("atus", 0.02): (33.55, 40.95),
    ("atus", 0.04): (17.11, 38.65),
    ("ihis", 0.0): (2.72, 3.79),
    ("ihis", 0.02): (73.22, 89.04),
    ("ihis", 0.04): (80.51, 88.63),
}
"""Flash, Fig. 14: by data and suppression limit."""

FACTORS_OVER_FLASH: Mapping[tuple[str, float, str], Range] = {
    ("adult", 0.0, "ola"): (2.4, 3.0),
    ("cup", 0.0, "ola"): (1.3, 1.6),
    ("fars", 0.0, "ola"): (2.0, 2.5),
    ("atus", 0.0, "ola"): (3.0, 3.9),
    ("ihis", 0.0, "ola"): (3.8, 4.9),
    ("adult", 0.0, "incognito"): (51.2, 61.3),
    ("cup", 0.0, "incognito"): (14.8, 18.2),
    ("fars", 0.0, "incognito"): (21.8, 25.8),
    ("atus", 0.0, "incognito"): (55.4, 72.2),
    ("ihis", 0.0, "incognito"): (27.0, 32.9),
    ("adult", 0.02, "ola"): (1.7, 2.2),
    ("cup", 0.02, "ola"): (1.5, 2.3),
    ("fars", 0.02, "ola"): (1.5, 2.7),
    ("atus", 0.02, "ola"): (2.1, 2.6),
    ("ihis", 0.02, "ola"): (1.7, 2.6),
    ("adult", 0.02, "incognito"): (10.2, 24.0),
    ("cup", 0.02, "incognito"): (5.1, 8.2),
    ("fars", 0.02, "incognito"): (3.9, 8.2),
    ("atus", 0.02, "incognito"): (4.7, 9.6),
    ("ihis", 0.02, "incognito"): (3.8, 7.9),
    ("adult", 0.04, "ola"): (1.6, 2.0),
    ("cup", 0.04, "ola"): (1.9, 2.6),
    ("fars", 0.04, "ola"): (1.7, 2.9),
    ("atus", 0.04, "ola"): (1.2, 2.8),
    ("ihis", 0.04, "ola"): (1.4, 2.4),
    ("adult", 0.04, "incognito"): (7.1, 17.9),
    ("cup", 0.04, "incognito"): (4.0, 6.7),
    ("fars", 0.04, "incognito"): (2.9, 6.1),
    ("atus", 0.04, "incognito"): (3.5, 7.5),
    ("ihis", 0.04, "incognito"): (2.8, 6.1),
}
"""Flash, Fig. 16: the time of another algorithm over Flash's, by data, suppression limit and algorithm."""

MEMORY_MB: Mapping[tuple[str, str], Range] = {
    ("adult", "flash"): (8, 15),
    ("adult", "ola"): (10, 18),
    ("adult", "incognito"): (8, 13),
    ("cup", "flash"): (39, 55),
    ("cup", "ola"): (44, 79),
    ("cup", "incognito"): (37, 43),
    ("fars", "flash"): (20, 46),
    ("fars", "ola"): (22, 55),
    ("fars", "incognito"): (20, 37),
    ("atus", "flash"): (81, 155),
    ("atus", "ola"): (87, 163),
    ("atus", "incognito"): (80, 146),
    ("ihis", "flash"): (166, 432),
    ("ihis", "ola"): (172, 471),
    ("ihis", "incognito"): (162, 376),
}
"""Flash, Fig. 17: megabytes, by data and algorithm."""
