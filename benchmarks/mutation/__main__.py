"""`python -m mutation` in this folder's parent: mutants of some kinds or programs alone, each shown as it ends."""

import argparse
import json
import sys
import time
from pathlib import Path

import results

from mutation import bench
from mutation.faults import FAULTS
from tensan.testing import Stem


def main():
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="kinds of mutation (default: all)")
    parser.add_argument("--seed", default=results.commit(), help="what the choice of programs and places hangs on (default: the commit)")
    parser.add_argument("--most", type=int, default=1, help="mutants of each kind (default: 1)")
    parser.add_argument("--program", action="append", help="make mutants of this program of the zoo alone; may be repeated")
    parser.add_argument("--show", action="store_true", help="print the mutants' sources and run nothing")
    parser.add_argument("--json", type=Path, help="write the figures and each mutant here")
    options = parser.parse_args()
    unknown = [kind for kind in options.kinds if kind not in FAULTS]
    if unknown:
        parser.error(f"no such kind: {', '.join(unknown)}; there are {', '.join(FAULTS)}")

    paths = sorted((results.ROOT / "zoo").glob("*.py"))
    paths = [path for path in paths if not options.program or path.stem in options.program]
    jobs = list(bench.chosen(paths, seed=options.seed, most=options.most, kinds=options.kinds))
    if options.show:
        for fault, path, mutant in jobs:
            print(f"# {fault} of {path.stem}, lines {sorted(mutant.lines)}", mutant.source, sep="\n")
        return
    began = time.monotonic()
    with Stem() as stem:
        figures = bench.score(jobs, lambda work, items: [work(item, stem) for item in items], seed=options.seed, shown=sys.stderr)
    for line in bench.lines(figures):
        print(line)
    print(f"{time.monotonic() - began:.0f} s")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
