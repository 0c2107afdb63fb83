"""Check a released CSV file, or folder, against its manifest: python checker.py RELEASE RELEASE.manifest.json

It needs Python 3.8 or later, and nothing else. Everything is counted anew; no figure of the manifest is taken
over. Exit code 0: all that this program can check holds. 1: something does not, or cannot be read.
"""

import hashlib
import io
import json
import math
import re
import sys
import unicodedata
import zlib
from collections import Counter
from datetime import datetime
from decimal import Decimal
from pathlib import Path

OTHERS = ("t-closeness", "beta-likeness", "delta-disclosure", "k-map", "delta-presence")
KINDS = (
    "full-domain",
    "attribute-suppression",
    "subtree",
    "ordered-set",
    "cell-suppression",
    "starred",
    "mondrian",
    "cells",
    "partition",
    "microaggregation",
)
ROLES = ("sensitive", "insensitive", "pseudonym", "identifier", "drop")  # beside quasi-identifiers
KEYS = """format tool versions file folder files table dialect claims rows classes class_sizes linkable linked
recoding levels suppressed null shuffled extends spec"""
PARTS = {
    "claims": "claim holds measured sql checkable figure",
    "rows": "in suppressed out",
    "tool": "name version",
}
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
FORMULA = re.compile(  # what spreadsheets compute where no apostrophe is before it; numbers are none
    r"(?!'*[+-]?(([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?|[Ii]nf(inity)?|[Nn]a[Nn]|"
    "PT[0-9]+(.[0-9]+)?S)\\Z)'*[=+@\t\r\n\uff1d\uff0b\uff0d\uff20-]"
)
MOMENT = re.compile(r"([0-9-]{10}(?:[ T][0-9:]{5,8})?)(?:\.([0-9]+))?(Z|[+-][0-9]{2}(?::[0-9]{2})?)?")
TINY = 5e-324  # the least number above 0
DECLARED = {"t-closeness": "t", "beta-likeness": "beta", "delta-disclosure": "delta"}  # and what bounds them


def unique(pairs):
    """Refuse a key that is there twice in JSON: programs differ in which of the two they read."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("the manifest has a key twice")
    return dict(pairs)


def shown(letter):
    """Return a character, or an escape for one that a terminal could act on."""
    return letter if " " <= letter <= "~" else letter.encode("unicode_escape").decode()


def folded(name):
    """Return the name of a column without what readers may not tell apart: case, spaces, forms of letters."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name or "").casefold())
    return "".join(c for c in INVISIBLE.sub("", plain) if unicodedata.category(c)[0] not in "CZ")


def files_of(path):
    """Return by name the bytes of a file, or of the files in a folder; hidden ones may be empty."""
    found = {file.name: file.read_bytes() for file in (sorted(path.iterdir()) if path.is_dir() else [path])}
    ends = (".csv", ".csv.gz")
    return {n: found[n] for n in found if found[n] or n[0] not in "._" or n.lower().endswith(ends)}


def text_of(name, content):
    """Return the text of a file, and whether readers that take it otherwise could find more or less in it."""
    odd = False
    if name.lower().endswith(".gz"):  # a name, a comment, further members: nothing that Shoal writes
        member, most = zlib.decompressobj(31), 200 * len(content) + (1 << 28)
        flags, content = content[3], member.decompress(content, most)
        odd = bool(flags or member.unused_data or not member.eof)
    return content.decode("utf-8"), odd or b"\0" in content or content[:3] == b"\xef\xbb\xbf"


def rows_of(text, delimiter, quote):
    """Yield the rows. NULL, an empty cell without quotes, is None; the empty string has quotes."""
    q, d, lines, quotes = re.escape(quote), re.escape(delimiter), [], 0
    special = {quote, delimiter, "#", "\r", "\n"}
    cell = re.compile(f"(?:^|{d})({q}[^{q}]*(?:{q}{q}[^{q}]*)*{q}|[^{q}{d}]*)")
    for line in io.StringIO(text, newline=""):
        lines.append(line)
        quotes += line.count(quote)
        if quotes % 2 == 0:  # otherwise the line ends inside quotes
            record = "".join(lines).rstrip("\r\n")
            cells, own = cell.findall(record), line[len(line.rstrip("\r\n")) :]
            lines = []
            if delimiter.join(cells) != record or own not in ("\n", ""):
                raise ValueError("a line is not written as the manifest says, or ends otherwise")
            if any(c[:1] == quote and c != quote * 2 and special.isdisjoint(c[1:-1]) for c in cells):
                raise ValueError("a cell has quotes that it does not need")
            yield [c[1:-1].replace(quote * 2, quote) if c[:1] == quote else c or None for c in cells]
    if lines:
        raise ValueError("a quoted cell does not end")


