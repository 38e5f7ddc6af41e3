"""Measures recovery on small tasks: faults of each kind, beside skipping what is not finite and a naive breaker; seeded by the commit.

`python benchmarks/recovery/simulate.py [--tasks ...] [--faults ...] [-o FILE]` prints the held-out loss relative to the clean run.
"""

import argparse
import json
import subprocess
from pathlib import Path

from tensan.testing import Stem

PROGRAM = Path(__file__).with_name("training.py")
TASKS = ("regression", "images", "sequence", "teacher", "noisy", "autoencoder")
FAULTS = {
    "loss": (1, 5, 200),
    "gradient": (1, 5, 200),
    "moment": (1, 5, 200),
    "buffer": (1, 5, 200),
    "average": (1, 5),
    "data": (1, 5, 200),
    "scale": (1, 5),
    "labels": (20,),
    "rate": (0,),
}
CLEAN = ("none", "restarts", "drops", "heavy", "flips")


def figures(outcome, clean):
    words = outcome.stdout.split()
    if len(words) != 3:
        return {"status": outcome.status}
    return {"contaminated": int(words[0]), "finite": words[1] == "True", "relative": round(float(words[2]) / clean, 4)}


def simulate(stem, task, seed, faults):
    def run(fault, length, policy="", **flags):
        return stem.run(PROGRAM, arguments=[task, fault, str(length), str(seed), policy], limit=300, **flags)

    clean = float(run("none", 0, watched=False).stdout.split()[-1])
    for fault in faults:
        for length in FAULTS.get(fault, (0,)):
            ours = run(fault, length, flags={"recover": "rewind", "alarm_interval": 1_000_000})
            row = {"task": task, "fault": fault, "length": length, "tensan": figures(ours, clean)}
            row["tensan"]["actions"] = [action.kind for action in ours.report.run.actions]
            for policy in ("none", "skip", "breaker"):
                row[policy] = figures(run(fault, length, policy, watched=False), clean)
            yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=TASKS)
    parser.add_argument("--faults", nargs="+", choices=(*FAULTS, *CLEAN), default=(*FAULTS, *CLEAN))
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    rows = []
    with Stem() as stem:
        for number, task in enumerate(options.tasks):
            for row in simulate(stem, task, (int(commit, 16) + number) % 10_000, options.faults):
                rows.append(row)
                print(json.dumps(row), flush=True)
                if options.output:
                    options.output.write_text(json.dumps({"commit": commit, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
