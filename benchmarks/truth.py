"""Truth: are the cases as marked, is the zoo left in peace, was each rule armed there, what of the corpus and of mutants is found."""

import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue

import corpus
import results
from mutation import bench as mutation

from tensan.core import plugins
from tensan.core.findings import Level
from tensan.testing import Stem, check, programs

ROOT = Path(__file__).resolve().parents[1]
#: Programs of the zoo on which a stable rule must have been armed, at least.
FEWEST_ARMED = 3


def measure(options):
    with ExitStack() as stack:
        stems = SimpleQueue()
        for _ in range(options.jobs):
            stems.put(stack.enter_context(Stem()))

        def spread(work, items):
            def one(item):
                stem = stems.get()
                try:
                    return work(item, stem)
                finally:
                    stems.put(stem)

            with ThreadPoolExecutor(options.jobs) as pool:
                return list(pool.map(one, items))

        return {
            "cases": cases(spread),
            "zoo": zoo(spread),
            "corpus": corpus_figures(spread),
            "mutation": mutants(spread, most=mutation.QUICK if options.quick else mutation.MOST),
        }


def cases(spread):
    chosen = programs(ROOT / "cases", rules=_ours())
    wrong = [line for lines in spread(check, chosen) for line in lines[:1]]
    return {"programs": len(chosen), "right": len(chosen) - len(wrong), "wrong": [line.splitlines()[0] for line in wrong]}


def zoo(spread):
    paths = sorted((ROOT / "zoo").glob("*.py"))
    outcomes = spread(lambda path, stem: stem.run(path, limit=300.0), paths)
    armed, alarms, trouble = Counter(), {}, {}
    for path, outcome in zip(paths, outcomes, strict=True):
        if outcome.report is None or outcome.status != 0 or outcome.report.run.notes:
            trouble[path.stem] = outcome.report.run.notes if outcome.report else f"status {outcome.status}"
        if outcome.report is None:
            continue
        armed.update(outcome.report.run.rules_armed)
        found = outcome.report.at_least(Level.WARNING)
        if found:
            alarms[path.stem] = [f"{told.code}:{told.line}" for told in found]
    table = {rule.code: armed[rule.code] for rule in _ours()}
    stable = [rule.code for rule in _ours() if not rule.preview]
    return {
        "programs": len(paths),
        "alarms": len(alarms),
        "alarmed": alarms,
        "trouble": trouble,
        "armed": table,
        "stable": len(stable),
        "armed_enough": sum(table[code] >= FEWEST_ARMED for code in stable),
    }


def mutants(spread, *, most):
    seed = results.commit()
    jobs = list(mutation.chosen(sorted((ROOT / "zoo").glob("*.py")), seed=seed, most=most))
    return mutation.score(jobs, spread, seed=seed, shown=sys.stderr if sys.stderr.isatty() else None)


def corpus_figures(spread):
    return corpus.score(corpus.FOLDER, spread) if corpus.FOLDER.is_dir() else {"missing": str(corpus.FOLDER)}


def _ours():
    return [rule for rule in plugins.all_rules() if rule.__module__.startswith("tensan.rules.")]


def lines(figures):
    held = figures["cases"]
    yield f"cases: {held['right']} of {held['programs']} programs as marked"
    yield from (f"  wrong: {line[:200]}" for line in held["wrong"])
    held = figures["zoo"]
    yield (
        f"zoo: {held['alarms']} alarms on {held['programs']} programs; "
        f"{held['armed_enough']} of {held['stable']} stable rules armed on {FEWEST_ARMED} or more"
    )
    yield "  armed: " + ", ".join(f"{code} {count}" for code, count in held["armed"].items())
    yield from (f"  alarm: {name}: {' '.join(found)}" for name, found in held["alarmed"].items())
    yield from (f"  trouble: {name}: {why}" for name, why in held["trouble"].items())
    yield from corpus.lines(figures["corpus"])
    yield from mutation.lines(figures["mutation"])
