"""Check a released CSV file against its manifest: python checker.py release.csv release.csv.manifest.json

It needs Python 3.8 or later, and nothing else. Everything is counted anew; no figure of the manifest is taken
over. Exit code 0: all that this program can check holds. 1: something does not, or cannot be read.
"""

import gzip
import hashlib
import json
import math
import re
import sys
from collections import Counter


def rows_of(path, delimiter, quote):
    """Yield the rows. NULL, an empty cell without quotes, is None; the empty string has quotes."""
    opened = gzip.open if path.lower().endswith(".gz") else open
    q, d, record = re.escape(quote), re.escape(delimiter), ""
    cell = re.compile(f"(?:^|{d})({q}[^{q}]*(?:{q}{q}[^{q}]*)*{q}|[^{q}{d}]*)")
    for line in opened(path, "rt", encoding="utf-8", newline=""):
        record += line
        if record.count(quote) % 2 == 0:  # otherwise the line ends inside quotes
            cells = cell.findall(record.rstrip("\r\n"))
            if delimiter.join(cells) != record.rstrip("\r\n"):
                break
            yield [c[1:-1].replace(quote * 2, quote) if c[:1] == quote else c or None for c in cells]
            record = ""
    if record:
        raise ValueError("a line is not written as the manifest says")


def people_of(rows, who, at):
    """Return how many people of a class have the same value; where nobody is named, each row is one.

    Who has several values is read as having one of them, the most frequent values first: that is the least
    diverse reading, and what all share leaves nothing for other values.
    """
    pairs = {(n if who is None else row[who], at is None or row[at]) for n, row in enumerate(rows)}
    if any(person is None for person, _ in pairs):
        raise ValueError("a line does not say who it is about")
    left, read = len({person for person, _ in pairs}), []
    for count in sorted(Counter(value for _, value in pairs).values(), reverse=True):
        read += [min(count, left)] if left else []
        left -= min(count, left)
    return read


def measure(model, a, classes):
    """Return a claim, whether it holds, and its figures. Of each class it gets how often values occur."""
    sizes, tiny = [sum(c) for c in classes], 1e-12
    of = "" if model in ("k-anonymity", "risk") else f" of {a['column']}"
    if model == "k-anonymity":
        return f"k-anonymity {a}", min(sizes) >= a, {"smallest class": min(sizes)}
    if model == "risk":
        risk = {"maximal": 1 / min(sizes), "average": len(sizes) / sum(sizes)}
        holds = all(risk[kind] <= a[kind] * (1 + tiny) for kind in a)
        name = ", ".join(f"{kind} risk {a[kind]:g}" for kind in risk if kind in a)
        return name, holds, {"highest": risk["maximal"], "on average": risk["average"]}
    if model == "alpha-k":
        share = max(max(c) / sum(c) for c in classes)
        holds = min(sizes) >= a["k"] and share <= a["alpha"] * (1 + tiny)
        figures = {"smallest class": min(sizes), "largest share": share}
        return f"({a['alpha']:g}, {a['k']})-anonymity{of}", holds, figures
    if a.get("kind", "distinct") == "distinct":
        fewest = min(len(c) for c in classes)
        return f"distinct {a['l']:g}-diversity{of}", fewest >= a["l"], {"fewest values": fewest}
    if a["kind"] == "entropy":
        entropy = min(math.log(sum(c)) - sum(n * math.log(n) for n in c) / sum(c) for c in classes)
        holds, diversity = entropy >= math.log(a["l"]) - tiny, math.exp(entropy)
        return f"entropy {a['l']:g}-diversity{of}", holds, {"smallest diversity": diversity}
    ratio = max(max(c) / (sum(sorted(c, reverse=True)[a["l"] - 1 :]) or 1e-99) for c in classes)
    name = f"recursive ({a['c']:g}, {a['l']:g})-diversity{of}"
    return name, ratio < a["c"] * (1 - tiny), {"largest ratio": ratio}


