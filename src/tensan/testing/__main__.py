"""Checks cases from the command line: `python -m tensan.testing [--bless] cases [TEXT ...]`."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tensan.core import plugins
from tensan.testing.cases import CaseError, Program, programs
from tensan.testing.check import check
from tensan.testing.stem import Stem


def main() -> int:
    """Checks the programs whose name holds one of the given texts, prints a line for each that fails, and returns an exit status."""
    parser = argparse.ArgumentParser(prog="python -m tensan.testing", description=__doc__)
    parser.add_argument("folder", type=Path, help="holds the case folders, each named CODE-name")
    parser.add_argument("text", nargs="*", help="parts of names such as SHP101-broadcast-in-loss/bad; default: all")
    parser.add_argument("--bless", action="store_true", help="write the reports anew instead of comparing them")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time (default: 1)")
    parser.add_argument("--repeat", type=int, default=1, help="check each so many times: what the budget decides may differ (default: 1)")
    options = parser.parse_args()
    try:
        found = programs(options.folder, rules=plugins.all_rules())
    except CaseError as error:
        print(error, file=sys.stderr)
        return 2
    chosen = [program for program in found if not options.text or any(text in program.name for text in options.text)]
    chosen *= options.repeat
    failures = _check_all(chosen, jobs=options.jobs, bless=options.bless)
    print(f"{len(chosen) - failures} of {len(chosen)} programs as they must be")
    return 1 if failures else 0


def _check_all(chosen: list[Program], *, jobs: int, bless: bool) -> int:
    stems: SimpleQueue[Stem] = SimpleQueue()
    for _ in range(jobs):
        stems.put(Stem())

    def one(program: Program) -> bool:
        stem = stems.get()
        try:
            wrong = check(program, stem, bless=bless)
        finally:
            stems.put(stem)
        if wrong:
            print("\n".join(wrong), flush=True)
        return bool(wrong)

    with ThreadPoolExecutor(jobs) as pool:
        failures = sum(pool.map(one, chosen))
    for _ in range(jobs):
        stems.get().close()
    return failures


if __name__ == "__main__":
    sys.exit(main())
