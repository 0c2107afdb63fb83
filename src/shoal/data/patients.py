"""The six patients with which the literature explains k-anonymity.

K. LeFevre, D. DeWitt, R. Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", SIGMOD 2005:
the table of Figure 1 (spelled as printed) and the hierarchies of Figure 2.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from shoal.data.files import Sample, Taxonomy, write_files
from shoal.errors import InputError

COLUMNS = ("Birthdate", "Sex", "Zipcode", "Disease")

ROWS = (
    ("1/21/76", "Male", "53715", "Flu"),
    ("4/13/86", "Female", "53715", "Hepatitis"),
    ("2/28/76", "Male", "53703", "Brochitis"),
    ("1/21/76", "Male", "53703", "Broken Arm"),
    ("4/13/86", "Female", "53706", "Sprained Ankle"),
    ("2/28/76", "Female", "53706", "Hang Nail"),
)

TAXONOMIES: dict[str, Taxonomy] = {
    "Birthdate": [("1/21/76", "*"), ("2/28/76", "*"), ("4/13/86", "*")],
    "Sex": [("Male", "Person"), ("Female", "Person")],
    "Zipcode": [
        ("53715", "5371*", "537**"),
        ("53710", "5371*", "537**"),
        ("53706", "5370*", "537**"),
        ("53703", "5370*", "537**"),
    ],
}

SPEC = """\
# The six patients of LeFevre, DeWitt and Ramakrishnan (SIGMOD 2005), Figures 1 and 2.
columns:
  Birthdate: {role: quasi-identifier, hierarchy: {file: patients_hierarchy_Birthdate.csv}}
  Sex:       {role: quasi-identifier, hierarchy: {file: patients_hierarchy_Sex.csv}}
  Zipcode:   {role: quasi-identifier, hierarchy: {file: patients_hierarchy_Zipcode.csv}}
  Disease:   {role: sensitive}
privacy:
  - k-anonymity: 2
quality: loss
"""


def write(rows: int | None, seed: int, folder: Path) -> Sample:
    """Write the six rows, which do not depend on the seed."""
    if rows not in (None, len(ROWS)):
        raise InputError(
            f"The sample 'patients' always has {len(ROWS)} rows.\n"
            f"Requested: {rows}.\n"
            "Omit the number, or use the sample 'census', which can have any number."
        )
    table = pa.table(dict(zip(COLUMNS, zip(*ROWS, strict=True), strict=True)))
    return write_files(folder, "patients", header=COLUMNS, tables=[table], taxonomies=TAXONOMIES, spec=SPEC)