def check(path, told):
    """Yield what was checked, whether it holds (None where this cannot be checked), and what was found."""
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    yield "SHA-256 as in the manifest", digest == told["file"]["sha256"], digest
    spec, unit, (header, *rows) = told["spec"], told["spec"].get("unit"), rows_of(path, **told["dialect"])
    roles = {unit: "identifier", **{name: column["role"] for name, column in spec["columns"].items()}}
    gone = [name for name in roles if name and roles[name] == "identifier"]
    place = {name: header.index(name) for name in roles if name and name not in gone}
    who = place.get(unit) if roles[unit] != "quasi-identifier" else None
    classes = {}
    for row in rows:
        if len(row) != len(header):
            raise ValueError("a line has more or fewer cells than the header")
        key = tuple(row[place[name]] for name in place if roles[name] == "quasi-identifier")
        classes.setdefault(key, []).append(row)

    counted, stars = told["rows"], ("*",) * list(roles.values()).count("quasi-identifier")
    left_in = counted["suppressed"] if told["suppressed"] == "star" else 0
    fits = len(rows) == counted["out"] == counted["in"] - counted["suppressed"] + left_in
    fits = fits and counted["suppressed"] <= spec["suppression"] * counted["in"] + 1e-6
    yield "rows as in the manifest", fits, f"{len(rows)} in the file"
    if fits and len(classes.get(stars, [])) == left_in:
        classes.pop(stars, None)  # suppressed rows are absent, not a class
    sizes = Counter(str(len(members)) for members in classes.values())
    fits = sizes == told["class_sizes"] and len(classes) == told["classes"]
    yield "class sizes as in the manifest", fits, f"{len(classes)} classes"

    found, full = [], [name for name in place if spec["columns"][name].get("null") == "forbid"]
    for (model, a), *_ in map(dict.items, spec["privacy"]):
        if not classes or model not in ("k-anonymity", "risk", "alpha-k", "l-diversity"):
            why = "it compares with the original table or a population" if classes else "there are no classes"
            found.append((None, None, why, {}))
            continue
        at = place[a["column"]] if model in ("alpha-k", "l-diversity") else None
        name, holds, figures = measure(model, a, [people_of(c, who, at) for c in classes.values()])
        words = ", ".join(
            f"{of} {n if isinstance(n, int) else format(n, '.6g')}" for of, n in figures.items()
        )
        if who is not None:
            words += f", counted by {unit!r}"
        elif unit:  # people are no more than rows: too few rows, or values of them, still fail
            sure = model in ("k-anonymity", "risk") or name.startswith("distinct")
            holds = False if sure and not holds else None
            words = f"it counts people by {unit!r}, and this program rows: {words}"
        found.append((name, holds, words, figures))
    left, nulls = sum(n in header for n in gone), sum(r[place[n]] is None for r in rows for n in full)
    found.append(("identifiers removed", not left, f"{len(gone) - left} of {len(gone)}", {"": left}))
    found.append(("columns present", True, f"{len(place)} of {len(place)}", {"": 0}))
    if full:
        found.append((f"no NULL in {', '.join(full)}", not nulls, str(nulls or "none"), {"": nulls}))
    yield "claims as in the spec", len(told["claims"]) == len(found), f"{len(found)} expected"
    for claim, (name, holds, words, figures) in zip(told["claims"], found):
        said = list(claim["figure"].values()) if isinstance(claim["figure"], dict) else [claim["figure"]]
        same = (claim["claim"], claim["holds"], claim["measured"]) == (name, True, words)
        same = same and len(said) == len(figures) and all(map(math.isclose, said, figures.values()))
        same = same or holds is None
        yield name or claim["claim"], holds and same, words if same else f"{words}; not so in the manifest"


if __name__ == "__main__":
    failed = False
    try:
        with open(sys.argv[2], encoding="utf-8") as file:
            for name, holds, words in check(sys.argv[1], json.load(file)):
                verdict = "CANNOT BE CHECKED here" if holds is None else "holds" if holds else "FAILS"
                print(f"{name}: {verdict}, {words}".encode("ascii", "backslashreplace").decode())
                failed = failed or holds is False
    except Exception as error:
        sys.exit(f"This cannot be checked: {error!r}\n{__doc__}")
    sys.exit(failed)
