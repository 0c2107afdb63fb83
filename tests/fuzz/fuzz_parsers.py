"""Fuzz the readers of files, guided by coverage: `make fuzz`, or by hand.

    python -m tests.fuzz.fuzz_parsers NAME [libFuzzer options]

Names are those of `tests.fuzz.parsers.TARGETS`, or `all`: each for `-max_total_time` seconds then.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path("build/fuzz")
"""What was found to be interesting stays there, and the next run begins with it."""


def fuzz(name: str, options: list[str]) -> None:
    """Fuzz one target until it fails, or until its time is up; the process ends here."""
    import atheris  # there is no wheel for every Python, so only this needs it

    with atheris.instrument_imports(include=["shoal", "tests.fuzz", "json", "yaml", "csv", "zipfile"]):
        from tests.fuzz.parsers import TARGETS, run

    corpus = FOLDER / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(TARGETS[name][1]):
        (corpus / f"seed-{number}").write_bytes(seed)
    limits = ["-max_len=2000", "-timeout=20", "-rss_limit_mb=4096", f"-artifact_prefix={FOLDER / name}-"]

    def test(content: bytes) -> None:
        run(name, content)

    atheris.Setup([sys.argv[0], *limits, *options, str(corpus)], test)
    atheris.Fuzz()


def main() -> None:
    """Fuzz the target that the command line names, or each in a process of its own."""
    if len(sys.argv) < 2:
        sys.exit("Name what to fuzz, or all.")
    name, *options = sys.argv[1:]
    if name != "all":
        fuzz(name, options)
    from tests.fuzz.parsers import TARGETS

    for each in TARGETS:
        print(f"== {each}", flush=True)
        done = subprocess.run([sys.executable, "-m", "tests.fuzz.fuzz_parsers", each, *options], check=False)
        if done.returncode:
            sys.exit(f"Fuzzing {each} failed: what it failed on is in {FOLDER}.")


if __name__ == "__main__":
    main()
