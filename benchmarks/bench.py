"""`make bench`: measures truth, cost and neutrality, keeps the figures as dated JSON, and compares them with the last ones."""

import argparse
import os
import platform
import subprocess
import sys
import time

import cost
import localisation
import neutrality
import results
import telemetry
import truth

SECTIONS = {"truth": truth, "cost": cost, "neutrality": neutrality, "localisation": localisation, "telemetry": telemetry}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=SECTIONS, help="measure this section alone; may be repeated")
    parser.add_argument("--quick", action="store_true", help="fewer turns, shorter runs: a look, not a measurement")
    parser.add_argument("--turns", type=int, help="turns of each cost measurement (default: 5, quick: 2)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="programs at a time, for truth (default: all processors)")
    parser.add_argument("--keep", action=argparse.BooleanOptionalAction, default=None, help="store the figures (default: unless quick)")
    options = parser.parse_args()
    options.turns = options.turns or (2 if options.quick else 5)

    before = results.latest()
    measured = {
        "date": time.strftime("%Y-%m-%d"),
        "commit": results.commit(),
        "changed": results.is_changed(),
        "machine": machine(),
        "quick": options.quick,
    }
    for name in options.only or SECTIONS:
        print(f"── {name}", flush=True)
        began = time.monotonic()
        measured[name] = SECTIONS[name].measure(options)
        measured[name]["seconds"] = round(time.monotonic() - began, 1)
        for line in SECTIONS[name].lines(measured[name]):
            print(f"   {line}", flush=True)
    for line in results.compared(measured, before):
        print(line)
    if options.keep if options.keep is not None else not options.quick:
        print(f"kept in {results.keep(measured)}")


def machine():
    torch = subprocess.run([sys.executable, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True)
    return {
        "processors": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "torch": torch.stdout.strip(),
        "load": round(os.getloadavg()[0], 1),
    }


if __name__ == "__main__":
    main()
