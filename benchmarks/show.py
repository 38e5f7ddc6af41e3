"""Renders the last stored figures as the page `docs/benchmarks.md`: `python benchmarks/show.py > docs/benchmarks.md`."""

import sys

import results

FEWEST_ARMED = 3


def page(stored):
    """Returns the page in Markdown.

    Args:
        stored: the figures of the last measurement of each section.
    """
    parts = ["# Benchmarks", "", "Made by `make bench` and `benchmarks/show.py`; do not edit.", ""]
    if not any(section in stored for section in results.SECTIONS):
        return "\n".join([*parts, "Nothing has been measured yet.", ""])
    held = stored["machine"]
    parts += [
        f"Measured on {stored['date']} at commit `{stored['commit']}`{' and later changes' if stored.get('changed') else ''}: "
        f"{held['processors']} processors (load {held['load']}), "
        f"Python {held['python']}, torch {held['torch']}.",
        "",
    ]
    for name, render in (
        ("truth", _truth),
        ("cost", _cost),
        ("neutrality", _neutrality),
        ("localisation", _localisation),
        ("telemetry", _telemetry),
    ):
        if name in stored:
            parts += [f"## {name.capitalize()}", "", *render(stored[name]), ""]
    return "\n".join(parts)


def _truth(held):
    cases, zoo, corpus = held["cases"], held["zoo"], held["corpus"]
    yield from table(["what", "result"], [*_truth_rows(cases, zoo, corpus), *_mutation_rows(held.get("mutation"))])
    yield ""
    yield f"Programs of the zoo on which each rule could have spoken (a stable rule needs {FEWEST_ARMED}):"
    yield ""
    yield from table(["rule", "armed on"], zoo["armed"].items())


def _truth_rows(cases, zoo, corpus):
    yield "cases as marked", f"{cases['right']} of {cases['programs']}"
    yield "alarms on the zoo", f"{zoo['alarms']} on {zoo['programs']} right programs"
    yield "stable rules armed on the zoo", f"{zoo['armed_enough']} of {zoo['stable']}"
    if "missing" not in corpus:
        yield "corpus: bugs seen", f"{corpus['seen']} of {corpus['buggy']}"
        yield "corpus: right line", f"{corpus['line']} of {corpus['buggy']}"
        yield "corpus: right line first", f"{corpus['first']} of {corpus['buggy']}"
        yield "corpus: alarms on right programs", f"{corpus['alarms']} of {corpus['right']}"
        yield "corpus: exit status changed", f"{corpus['broke']}"


def _mutation_rows(held):
    if held is not None:
        yield "mutants of the zoo that changed its result", f"{held['changed']} of {held['mutants']}, of {held['kinds']} kinds"
        yield "mutants: seen, right line, right line first", f"{held['seen']}, {held['right_line']}, {held['first']} of {held['changed']}"


def _localisation(held):
    yield "Planted operations that make a value or a gradient non-finite: is the operation named, and its line?"
    yield ""
    rows = {"seen": held["seen"], "on their line": held["line"], "operation named": held["named"]}
    rows["`detect_anomaly` beside it: its trace ends in the line"] = held["anomaly_line"]
    yield from table(["what", "of " + str(held["programs"])], rows.items())


def _cost(held):
    yield "Ratios are of CPU time, medians over turns, watched/bare with bare/bare beside it: what differs by less than that is noise."
    yield "The first steps are looked at whatever they cost, and paid back by waiting: shorter runs than these show a larger share."
    yield ""
    names = ["workload", "steps", "ms/step", "self-time", "loop", "whole process", "calls/step", "syncs/step", "run file", "memory"]
    yield from table(names, (_cost_row(name, row) for name, row in held["workloads"].items()))
    yield ""
    start = held["startup"]
    yield f"Start-up: {start['cpu_s']:+.2f} s of CPU time beyond the {start['bare_cpu_s']:.2f} s of the script's own imports."


def _cost_row(name, row):
    return [
        name,
        f"{row['steps']:,}",
        f"{row['step_ms']:.2f}",
        f"{row['self_pct']:.2f} % ({row['self_ms']:.0f} ms)",
        f"{row['loop_ratio']:.3f} ({row['loop_bare_bare']:.3f})",
        f"{row['whole_ratio']:.3f} ({row['whole_bare_bare']:.3f})",
        f"{row['calls_per_step']:.2f}",
        f"{row['syncs_per_step']:.2f}",
        f"{row['run_file_bytes'] / 1024:.1f} KB",
        f"{row['memory_mb']:+.0f} MB of {row['memory_bare_mb']:.0f}",
    ]


def _telemetry(held):
    yield f"What watching takes of {held['workload']} with `--track opentelemetry`, one run with each dead or hostile collector:"
    yield ""
    rows = (
        (name, f"{row['self_pct']:.2f} %", "told" if row["lost"] else "nothing lost", "equal" if row["same_loss"] else "differ")
        for name, row in held["collectors"].items()
    )
    yield from table(["the collector", "self-time", "what was lost", "losses"], rows)


def _neutrality(held):
    yield f"{held['same']} of {held['programs']} programs of the zoo print and leave the same bit for bit, watched or not;"
    yield f"{held['changed']} are changed; {held['unsteady']} differ between two bare runs already."


def table(names, rows):
    yield "| " + " | ".join(names) + " |"
    yield "|" + " --- |" * len(names)
    for row in rows:
        yield "| " + " | ".join(str(item) for item in row) + " |"


if __name__ == "__main__":
    sys.stdout.write(page(results.latest()))
