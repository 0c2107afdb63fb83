"""The searches of the Incognito family, which look at sets of columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from drawing.hasse import (
    ANSWER,
    EDGE,
    FAILS,
    GREY,
    INK,
    NOT_A_CANDIDATE,
    ORDER,
    PALE,
    PANEL,
    PLAIN,
    RED,
    SATISFIES,
    TAGGED_SATISFYING,
    Canvas,
    Hasse,
    Node,
    Point,
    mix,
)
from drawing.runs import (
    COLUMNS,
    LETTERS,
    RECORDING,
    TOPS,
    K,
    agree,
    classes,
    node_name,
    run,
    watched,
)
from shoal.data import patients
from shoal.search.algorithms.bitmap_incognito import BitmapIncognito
from shoal.search.algorithms.incognito import Incognito
from shoal.search.algorithms.incognito_cube import CubeIncognito
from shoal.search.algorithms.incognito_super_roots import SuperRootsIncognito
from shoal.search.node_checker import NodeChecker
from shoal.search.problem import SearchProblem
from shoal.search.result import Check

Columns = tuple[int, ...]
ALL = (0, 1, 2)


def incognito(problem: SearchProblem) -> Canvas:
    done = run(problem, Incognito(RECORDING))
    place_of = {check.levels: position for position, check in enumerate(done.result.checks, start=1)}
    assert done.result.subsets is not None
    safe = {names: set(map(tuple, nodes.tolist())) for names, nodes in done.result.subsets.items()}

    def satisfying(columns: Columns) -> set[Node]:
        return safe[tuple(COLUMNS[column] for column in columns)]

    def ruled_out_by(node: Node) -> str | None:
        """Name two columns whose levels alone fail."""
        for pair in combinations(ALL, 2):
            if tuple(node[column] for column in pair) not in satisfying(pair):
                return node_name([level if column in pair else None for column, level in enumerate(node)])
        return None

    def draw(columns: Columns, foot: Point, step: Point, size: Point) -> None:
        hasse = Hasse("".join(LETTERS[c] for c in columns), tuple(TOPS[c] for c in columns), foot, step, size)
        order = {}
        for node in hasse:
            levels = dict(zip(columns, node, strict=True))
            if position := place_of.get(tuple(levels.get(column) for column in ALL)):
                order[node] = position
        looks = {
            node: TAGGED_SATISFYING if node in satisfying(columns) else NOT_A_CANDIDATE for node in hasse
        }
        looks |= {node: SATISFIES if node in satisfying(columns) else FAILS for node in order}
        hasse.draw_edges(canvas, lambda *ends: NOT_A_CANDIDATE not in [looks[end] for end in ends])
        for node, look in looks.items():
            if look is NOT_A_CANDIDATE:
                x, y = hasse.at(node)
                canvas.note((x, y + 25), f"{ruled_out_by(node)} fails", 11, PANEL, fill=RED)
        hasse.draw_nodes(canvas, looks, order, done.result.levels if columns == ALL else None)

    candidates = [node for node in problem.lattice if ruled_out_by(node) is None]
    words = [f"{node_name(c.levels)} {'satisfies' if c.satisfies else 'fails'}" for c in done.result.checks]
    canvas = Canvas(1060, 770, "incognito on the six patients", f"Checks in order: {', '.join(words)}.")
    canvas.heading(
        "incognito", f"{len(place_of)} checks in 7 lattices, {len(done.order)} of them in the last"
    )
    canvas.panel((24, 52), 150, 660, "1 column")
    canvas.panel((190, 52), 300, 660, "2 columns")
    canvas.panel((506, 52), 530, 660, f"3 columns: {len(candidates)} of 12 nodes are candidates")
    for column, y in enumerate((193, 396, 657)):
        draw((column,), (99, y), (90, 62), (60, 28))
    for pair, y in zip(combinations(ALL, 2), (216, 446, 676), strict=True):
        draw(pair, (340, y), (100, 54), (78, 28))
    draw(ALL, (771, 625), (124, 124), (104, 30))
    canvas.legend(740, (SATISFIES, FAILS, TAGGED_SATISFYING, NOT_A_CANDIDATE, ORDER, ANSWER))
    return canvas


def super_roots(problem: SearchProblem) -> Canvas:
    with watched(NodeChecker, "prepare") as prepared, watched(NodeChecker, "check") as calls:
        done = run(problem, SuperRootsIncognito(RECORDING))
    basic = run(problem, Incognito(RECORDING))
    (prepare,) = prepared  # the lattices of fewer columns have one root each
    super_root = prepare.arguments[0]
    roots = [call.arguments[0] for call in calls if call.arguments[1] is prepare.result]
    scans = basic.result.counters.scans, done.result.counters.scans
    graph = [node for node, look in done.looks.items() if look in (SATISFIES, TAGGED_SATISFYING)]
    agree(scans[0] - scans[1], len(roots))
    canvas = Canvas(
        1000,
        470,
        "incognito-super-roots on the six patients",
        f"The roots {', '.join(map(node_name, roots))} are rolled up from {node_name(super_root)}.",
    )
    canvas.heading("incognito-super-roots", f"{scans[0]} scans of F0 become {scans[1]}")
    canvas.panel((24, 52), 464, 360, "incognito: a scan of F0 for each root")
    canvas.panel((512, 52), 464, 360, "incognito-super-roots: roll-ups from the super-root")
    for centre, colour in ((268, RED), (756, INK)):
        hasse = Hasse(LETTERS, TOPS, (centre, 446), (116, 84))
        for below, above in hasse.edges():
            if below in graph and above in graph:
                canvas.line([hasse.at(below), hasse.at(above)], stroke=EDGE, stroke_width=1.5)
        for root in roots:
            x, y = hasse.at(root)
            canvas.arrow(mix((centre, 353), (x, 353), 0.15), mix((x, y + 17), (centre, y + 17), 0.1), colour)
        for node in graph:
            canvas.box(hasse.at(node), *hasse.size, done.looks[node], node_name(node))
    canvas.box((268, 370), 60, 30, PLAIN, "F0")
    canvas.rect((699, 351), 114, 38, rx=6, fill="#ffffff", stroke=INK, stroke_width=1.6)
    canvas.box((756, 370), 104, 30, PLAIN, node_name(super_root))
    canvas.remark((828, 361), "super-root,", "here F0 itself")
    canvas.legend(442, (SATISFIES, TAGGED_SATISFYING))
    for left, colour, words in ((370, RED, "scan of F0"), (500, INK, "roll-up")):
        canvas.arrow((left, 442), (left + 27, 442), colour)
        canvas.text((left + 34, 442), words, 12, "start", fill=GREY)
    return canvas


def cube(problem: SearchProblem) -> Canvas:
    with watched(NodeChecker, "prepare") as prepared:
        run(problem, CubeIncognito(RECORDING))

    def columns_of(node: Node) -> Columns:
        return tuple(column for column, level in enumerate(node) if level <= TOPS[column])

    made = {id(call.result): columns_of(call.arguments[0]) for call in prepared}
    # What is made from no other is made from F0, the set of all columns.
    source_of = {
        columns_of(node): made.get(id(source), ALL) for node, source in (call.arguments for call in prepared)
    }
    centres: dict[Columns, Point] = {ALL: (430, 128)}
    centres |= {(0, 1): (150, 335), (0, 2): (430, 335), (1, 2): (710, 335)}
    centres |= {(0,): (150, 520), (1,): (430, 520), (2,): (710, 520)}
    words = [f"{_names(columns)} from {_names(source)}" for columns, source in source_of.items()]
    canvas = Canvas(860, 650, "incognito-cube on the six patients", f"Level 0: {'; '.join(words)}.")
    canvas.heading(
        "incognito-cube", "the frequency sets at level 0, each from the smallest with a column more"
    )
    half = {columns: 19 + 8 * len(classes(columns)) for columns in centres}
    for columns, more in product(centres, centres):
        if len(more) == len(columns) + 1 and set(columns) < set(more):
            start, end = centres[more], centres[columns]
            drop = end[1] - start[1]
            ends = mix(start, end, half[more] / drop), mix(end, start, half[columns] / drop)
            if source_of[columns] == more:
                canvas.arrow(*ends, width=2.4)
            else:
                canvas.line(ends, stroke=PALE, stroke_width=1.5, stroke_dasharray="4 4")
    for columns, centre in centres.items():
        _frequency_set(canvas, centre, columns)
    canvas.text(
        (24, 592), "Made downwards, once, from F0. Then searched upwards, as in incognito.", 13, "start"
    )
    canvas.arrow((24, 622), (51, 622), width=2.4)
    canvas.text((58, 622), "made from", 12, "start", fill=GREY)
    canvas.line([(150, 622), (177, 622)], stroke=PALE, stroke_width=1.5, stroke_dasharray="4 4")
    canvas.text((184, 622), "another way, not taken", 12, "start", fill=GREY)
    canvas.text((354, 622), "1", 12, fill=RED, font_weight="bold")
    canvas.text((366, 622), f"fewer rows than k = {K}", 12, "start", fill=GREY)
    return canvas


def _names(columns: Columns) -> str:
    return ", ".join(COLUMNS[column] for column in columns)


def _frequency_set(canvas: Canvas, centre: Point, columns: Columns) -> None:
    """Draw a frequency set as a little table, the counts that are too small in red."""
    found = classes(columns)
    width, height = max(62 * len(columns) + 42, 128), 34 + 16 * len(found)
    left, top = centre[0] - width / 2, centre[1] - height / 2
    canvas.rect((left, top), width, height, rx=8, fill="#ffffff", stroke=GREY, stroke_width=1.3)
    canvas.rect((left, top), width, 22, rx=8, fill="#e8edf2", stroke=GREY, stroke_width=1.3)
    title = _names(columns) + (" = F0" if columns == ALL else "")
    canvas.text((centre[0], top + 11), title, 12, font_weight="bold")
    for line, (labels, count) in enumerate(found.items()):
        y = top + 34 + 16 * line
        for position, label in enumerate(labels):
            canvas.text((left + 12 + 62 * position, y), label, 12, "start")
        look = {"fill": RED, "font_weight": "bold"} if count < K else {"fill": INK}
        canvas.text((left + width - 14, y), str(count), 12, "end", **look)


def bitmap(problem: SearchProblem) -> Canvas:
    """Draw the bitmaps of Sex and Zipcode from the table itself, for two nodes that the search judges."""
    checks = BitmapIncognito(record=True).search(problem).checks
    agree(set(checks), set(run(problem, Incognito(RECORDING)).result.checks))
    agree({Check((None, 0, 0), False), Check((None, 1, 0), True)} - set(checks), set())
    sexes, zips = (list(dict.fromkeys(row[column] for row in patients.ROWS)) for column in (1, 2))
    bits = {value: tuple(value in row for row in patients.ROWS) for value in (*sexes, *zips)}
    parent = {path[0]: path[1] for path in patients.TAXONOMIES["Zipcode"]}
    below = {
        label: [value for value in zips if parent[value] == label]
        for label in dict.fromkeys(map(parent.__getitem__, zips))
    }
    both = {
        pair: tuple(map(all, zip(*map(bits.__getitem__, pair), strict=True))) for pair in product(sexes, zips)
    }
    words = ", ".join(f"{value} {''.join('01'[bit] for bit in row)}" for value, row in bits.items())
    canvas = Canvas(940, 470, "bitmap-incognito on the six patients", f"A bit per row: {words}.")
    canvas.heading(
        "bitmap-incognito", "a bit per row: OR generalizes, AND combines columns, ones are counted"
    )

    canvas.panel((24, 52), 290, 238, "the values: <S0> and <Z0>")
    canvas.text((150, 100), "row", 11, "end", fill=GREY)
    canvas.text((288, 100), "ones", 11, fill=GREY)
    for position in range(len(patients.ROWS)):
        canvas.text((176 + 17 * position, 100), str(position + 1), 11, fill=GREY)
    for line, (value, row) in enumerate(bits.items()):
        _bitmap(canvas, (40, 124 + 26 * line + 18 * (value in zips)), value, row)

    canvas.panel((24, 306), 290, 140, "OR: <Z1>")
    for line, (label, values) in enumerate(below.items()):
        y = 356 + 48 * line
        _bitmap(canvas, (40, y), label, _any([bits[value] for value in values]))
        how = " OR ".join(values) if len(values) > 1 else f"{values[0]} alone"
        canvas.text((168, y + 20), how, 11, "start", fill=GREY)

    canvas.panel((330, 52), 290, 394, "AND: <S0, Z0> fails")
    enough = next(position for position, row in enumerate(both.values()) if 0 < sum(row) < K)
    for line, (pair, row) in enumerate(both.items()):
        y = 104 + 32 * line + 14 * (line > enough)
        _bitmap(canvas, (346, y), " ".join(pair), row, faded=line > enough)
    cut = 104 + 32 * enough + 23
    canvas.line([(346, cut), (604, cut)], stroke=RED, stroke_width=1.4, stroke_dasharray="5 4")
    for y, text in (
        (336, f"1 is fewer than k = {K}: with pruning"),
        (355, "what follows is not computed."),
        (384, "A count of 0 is no class: nobody"),
        (403, "is in it, so nobody stands out."),
    ):
        canvas.text((346, y), text, 13, "start")

    canvas.panel((636, 52), 280, 394, "OR: <S1, Z0> satisfies")
    for line, value in enumerate(zips):
        y = 104 + 106 * line
        for step, sex in enumerate(sexes):
            _bitmap(canvas, (640, y + 26 * step), f"{sex} {value}", both[sex, value], faded=True)
        canvas.line([(768, y + 40), (870, y + 40)], stroke=GREY, stroke_width=1.2)
        _bitmap(canvas, (640, y + 54), f"Person {value}", _any([both[sex, value] for sex in sexes]))
    canvas.text((652, 406), f"Every count is at least {K}.", 13, "start")
    canvas.text((652, 425), "Needs <S0, Z0> whole, not pruned.", 13, "start")
    return canvas


def _any(rows: Sequence[tuple[bool, ...]]) -> tuple[bool, ...]:
    return tuple(map(any, zip(*rows, strict=True)))


def _bitmap(canvas: Canvas, position: Point, label: str, row: Sequence[bool], *, faded: bool = False) -> None:
    """Draw a label, its bits and how many are set."""
    x, y = position
    ink = "#8793a0" if faded else INK
    canvas.text((x + 118, y), label, 13, "end", fill=ink)
    for index, bit in enumerate(row):
        fill = ("#b8c4cf" if faded else SATISFIES.fill) if bit else "#ffffff"
        canvas.rect((x + 128 + 17 * index, y - 8), 16, 16, fill=fill, stroke=EDGE, stroke_width=1)
    too_few = 0 < sum(row) < K and not faded
    canvas.text((x + 248, y), str(sum(row)), 13, fill=RED if too_few else ink, font_weight="bold")


def table_and_hierarchies(problem: SearchProblem) -> Canvas:
    canvas = Canvas(
        1086, 308, "The six patients and their hierarchies", "As in Figures 1 and 2 of the Incognito paper."
    )
    canvas.panel((24, 24), 270, 260, "the patients")
    starts = (68, 152, 214)
    for x, name in zip(starts, COLUMNS, strict=True):
        canvas.text((x, 84), name, 13, "start", font_weight="bold")
    for line, row in enumerate(patients.ROWS):
        y = 112 + 26 * line
        canvas.line([(40, y - 13), (278, y - 13)], stroke="#d5dbe1", stroke_width=1)
        canvas.text((50, y), str(line + 1), 12, fill=GREY)
        for x, value in zip(starts, row[:3], strict=True):
            canvas.text((x, y), value, 13, "start")
    left = 310.0
    for position, width in enumerate((250, 180, 290)):
        canvas.panel((left, 24), width, 260, COLUMNS[position])
        _hierarchy(canvas, position, left, width)
        left += width + 16
    return canvas


def _hierarchy(canvas: Canvas, column: int, left: float, width: float) -> None:
    """Draw the tree of a column, level 0 at the bottom. Values that nobody has are dashed."""
    paths = patients.TAXONOMIES[COLUMNS[column]]
    step = (width - 48) / len(paths)
    x_of = {(0, path[0]): left + 42 + step * (position + 0.5) for position, path in enumerate(paths)}
    for level in range(1, TOPS[column] + 1):
        for path in paths:
            leaves = [x_of[0, other[0]] for other in paths if other[level] == path[level]]
            x_of[level, path[level]] = (leaves[0] + leaves[-1]) / 2
    y_of = [254 - level * 150 / TOPS[column] for level in range(TOPS[column] + 1)]
    for level, y in enumerate(y_of):
        canvas.text((left + 16, y), f"{LETTERS[column]}{level}", 13, "start", fill=GREY, font_weight="bold")
        for path in paths:
            if level:
                lower = (x_of[level - 1, path[level - 1]], y_of[level - 1])
                canvas.line([lower, (x_of[level, path[level]], y)], stroke=EDGE, stroke_width=1.4)
    used = {row[column] for row in patients.ROWS}
    for (level, label), x in x_of.items():
        look = NOT_A_CANDIDATE if level == 0 and label not in used else PLAIN
        canvas.box((x, y_of[level]), min(step - 4, 62), 26, look, label, 12)
