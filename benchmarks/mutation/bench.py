"""Mutation: right programs with one fault each, chosen by the commit's hash so that nobody can tune to them; what is seen of them?"""

import itertools
import random
import tempfile
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

from mutation.edits import Program
from mutation.faults import FAULTS

#: Mutants of one kind.
MOST = 4
QUICK = 1


@dataclass(frozen=True)
class Result:
    """What became of one mutant.

    Attributes:
        what: `crashed` where it ended as the right program did not, `same` where it printed the same, else `changed`.
        seen: codes and lines of the findings that the right program did not have.
        right, first: whether one of them names the right line, and whether the first one does.
    """

    fault: str
    program: str
    lines: tuple[int, ...]
    what: str
    seen: tuple[str, ...] = ()
    right: bool = False
    first: bool = False

    def __str__(self):
        verdict = "first" if self.first else "right" if self.right else "elsewhere" if self.seen else "unseen"
        told = "" if self.what != "changed" else f" {verdict} {' '.join(self.seen)}"
        return f"{self.fault} {self.program}:{','.join(map(str, self.lines[:6]))} {self.what}{told}"


def chosen(paths, *, seed, most, kinds=()):
    """Yields so many mutants of each kind, over as many programs as there are."""
    programs = {path: Program(path.read_text()) for path in paths}
    for fault, mutate in FAULTS.items():
        if kinds and fault not in kinds:
            continue
        generator = random.Random(f"{seed} {fault}")
        pool = [(path, list(mutate(program))) for path, program in programs.items()]
        pool = [(path, mutants) for path, mutants in pool if mutants]
        for path, mutants in generator.sample(pool, min(most, len(pool))):
            yield fault, path, random.Random(f"{seed} {fault} {path.stem}").choice(mutants)


def run(mutant, path, fault, stem, bare):
    """Runs a mutant bare, and where it differs from the right program, watched."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, path.name)
        script.write_text(mutant.source)
        held = {"fault": fault, "program": path.stem, "lines": tuple(sorted(mutant.lines))}
        right, wrong = bare(path), stem.run(script, watched=False, limit=240.0)
        if wrong.status != right.status or wrong.timed_out:
            return Result(**held, what="crashed")
        if wrong.stdout == right.stdout:
            return Result(**held, what="same")
        report = stem.run(script, limit=240.0).report
        told = [finding for finding in report.findings if finding.level in ("error", "warning")] if report else []
        at = [finding.line in mutant.lines for finding in told]
        return Result(**held, what="changed", seen=tuple(f"{one.code}:{one.line}" for one in told), right=any(at), first=at[:1] == [True])


def score(jobs, spread, *, seed, shown=None):
    """Returns the figures over mutants; each is written to `shown` as it ends, where that is a terminal or was asked for."""
    outcomes, ended = {}, itertools.count(1)

    def work(job, stem):
        fault, path, mutant = job

        def bare(path):
            if path not in outcomes:
                outcomes[path] = stem.run(path, watched=False, limit=240.0)
            return outcomes[path]

        result = run(mutant, path, fault, stem, bare)
        if shown is not None:
            shown.write(f"   {next(ended)} of {len(jobs)} {result}\n")
            shown.flush()
        return result

    results = spread(work, jobs)
    changed = [result for result in results if result.what == "changed"]
    return {
        "seed": seed,
        "kinds": len({result.fault for result in results}),
        "mutants": len(results),
        "crashed": sum(result.what == "crashed" for result in results),
        "same": sum(result.what == "same" for result in results),
        "changed": len(changed),
        "seen": sum(bool(result.seen) for result in changed),
        "right_line": sum(result.right for result in changed),
        "first": sum(result.first for result in changed),
        "results": [asdict(result) for result in results],
    }


def lines(figures):
    changed = max(figures["changed"], 1)
    seen, right, first = (100 * figures[key] / changed for key in ("seen", "right_line", "first"))
    yield (
        f"mutation: {figures['mutants']} mutants of {figures['kinds']} kinds; {figures['crashed']} ended in an error, "
        f"{figures['same']} printed the same; of {figures['changed']} that changed the result {figures['seen']} seen ({seen:.0f} %), "
        f"{figures['right_line']} on the right line ({right:.0f} %), {figures['first']} with it first ({first:.0f} %)"
    )
    kinds = defaultdict(list)
    for result in figures["results"]:
        kinds[result["fault"]].append(result)
    for kind, results in sorted(kinds.items()):
        told = [result for result in results if result["what"] == "changed"]
        if told:
            counts = ", ".join(f"{name} {sum(bool(result[name]) for result in told)}" for name in ("seen", "right", "first"))
            missed = [f"{result['program']} {' '.join(result['seen']) or 'unseen'}" for result in told if not result["first"]]
            yield f"  {kind}: {counts} of {len(told)}" + (f"; {'; '.join(missed)}" if missed else "")
    survivors = [f"{result['fault']} {result['program']}" for result in figures["results"] if result["what"] == "same"]
    if survivors:
        yield f"  changed nothing that is printed: {', '.join(survivors)}"