def value_of(kind, cell, escaped=False):
    """Return a cell so that equal values of its type are equal, however they are spelled."""
    cell = cell[1:] if escaped and cell and cell[0] == "'" and FORMULA.match(cell) else cell
    kind = next(iter(kind)) if isinstance(kind, dict) else kind
    if cell is None or kind in (None, "text"):
        return cell
    if kind in ("integer", "decimal") and re.fullmatch(r" *[+-]?[0-9]+(\.[0-9]*)? *", cell):
        return Decimal(cell)
    if kind == "float":
        return str(float(cell) + 0.0)
    if kind == "boolean" and cell in ("true", "false"):
        return cell
    moment = MOMENT.fullmatch(cell) if kind in ("date", "timestamp") else None
    if moment is not None:  # Python 3.10 reads few fractions and zones, and none nanoseconds
        whole, fraction, zone = moment.groups("")
        zone = "+00:00" if zone == "Z" else zone + ":00" * (len(zone) == 3)
        return datetime.fromisoformat(whole + zone), fraction.rstrip("0")
    raise ValueError("a value is not of its type")


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
    rest = [sum(sorted(c, reverse=True)[a["l"] - 1 :]) for c in classes]
    ratio = max(max(c) / tail if tail else math.inf for c, tail in zip(classes, rest))
    name = f"recursive ({a['c']:g}, {a['l']:g})-diversity{of}"
    return name, ratio < a["c"] * (1 - tiny), {"largest ratio": ratio}


def is_declared(model, a):
    """Return whether a claim compares values with a distribution that is in the manifest."""
    values = model in DECLARED and "distribution" in a and "from-level" not in a
    return values and (model != "t-closeness" or a["distance"] == "equal")


def column_of(a):
    """Return the column that a claim is about, if any."""
    return a.get("column") if isinstance(a, dict) else None


def compare(model, a, classes, at, kind):
    """Return a claim, whether it holds, and its figure, where classes are compared with a distribution."""
    given = a["distribution"]
    given = list(given.items()) if isinstance(given, dict) else given
    scale, tiny = (1 if all(whole(n) for _, n in given) else 10**15), 1e-12
    p = {value_of(kind, value): max(round(n * scale), 1) for value, n in given}
    everybody, of = sum(p.values()), f" of {a['column']}"
    worst, holds = [], len(p) == len(given) and all(number(n, TINY) for _, n in given)
    for rows in classes.values():
        c, n = Counter(row[at] for row in rows), len(rows)
        if not c.keys() <= p.keys():  # nobody knows what to compare it with
            worst.append(math.inf)
        elif model == "t-closeness":
            worst.append(sum(max(0, c[v] * everybody - p[v] * n) for v in c) / n / everybody)
        elif model == "delta-disclosure":
            logs = [math.log(c[v] / n) - math.log(p[v] / everybody) if c[v] else math.inf for v in p]
            worst.append(max(map(abs, logs)))
        else:
            worst.append(max(c[v] / n / (p[v] / everybody) - 1 for v in c))
            for v in c if a["kind"] == "enhanced" else ():
                most = 1 + min(a["beta"], math.log(everybody / p[v]))
                holds = holds and c[v] <= p[v] / everybody * most * n * (1 + tiny)
    far = max(worst)
    if model == "t-closeness":
        name, most, figure = f"{a['t']:g}-closeness{of}, equal", a["t"] * (1 + tiny), "largest distance"
    elif model == "delta-disclosure":
        name, most, figure = f"{a['delta']:g}-disclosure privacy{of}", a["delta"] - tiny, "largest change"
    else:
        name, most, figure = f"{a['kind']} {a['beta']:g}-likeness{of}", a["beta"], "largest gain"
        most += (1 + most) * tiny
    return f"{name}, distribution declared", holds and far <= most, {figure: far}


def number(n, least, most=sys.float_info.max):
    """Return whether something is a finite number within bounds."""
    return type(n) in (int, float) and least <= n <= most


def whole(n, least=0):
    """Return whether something is a whole number of at least so much."""
    return type(n) is int and n >= least


