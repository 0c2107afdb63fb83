"""The searches that walk the lattice of all columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise, product

from drawing.hasse import (
    ANSWER,
    FAILS,
    GREEN,
    NOT_A_CANDIDATE,
    NOT_LOOKED_AT,
    ORDER,
    PENS,
    PINK,
    RED,
    SATISFIES,
    TAGGED_FAILING,
    TAGGED_SATISFYING,
    VIOLET,
    YELLOW,
    Canvas,
    Hasse,
    Node,
    Pen,
    mix,
)
from drawing.runs import (
    COLUMNS,
    LETTERS,
    RECORDING,
    TOPS,
    Run,
    agree,
    classes,
    node_name,
    run,
    satisfying_nodes,
    tagged,
    watched,
)
from shoal.search.algorithms import flash, ola
from shoal.search.algorithms.anytime.boxes import Boxes
from shoal.search.algorithms.anytime.budget import Budget
from shoal.search.algorithms.anytime.exploration import Exploration
from shoal.search.algorithms.anytime.improve import dive
from shoal.search.algorithms.bottom_up import BottomUp, BottomUpNoRollup
from shoal.search.algorithms.box import Box
from shoal.search.algorithms.datafly import Datafly
from shoal.search.algorithms.exhaustive import Exhaustive
from shoal.search.algorithms.samarati import Samarati
from shoal.search.node_checker import Framework, NodeChecker
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchAlgorithm, border

LEFT, RIGHT = 92, 640  # of what is drawn behind the nodes
BESIDE = 662  # where remarks begin
Draw = Callable[[Canvas, Hasse], None]


def draw_lattice(
    done: Run,
    name: str,
    said: str,
    *,
    marks: Draw = lambda canvas, hasse: None,
    notes: Draw = lambda canvas, hasse: None,
    remarks: float = 0,
    legend: Sequence[str] = (),
) -> Canvas:
    """Draw the lattice as a search left it.

    Parameters
    ----------
    marks, notes
        Draw what lies under the edges, and over them.
    remarks
        The width of what they write to the right of the lattice.
    legend
        What else to explain.
    """
    looks = [SATISFIES, FAILS, TAGGED_SATISFYING, TAGGED_FAILING, NOT_A_CANDIDATE, NOT_LOOKED_AT]
    used = [look for look in looks if look in done.looks.values()]
    words = [
        f"{node_name(node)} {'satisfies' if done.looks[node] is SATISFIES else 'fails'}"
        for node in done.order
    ]
    canvas = Canvas(
        670 + remarks, 516, f"{name} on the six patients", f"Checks in order: {', '.join(words)}."
    )
    canvas.heading(name, said)
    canvas.legend(470, [*used, ORDER, ANSWER, *legend])
    hasse = Hasse(LETTERS, TOPS, foot=(360, 425))
    hasse.draw_heights(canvas, 24, RIGHT)
    marks(canvas, hasse)
    hasse.draw_edges(canvas)
    notes(canvas, hasse)
    hasse.draw_nodes(canvas, done.looks, done.order, done.result.levels)
    return canvas


def exhaustive(problem: SearchProblem) -> Canvas:
    result = Exhaustive().search(problem, all_nodes=True)
    satisfying = satisfying_nodes(result)
    assert result.satisfying is not None
    minimal = [tuple(node) for node in border(result.satisfying).tolist()]
    nodes = list(problem.lattice)
    agree(len(nodes), result.counters.checked)
    looks = {node: SATISFIES if node in satisfying else FAILS for node in nodes}

    def marks(canvas: Canvas, hasse: Hasse) -> None:
        for node in minimal:
            hasse.draw_path(canvas, [node], YELLOW)

    return draw_lattice(
        Run(result, looks, {node: position for position, node in enumerate(nodes, start=1)}),
        "exhaustive",
        f"{len(satisfying)} of 12 nodes satisfy, {len(minimal)} of them are minimal (yellow)",
        marks=marks,
    )


def bottom_up(problem: SearchProblem) -> Canvas:
    with watched(NodeChecker, "check") as calls:
        done = run(problem, BottomUp(RECORDING))
    node_of = {id(call.result): call.arguments[0] for call in calls}
    rolled = [(node_of[id(source)], node) for node, source in (call.arguments for call in calls) if source]
    agree(len(rolled), done.result.counters.rollups)
    read = [len(classes(range(3), below)) for below, _ in rolled]

    def notes(canvas: Canvas, hasse: Hasse) -> None:
        for (below, above), count in zip(rolled, read, strict=True):
            hasse.draw_arrow(canvas, below, above)
            canvas.note(mix(hasse.at(below), hasse.at(above), 0.5), str(count), 12, font_weight="bold")

    return draw_lattice(
        done,
        "bottom-up",
        f"{len(done.order)} of 12 nodes checked; {len(rolled)} roll-ups read {sum(read)} classes",
        notes=notes,
        legend=["roll-up, and the classes that it reads"],
    )


def bottom_up_no_rollup(problem: SearchProblem) -> Canvas:
    done = run(
        problem, BottomUpNoRollup(Framework(record=True, projection=False, rollup=False, history=False))
    )
    tuples, scans = len(classes(range(3))), done.result.counters.scans
    scanned = [node for node in done.order if any(node)]  # the first node is F0 itself
    agree(len(scanned), scans)

    def notes(canvas: Canvas, hasse: Hasse) -> None:
        for node in scanned:
            x, y = hasse.at(node)
            canvas.note((x, y + 26), f"F0: {tuples}", 12, font_weight="bold")

    return draw_lattice(
        done,
        "bottom-up-no-rollup",
        f"{len(done.order)} of 12 nodes checked; {scans} scans of F0 read {scans * tuples} tuples",
        notes=notes,
    )


def samarati(problem: SearchProblem) -> Canvas:
    done = run(problem, Samarati(RECORDING))
    by_height = groupby(done.order, key=sum)
    probes = [(height, any(done.looks[node] is SATISFIES for node in nodes)) for height, nodes in by_height]

    assert done.result.levels is not None
    least = sum(done.result.levels)

    def marks(canvas: Canvas, hasse: Hasse) -> None:
        for position, (height, found) in enumerate(probes, start=1):
            hasse.draw_band(canvas, height, YELLOW if found else PINK, LEFT, RIGHT)
            verdict = "one satisfies: look lower" if found else "none satisfies: look higher"
            y = hasse.foot[1] - height * hasse.step[1]
            canvas.remark((BESIDE, y - 9), f"probe {position}: height {height}", verdict)
        canvas.remark(
            (BESIDE, 392), f"so the least height is {least}", "its first node that satisfies", "is the answer"
        )

    return draw_lattice(
        done,
        "samarati",
        f"{len(probes)} heights probed, {len(done.order)} of 12 nodes checked",
        marks=marks,
        remarks=200,
    )


def ola_search(problem: SearchProblem, algorithm: SearchAlgorithm) -> Canvas:
    with watched(ola._Bisection, "between") as calls:
        done = run(problem, algorithm)
    cuts = [(pen, *call.arguments) for pen, call in zip(PENS, calls, strict=False)]
    agree(len(cuts), len(calls))

    def marks(canvas: Canvas, hasse: Hasse) -> None:
        for pen, bottom, top, height in cuts:
            if (bottom, top) == ((0, 0, 0), TOPS):
                hasse.draw_band(canvas, height, pen, LEFT, RIGHT)
            else:
                canvas.region([hasse.at(node) for node in hasse.between(bottom, top)], pen)

    def notes(canvas: Canvas, hasse: Hasse) -> None:
        for position, (pen, bottom, top, height) in enumerate(cuts):
            y = 110 + 92 * position
            canvas.sample((BESIDE, y), pen)
            between = (f"from {node_name(bottom)}", f"to {node_name(top)}")
            canvas.remark((BESIDE + 30, y), f"cut {position + 1}: at height {height}", *between)

    return draw_lattice(
        done,
        algorithm.name,
        f"{len(done.order)} of 12 nodes checked, in {len(cuts)} cuts",
        marks=marks,
        notes=notes,
        remarks=180,
    )


def natural_ola(problem: SearchProblem) -> Canvas:
    return ola_search(problem, ola.Ola(RECORDING))


def stable_ola(problem: SearchProblem) -> Canvas:
    return ola_search(problem, ola.StableOla(RECORDING))


def flash_search(problem: SearchProblem) -> Canvas:
    with watched(flash._Flash, "find_path") as calls:
        done = run(problem, flash.Flash(RECORDING))
    paths = [[node for node, _ in call.result] for call in calls]

    def marks(canvas: Canvas, hasse: Hasse) -> None:
        for pen, path in zip(PENS, paths, strict=True):
            hasse.draw_path(canvas, path, pen)

    def notes(canvas: Canvas, hasse: Hasse) -> None:
        for position, (pen, path) in enumerate(zip(PENS, paths, strict=True)):
            y = 110 + 66 * position
            checks = sorted(done.order[node] for node in path if node in done.order)
            canvas.sample((BESIDE, y), pen)
            canvas.remark(
                (BESIDE + 30, y),
                f"path {position + 1}: {len(path)} node{'s'[: len(path) - 1]}",
                f"check{'s'[: len(checks) - 1]} {', '.join(map(str, checks))}",
            )

    return draw_lattice(
        done,
        "flash",
        f"{len(done.order)} of 12 nodes checked, on {len(paths)} paths",
        marks=marks,
        notes=notes,
        remarks=160,
    )


def datafly(problem: SearchProblem) -> Canvas:
    done = run(problem, Datafly(RECORDING))
    walk = list(done.order)
    best = Exhaustive().search(problem).levels
    assert best is not None
    assert best not in walk

    def marks(canvas: Canvas, hasse: Hasse) -> None:
        hasse.draw_path(canvas, walk, YELLOW)

    def notes(canvas: Canvas, hasse: Hasse) -> None:
        for below, above in pairwise(walk):
            hasse.draw_arrow(canvas, below, above, width=2.6)
        for position, node in enumerate(walk):
            values = [len(classes([column], node)) for column in range(3)]
            words = ", ".join(f"{letter} {count}" for letter, count in zip(LETTERS, values, strict=True))
            raised = [
                COLUMNS[c] for c in range(3) if position + 1 < len(walk) and walk[position + 1][c] > node[c]
            ]
            y = 110 + 74 * position
            canvas.badge((BESIDE + 10, y), str(position + 1))
            canvas.remark(
                (BESIDE + 30, y), f"raise {raised[0]}" if raised else "satisfies: stop", f"values: {words}"
            )
        unseen = hasse.at(best)
        canvas.note((unseen[0], unseen[1] + 27), "better, never seen", 12, fill=RED)

    return draw_lattice(
        done,
        "datafly",
        f"{len(walk)} of 12 nodes checked; what it finds is safe, but not the best",
        marks=marks,
        notes=notes,
        remarks=200,
    )


@dataclass
class BoxSteps:
    """The default search by its documented steps, since the kernel does not record its checks.

    Attributes
    ----------
    boxes
        Corners, and what came of the box.
    """

    satisfies: Callable[[Node], bool]
    known: dict[Node, bool] = field(default_factory=dict)
    order: dict[Node, int] = field(default_factory=dict)
    boxes: list[tuple[Node, Node, str]] = field(default_factory=list)

    def solve(self, bottom: Node, top: Node) -> None:
        """Decide a box: shrink it to what is undecided, look at its corners, cut it into slices."""
        inside = product(*(range(low, high + 1) for low, high in zip(bottom, top, strict=True)))
        undecided = [node for node in inside if node not in self.known]
        if not undecided:
            return
        columns = list(zip(*undecided, strict=True))
        bottom, top = tuple(map(min, columns)), tuple(map(max, columns))
        position = len(self.boxes)
        self.boxes.append((bottom, top, ""))
        self.boxes[position] = (bottom, top, self._corners(bottom, top))
        if all(node in self.known for node in undecided):
            return
        cut = next(column for column in range(len(TOPS)) if bottom[column] < top[column])
        for level in range(top[cut], bottom[cut] - 1, -1):
            self.solve(*((*end[:cut], level, *end[cut + 1 :]) for end in (bottom, top)))

    def _corners(self, bottom: Node, top: Node) -> str:
        """Look at the corners as far as need be, and say what came of it."""
        if self._check(bottom):
            return f"{self.order[bottom]} satisfies{', so all do' if bottom != top else ''}"
        if bottom == top:
            return f"{self.order[bottom]} fails"
        if not self._check(top):
            return f"{self.order[bottom]} fails, {self.order[top]} fails, so all do"
        then = "both known" if sum(top) - sum(bottom) == 1 else "cut"
        return f"{self.order[bottom]} fails, {self.order[top]} satisfies: {then}"

    def _check(self, node: Node) -> bool:
        if node not in self.known:
            found = self.satisfies(node)
            self.order[node] = len(self.order) + 1
            for other in product(*(range(top + 1) for top in TOPS)):
                lower, upper = (node, other) if found else (other, node)
                if all(map(int.__le__, lower, upper)):
                    self.known.setdefault(other, found)
        return self.known[node]


def box(problem: SearchProblem) -> Canvas:
    steps = BoxSteps(satisfying_nodes(Exhaustive().search(problem, all_nodes=True)).__contains__)
    steps.solve((0, 0, 0), TOPS)
    result = Box().search(problem, all_nodes=True)
    looks = {
        node: (SATISFIES if found else FAILS)
        if node in steps.order
        else (TAGGED_SATISFYING if found else TAGGED_FAILING)
        for node, found in steps.known.items()
    }
    counters = result.counters
    agree(
        (len(steps.order), *tagged(looks)),
        (counters.checked, counters.tagged_satisfying, counters.tagged_failing),
    )

    def pen(bottom: Node) -> Pen:
        return GREEN if bottom[0] else VIOLET

    def marks(canvas: Canvas, hasse: Hasse) -> None:
        for bottom, top, _ in steps.boxes:
            if bottom[0] == top[0] and bottom != top:
                radius = 29 if bottom[1:] == (0, 0) else 22  # slices, and boxes within
                canvas.region([hasse.at(node) for node in hasse.between(bottom, top)], pen(bottom), radius)

    def notes(canvas: Canvas, hasse: Hasse) -> None:
        for position, (bottom, top, verdict) in enumerate(steps.boxes):
            y = 84 + 54 * position
            if bottom[0] == top[0]:
                canvas.sample((BESIDE, y), pen(bottom))
            corners = " to ".join(dict.fromkeys([node_name(bottom), node_name(top)]))
            canvas.remark((BESIDE + 30, y), corners, verdict)

    return draw_lattice(
        Run(result, looks, steps.order),
        "box",
        f"{len(steps.order)} of 12 nodes checked, in {len(steps.boxes)} boxes",
        marks=marks,
        notes=notes,
        remarks=300,
    )


def best_first(problem: SearchProblem) -> Canvas:
    """Draw the dive and the boxes; the search itself would take twelve nodes for one neighbourhood."""
    exploration = Exploration(problem, Budget(None, None))
    taken: list[tuple[float, Node, Node, range]] = []
    with watched(Exploration, "look") as calls:
        exploration.look(exploration.top)
        dive(exploration)
        dived = len(calls)
        assert exploration.best is not None
        lowest = exploration.best.rank[-1]
        boxes = Boxes(exploration)
        while not boxes.done:
            floor, _, low, high = boxes.first
            before = len(calls)
            boxes.step()
            taken.append((floor, low, high, range(before + 1, len(calls) + 1)))
    order = {call.arguments[0]: position for position, call in enumerate(calls, start=1)}
    agree(len(order), len(calls))
    looks = dict.fromkeys(problem.lattice, NOT_LOOKED_AT)
    looks |= {call.arguments[0]: SATISFIES if call.result.satisfies else FAILS for call in calls}
    result = exploration.result(bound=boxes.bound)
    agree(result.levels, Exhaustive().search(problem).levels)

    def marks(canvas: Canvas, hasse: Hasse) -> None:
        hasse.draw_path(canvas, [exploration.top, lowest], YELLOW)
        for (_, low, high, _), pen in zip(taken[2:], (GREEN, VIOLET), strict=False):
            canvas.region([hasse.at(node) for node in hasse.between(low, high)], pen, 29)

    def notes(canvas: Canvas, hasse: Hasse) -> None:
        canvas.sample((BESIDE, 84), YELLOW)
        canvas.remark((BESIDE + 30, 84), f"dive to {node_name(lowest)}", f"checks 1 to {dived}")
        pens = [None, None, GREEN, VIOLET]
        for position, ((floor, low, high, checks), pen) in enumerate(zip(taken, pens, strict=False)):
            y = 154 + 70 * position
            if pen is not None:
                canvas.sample((BESIDE, y), pen)
            listed = f"check{'s'[: len(checks) - 1]} {', '.join(map(str, checks))}" if checks else "no check"
            canvas.remark(
                (BESIDE + 30, y), f"{node_name(low)} to {node_name(high)}", f"at least {floor:g}: {listed}"
            )

    return draw_lattice(
        Run(result, looks, order),
        "best-first",
        f"{len(order)} of 12 nodes checked, {dived} of them in the dive",
        marks=marks,
        notes=notes,
        remarks=300,
    )
