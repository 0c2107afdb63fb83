"""What is fuzzed: every reader of a file that somebody else wrote. Only Shoal's own errors may come out."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa

from shoal.describe import formats
from shoal.errors import ShoalError
from shoal.spec.arx_import import import_arx_project
from shoal.spec.spec import Spec

Target = Callable[[Path, bytes], None]

_VALUES = pa.array(["a", "b", "5", "-1.5", "2000-01-31", "31/1/2000", "", "*", "NULL"])


def _file(name: str, format: str | None = None) -> Target:
    def run(folder: Path, content: bytes) -> None:
        path = folder / name
        path.write_bytes(content)
        read = formats.read_file(path, format)
        known = read.knows(_VALUES)
        read.levels(_VALUES.filter(known))
        levels = read.whole()
        levels.table()
        levels.tree()
        out = folder / "out.csv"
        formats.write_file(levels, out)
        # What is written is the same when it is read again.
        again = formats.read_file(out, "arx", ";").levels(levels.labels[0])
        assert all(one.equals(other) for one, other in zip(levels.labels, again.labels, strict=True))

    return run


def _recode(folder: Path, content: bytes) -> None:
    recode, _, codes = content.partition(b"\x00")
    (folder / "x.cdl").write_bytes(codes)
    _file("x.grc")(folder, recode + b"\n<CODELIST> x.cdl\n")


def _spec(folder: Path, content: bytes) -> None:
    path = folder / "spec.yaml"
    path.write_bytes(content)
    spec = Spec.from_yaml(path)
    assert Spec.from_mapping(spec.to_mapping(), folder).to_mapping() == spec.to_mapping()


def _zip(folder: Path, content: bytes) -> None:
    path = folder / "x.deid"
    path.write_bytes(content)
    import_arx_project(path, folder / "out", force=True)


def _project(folder: Path, content: bytes) -> None:
    """Take the content for the members of a project, one after the other."""
    names = [
        "input/definition.xml",
        "input/config.xml",
        "project.xml",
        "input/hierarchies/a.csv",
        "data/input.csv",
    ]
    members = dict(zip(names, content.split(b"\x00"), strict=False))
    _zip(folder, packed({**PROJECT, **{name: part for name, part in members.items() if part}}))


def packed(members: Mapping[str, bytes]) -> bytes:
    """Return a ZIP file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


PROJECT = {
    "input/definition.xml": b"<definition><assigment><name>a</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type>"
    b"<ref>hierarchies/a.csv</ref><min>0</min><max>All</max></assigment></definition>",
    "input/config.xml": b"<config><criteria><criterion>2-anonymity</criterion></criteria>"
    b"<relativeMaxOutliers>0.1</relativeMaxOutliers><metric>Height</metric></config>",
    "project.xml": b"<project><separator>;</separator></project>",
    "input/hierarchies/a.csv": b"a;x;*\nb;x;*\n",
    "data/input.csv": b"a\na\nb\n",
}

TARGETS: dict[str, tuple[Target, tuple[bytes, ...]]] = {
    "arx": (_file("x.csv", "arx"), (b"a;x;*\nb;x;*\n", b'a,"x ""y""",*\r\nb,x,*\r\n', b"a\tx\rb\tx\r")),
    "amnesia": (
        _file("x.txt", "amnesia"),
        (
            b"distinct\nname n\ntype string\nheight 3\n\nx has a b\ny has c\n\nz has x y\n",
            b"range\nname n\ntype decimal\nheight 3\n\n0,20 has 0,10 10,20\n\n0,20.5 has 0,20 null,null\n",
            b"range\nname n\ntype date\nheight 2\n\n2000,2001 has 2000 1/2001,31/12/2001\n",
        ),
    ),
    "amnesia-json": (
        _file("x.json", "amnesia"),
        (
            b'{"hierType": "distinct", "height": 3, "level1": {"z": ["x"]}, "level2": {"x": ["a", "b"]}}',
            b'{"hierType": "range", "type": "int", "level1": {"0-20": ["0-10", "10-20"]}}',
        ),
    ),
    "anjana": (_file("x.json", "anjana"), (json.dumps({"c": {"0": ["a", 1], "1": ["x", "y"]}}).encode(),)),
    "argus": (_recode, (b"1: -20\n2: 21-30,35.5\n3: a, b\n<MISSING> 98 99\n\x001,one\n98,gone\n",)),
    "nested-yaml": (_file("x.yaml", "nested"), (b"x: {y: [a, b], z: c}\nw: [d]\n", b"- a\n- {b: [c]}\n")),
    "nested-json": (
        _file("x.json", "nested"),
        (b'{"x": {"y": ["a", 1]}, "z": null}', b'{"cat": "x", "subcats": [{"cat": "a", "subcats": null}]}'),
    ),
    "found-out": (_file("x.json"), (b'{"hierType": "distinct"}', b'{"c": {"0": ["a"]}}', b'{"x": ["a"]}')),
    "found-out-text": (_file("x.txt"), (b"distinct\nname n\n\nx has a\n", b"a;x\n")),
    "deid": (_zip, (packed(PROJECT),)),
    "project": (_project, (b"\x00".join(PROJECT.values()),)),
    "spec": (
        _spec,
        (
            b"columns:\n  a: {role: quasi-identifier, hierarchy: {intervals: [5, 10]}}\n"
            b"  b: {role: sensitive, type: date}\nprivacy: [k-anonymity: 2]\nsuppression: 0.1\n",
            b"{columns: {a: {role: quasi-identifier, hierarchy: [{mask: [2]}, {taxonomy: {x: [a]}}]}}, "
            b"privacy: [{l-diversity: {column: b, l: 2}}], input: {null-values: [NA]}}",
        ),
    ),
}
"""By name what is run, and contents to begin with."""


def run(name: str, content: bytes) -> bool:
    """Run one target; tell whether the content was accepted."""
    target, _ = TARGETS[name]
    with tempfile.TemporaryDirectory() as folder:
        try:
            target(Path(folder), content)
        except ShoalError:
            return False
    return True