def is_model(model, a, sensitive):
    """Return whether a claim is one that can be made: what k = 0 claims, every file keeps."""
    if model in ("k-anonymity", "risk"):
        bounds = {"maximal", "average"}
        is_risk = bool(a) and isinstance(a, dict) and a.keys() <= bounds
        return whole(a, 1) if model == "k-anonymity" else is_risk and all(number(a[n], TINY, 1) for n in a)
    if model == "alpha-k":
        fits = a.keys() == {"column", "alpha", "k"} and number(a["alpha"], TINY, 1) and whole(a["k"], 1)
    elif model == "l-diversity":
        kind = a.get("kind", "distinct")
        fits = number(a["l"], 1) if kind == "entropy" else whole(a["l"], 1)
        fits = (
            fits and kind in ("distinct", "entropy", "recursive") and a.keys() <= {"column", "l", "kind", "c"}
        )
        fits = fits and (number(a["c"], TINY) if kind == "recursive" else "c" not in a)
    elif is_declared(model, a):
        name, more = DECLARED[model], {"distance", "kind"} & a.keys()
        least, most = {"t": (0, 1), "beta": (TINY, sys.float_info.max), "delta": (TINY, 700)}[name]
        fits = a.keys() == {"column", "distribution", name} | more and number(a[name], least, most)
        fits = fits and a.get("kind", "basic") in ("basic", "enhanced")
    else:
        return re.fullmatch("[A-Za-z0-9_-]+", model) is not None  # and not checked
    return fits and a["column"] in sensitive


def check_form(told):
    """Refuse a manifest with words and numbers that no release has: others would read it otherwise."""
    spec, rows = told["spec"], told["rows"]
    known = {"input", "columns", "unit", "privacy", "suppression", "suppressed", "choose-by", "proposed"}
    known.add("escape-formulas")
    roles = {name: column["role"] for name, column in spec["columns"].items()}
    crowd, sensitive = ([n for n in roles if roles[n] == role] for role in ("quasi-identifier", "sensitive"))
    nulls = {n: spec["columns"][n].get("null", "value") for n in crowd + sensitive}
    if told["format"] == "shoal-manifest/1":  # it had one kind of recoding
        told["recoding"] = {"kind": "full-domain", "levels": told["levels"]}
    kind, levels = told["recoding"]["kind"], told["recoding"].get("levels")
    limits = [(spec["columns"][n], levels.get(n)) for n in crowd] if kind == "full-domain" else []
    models = [item if len(model) == 1 else (None, 0) for model in spec["privacy"] for item in model.items()]
    wrong = {
        "format": not re.fullmatch("shoal-manifest/[12]", told["format"]) or told["tool"]["name"] != "shoal",
        "dialect": told["dialect"]["quote"] != '"' or told["dialect"]["delimiter"] not in (*",;\t|",),
        "spec": not spec.keys() <= known | {"quality", "engine"},
        "roles": not crowd or not {*roles.values()} <= {"quasi-identifier", *ROLES},
        "null": told["null"] != nulls or not {*nulls.values()} <= {"value", "forbid"},
        "suppressed": told["suppressed"] not in ("remove", "star")
        or told["suppressed"] != spec["suppressed"],
        "suppression": not number(spec["suppression"], 0, 1),
        "rows": not all(whole(rows[n]) for n in ("in", "suppressed", "out")),
        "recoding": not re.fullmatch("[a-z][a-z0-9-]{0,63}", kind),
        "levels": (kind == "full-domain" and {*levels} != {*crowd})
        or not all(whole(n, c.get("min-level", 0)) and n <= c.get("max-level", n) for c, n in limits),
        "privacy": not models or not all(model and is_model(model, a, sensitive) for model, a in models),
    }
    if any(wrong.values()):
        raise ValueError(f"in the manifest: {', '.join(name for name in wrong if wrong[name])}")
    return models


def columns(header, roles, gone):
    """Return what was found of the columns: those that had to go are gone, and all others are declared."""
    spelled = set(map(folded, header))
    left, released = sum(folded(name) in spelled for name in gone), len(roles.keys() - {None, *gone})
    more = sum(name is None or name not in roles for name in header) + len(header) - len(spelled)
    words = f"{released} of {released}" + (f"; {more} undeclared or spelled alike" if more else "")
    yield "identifiers removed", not left, f"{len(gone) - left} of {len(gone)}", {"": left}
    yield "columns present", not more, words, {"": more}


def read(path, told):
    """Yield what was checked of the files, and at last the header and the rows."""
    files = files_of(path)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    if "file" in told:  # the name of a single file does not matter
        same = not path.is_dir() and list(digests.values()) == [told["file"]["sha256"]]
    else:
        same = digests == {file["name"]: file["sha256"] for file in told["files"]}
    yield "SHA-256 as in the manifest", same, ", ".join(digests.values())
    texts = [text_of(name, content) for name, content in files.items()]
    odd = sum(strange for _, strange in texts)  # and those that a program may leave out, for their names
    end = ".csv.gz" if all(n.endswith(".gz") for n in files) else ".csv"
    odd += path.is_dir() and sum(n[0] in "._" or not n.endswith(end) for n in files)
    yield "nothing hidden in the file", not odd, f"{odd} with more than text" if odd else "nothing"
    (header, *rows), *others = (list(rows_of(text, **told["dialect"])) for text, _ in texts)
    for first, *more in others:
        if first != header:
            raise ValueError("the files in the folder have different headers")
        rows += more
    return header, rows


def unique_rows(rows, place, roles, said):
    """Return whether columns that are released unchanged single out as many rows as a manifest says."""
    others = [name for name in place if roles[name] in ("sensitive", "insensitive")]
    crowd = [name for name in place if roles[name] == "quasi-identifier"]

    def fits(percents, names, null=False):
        found = Counter(tuple(row[place[name]] for name in names) for row in rows)
        alone = sum(n == 1 and (null or any(c is not None for c in cells)) for cells, n in found.items())
        return number(percents, 0, 100) and abs(100 * alone / len(rows) - percents) <= 1

    each = said["columns"].keys() == {*others} and all(fits(said["columns"][n], [n]) for n in others)
    return (
        each and fits(said["together"], others) and fits(said["with_quasi_identifiers"], crowd + others, True)
    )


def singled_out(rows, place, roles, told, models):
    """Yield whether as many rows and people can be told apart as a manifest says."""
    if told.get("linkable") and rows:
        fits = unique_rows(rows, place, roles, told["linkable"])
        yield "unique rows as in the manifest", fits, "by columns that are released unchanged"
    if "linked" in told or "pseudonym" in roles.values():
        k = max([2, *(a for m, a in models if m == "k-anonymity")])
        fits = linked_rows(rows, place, roles, told.get("linked", {}), k)
        yield "linked rows as in the manifest", fits, "by pseudonyms, which show whose rows are together"


def linked_rows(rows, place, roles, said, k):
    """Return whether tokens are together in as few classes like those of others as a manifest says."""
    crowd = [place[name] for name in place if roles[name] == "quasi-identifier"]
    found = {}
    for name in (name for name in place if roles[name] == "pseudonym"):
        classes = {}
        for row in rows:
            if row[place[name]] is not None:
                classes.setdefault(row[place[name]], Counter())[tuple(row[at] for at in crowd)] += 1
        alike = Counter(frozenset(counts.items()) for counts in classes.values())
        least = said.get(name, {}).get("k", k)
        few = sum(n for n in alike.values() if n < least)
        found[name] = {"k": least, "people": len(classes), "few": few}
    return found == said and all(whole(each["k"], k) for each in said.values())


def privacy(model, a, classes, who, at, unit, typed):
    """Return a claim, whether it holds, what was found in words, and figures, which are None if unknown."""
    declared = is_declared(model, a) and not unit
    if not classes or not (declared or model in ("k-anonymity", "risk", "alpha-k", "l-diversity")):
        said = a.items() if isinstance(a, dict) else [("", a)]
        words = ", ".join(f"{n} {v}".strip() for n, v in said if not isinstance(v, (dict, list)))
        known = "it compares with the original table, a population or labels of a hierarchy"
        why = known if model in OTHERS else "this program does not know it"
        return f"{model} ({words})", None, why if classes else "there are no classes", None
    if declared:
        name, holds, figures = compare(model, a, classes, at, typed[at])
    else:
        read = [people_of(c, who, at) for c in classes.values()]
        name, holds, figures = measure(model, a, read)
    words = ", ".join(f"{of} {n if isinstance(n, int) else format(n, '.6g')}" for of, n in figures.items())
    if who is not None:
        words += f", counted by {unit!r}"
    elif unit:  # people are no more than rows: too few rows, or values of them, still fail
        needed = {"alpha-k": lambda: 1 / a["alpha"], "l-diversity": lambda: a["l"]}.get(model, int)()
        too_few = min(map(len, read)) < needed * (1 - 1e-9)
        too_few = too_few or (model == "alpha-k" and min(map(sum, read)) < a["k"])
        holds = False if too_few or (not needed and not holds) else None
        words = f"it counts people by {unit!r}, and this program rows: {words}"
    return name, holds, words, figures


def recoding(kind, columns):
    """Yield what can be said of a recoding whose labels have no common levels."""
    if kind not in KINDS:
        yield "recoding that the spec allows", None, "this program does not know its kind"
    elif kind != "full-domain" and any({"min-level", "max-level"} & column.keys() for column in columns):
        yield "levels that the spec allows", None, f"{kind}, whose labels do not show the limits"


def keys(told):
    """Yield what can be said of keys that are not known here: some programs take `Spec` for `spec`."""
    parts = [(part, PARTS[n]) for n in PARTS for part in (told[n] if n == "claims" else [told[n]])]
    known = [(key, words.split()) for part, words in [(told, KEYS), *parts] for key in part]
    strange = sorted((key.casefold() not in words, key) for key, words in known if key not in words)
    if strange:  # those like known ones come first
        yield "keys of the manifest", None if strange[0][0] else False, ", ".join(key for _, key in strange)


def check(path, told):
    """Yield what was checked, whether it holds (None where this cannot be checked), and what was found."""
    models = check_form(told)
    header, rows = yield from read(path, told)
    spec, unit = told["spec"], told["spec"].get("unit")
    roles = {unit: "identifier", **{n: c["role"] for n, c in spec["columns"].items() if c["role"] != "drop"}}
    gone = {name for name in roles if name and roles[name] == "identifier"}
    place = {name: header.index(name) for name in roles if name and name not in gone}
    crowd = [place[name] for name in place if roles[name] == "quasi-identifier"]
    who = place.get(unit) if roles[unit] != "quasi-identifier" else None
    judged = [a["column"] for m, a in models if m in ("alpha-k", "l-diversity") or is_declared(m, a)]
    typed = {at: spec["columns"][header[at]].get("type") for at in {*map(place.get, judged), who} - {None}}
    live = sum(c[0] != "'" for row in [header, *rows] for c in row if c and FORMULA.match(c))
    classes = {}
    for row in rows:
        if len(row) != len(header):
            raise ValueError("a line has more or fewer cells than the header")
        for at, kind in typed.items():
            row[at] = value_of(kind, row[at], spec.get("escape-formulas"))
        classes.setdefault(tuple(row[at] for at in crowd), []).append(row)

    counted = told["rows"]
    left_in = counted["suppressed"] if told["suppressed"] == "star" else 0
    fits = len(rows) == counted["out"] == counted["in"] - counted["suppressed"] + left_in
    fits = fits and counted["suppressed"] <= spec["suppression"] * counted["in"] + 1e-6
    fits = fits and left_in <= len(classes.get(("*",) * len(crowd), []))  # a class like any other
    yield "rows as in the manifest", fits, f"{len(rows)} in the file"
    sizes = Counter(str(len(members)) for members in classes.values())
    fits = sizes == told["class_sizes"] and len(classes) == told["classes"]
    yield "class sizes as in the manifest", fits, f"{len(classes)} classes"

    if spec.get("escape-formulas"):
        yield "cells like formulas escaped", not live, f"{live or 'all'}{' are not' if live else ''}"
    elif any(c and FORMULA.match(c) for labels in classes for c in labels):
        yield "labels like formulas", None, "a spreadsheet may show another label in each row"

    yield from singled_out(rows, place, roles, told, models)
    found = [privacy(m, a, classes, who, place.get(column_of(a)), unit, typed) for m, a in models]
    found += columns(header, roles, gone)
    if full := [name for name in place if spec["columns"][name].get("null") == "forbid"]:
        nulls = sum(row[place[name]] is None for row in rows for name in full)
        found.append((f"no NULL in {', '.join(full)}", not nulls, str(nulls or "none"), {"": nulls}))
    yield "claims as in the spec", len(told["claims"]) == len(found), f"{len(found)} expected"
    for claim, (name, holds, words, figures) in zip(told["claims"], found):
        said = list(claim["figure"].values()) if isinstance(claim["figure"], dict) else [claim["figure"]]
        same = claim["holds"] is True and (figures is None or claim["claim"] == name)
        if holds is not None:
            same = same and (claim["measured"], claim.get("checkable", True)) == (words, True)
            same = same and len(said) == len(figures) and all(map(math.isclose, said, figures.values()))
        yield name, holds if same else False, words if same else f"{words}; not so in the manifest"
    yield from recoding(told["recoding"]["kind"], spec["columns"].values())
    yield from keys(told)
    if "extends" in told:
        yield "what it adds to an earlier release", None, "this program reads one release"


if __name__ == "__main__":
    failed = False
    try:
        with open(sys.argv[2], encoding="utf-8") as file:
            for name, holds, words in check(Path(sys.argv[1]), json.load(file, object_pairs_hook=unique)):
                verdict = "NOT CHECKABLE by a recipient" if holds is None else "holds" if holds else "FAILS"
                print("".join(map(shown, f"{name}: {verdict}, {words}")))
                failed = failed or holds is False
    except Exception as error:
        sys.exit(f"This cannot be checked: {error!r}\n{__doc__}")
    sys.exit(failed)
