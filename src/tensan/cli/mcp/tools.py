"""The tools that an agent calls: what each takes, and the bounded text that it gives back."""

from __future__ import annotations

import io
import linecache
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tensan.cli.compare import comparison
from tensan.cli.explain import matches, page
from tensan.cli.mcp import confinement, patches
from tensan.cli.mcp.runs import Ran, Runner
from tensan.core import plugins
from tensan.core.edits import diff, nearest
from tensan.core.errors import UsageError
from tensan.core.findings import Level, Told
from tensan.core.findings import text as as_unicode
from tensan.core.questions import parsed
from tensan.core.report import Report
from tensan.launch.selection import closest
from tensan.sinks._shown import clean, place
from tensan.sinks.agent import AgentSink

#: Characters of an answer, steps of a run, runs that are remembered, and characters of a script's arguments together.
MOST_CHARACTERS, MOST_STEPS, MOST_RUNS, MOST_ARGUMENTS = 16_000, 100_000, 50, 8_000

#: How long a run may take where nothing is said.
SECONDS = 120


class Toolbox:
    """The tools, for one root. Each public method that returns text is one.

    Args:
        root: the folder whose scripts may be run, links resolved.
        most_seconds: the longest that one run may take.
    """

    def __init__(self, root: Path, *, most_seconds: int) -> None:
        self._root, self._most_seconds = root, most_seconds
        self._runner = Runner()
        self._runs: dict[str, Ran] = {}
        self._count = 0
        self._scratch = tempfile.TemporaryDirectory(prefix="tensan-mcp-", ignore_cleanup_errors=True)

    def close(self) -> None:
        """Kills what runs, and removes what was written for it."""
        self._runner.kill()
        self._scratch.cleanup()

    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(dir=self._scratch.name, ignore_cleanup_errors=True)

    # ---- runs ----

    def run_script(self, script: str, arguments: list[str] | None = None, steps: int = 20, seconds: int | None = None) -> str:
        """Runs a training script under Tensan and tells what silently goes wrong in it, with proof and fix.

        Args:
            script: path of a Python file under the root.
            arguments: its own command-line arguments.
            steps: optimizer steps after which it is stopped cleanly.
            seconds: after so long it is interrupted; 120 where nothing is said.
        """
        ran = self._run(self._root, script, arguments, steps, seconds)
        self._count += 1
        name = f"run-{self._count}"
        self._runs[name] = ran
        while len(self._runs) > MOST_RUNS:
            del self._runs[next(iter(self._runs))]
        return f"{name}: {_outcome(ran)}\n\n{_page(ran.report)}\n{_output(ran)}"

    def list_findings(self, run: str = "") -> str:
        """Lists the findings of a run, a line each, by the number that explain_finding takes.

        Args:
            run: its name, such as `run-1`; the latest where it is empty.
        """
        report = self._report(run)
        lines = [
            f"{number}. {told.level} {told.code} {told.name}: {clean(told.message)} ({place(told.path, told.line) or 'no place'})"
            for number, told in enumerate(report.at_least(Level.WARNING), 1)
        ]
        return "\n".join(lines) or "no findings"

    def explain_finding(self, number: int, run: str = "") -> str:
        """Tells one finding in full: place, code around it, proof, evidence, fix, consequences, and the exact edit where it is known.

        Args:
            number: its number in list_findings.
            run: name of the run; the latest where it is empty.
        """
        report = self._report(run)
        found = report.at_least(Level.WARNING)
        if not 1 <= number <= len(found):
            raise UsageError(
                f"number: expected 1 to {len(found)}, got {number}" if found else f"number: that run has no findings, got {number}"
            )
        told = found[number - 1]
        alone = Report(run=report.run, findings=[told, *report.consequences(told)])
        edit = diff(nearest(told.repairs), folder=str(self._root))
        text = _page(alone).rpartition("SUMMARY")[0].rstrip()  # that line counts the findings of a whole run
        return f"{text}\n\n" + (f"exact edit:\n{edit}\n" if edit else "") + f"explain_rule {told.code} says more about this kind of fault."

    def explain_rule(self, rule: str) -> str:
        """Tells what a rule finds, why that is bad, an example, and what to write instead.

        Args:
            rule: its code or name, such as `SHP101` or `broadcast-in-loss`.
        """
        rules = plugins.all_rules()
        found = matches(rules, rule) if rule else []
        if not found:
            near = closest(rule, rules)
            raise UsageError(f"rule: unknown rule {rule!r}" + (f"; did you mean {near}?" if near else ""))
        if len(found) > 1:
            return "\n".join(f"{each.code} {each.name}: {each.summary()}" for each in found)
        return page(found[0])

    # ---- questions ----

    def ask(self, script: str, question: str, arguments: list[str] | None = None, steps: int = 5, seconds: int | None = None) -> str:
        """Runs a script for a few steps and puts a question to a recorded step: an intervention, or where a value was made.

        Args:
            script: path of a Python file under the root.
            question: `made FILE:LINE`: what ran on a line, and where its operands came from; `permute FILE:LINE`: how much the gradient
                changes when the operand without gradient is permuted along the batch; `replace sample`: whether one sample moves the
                outputs of others; `replace column`: which columns of the input move no output; `noise future`: whether later tokens move
                earlier predictions; `noise padding`: whether the loss depends on what padded places hold.
            arguments: the script's own command-line arguments.
            steps: optimizer steps after which it is stopped.
            seconds: after so long it is interrupted; 120 where nothing is said.
        """
        if "," in question:
            raise UsageError(f"question: a comma separates questions, and one can be asked at a time, got {question!r}")
        parsed(question)
        ran = self._run(self._root, script, arguments, steps, seconds, asks=(question,))
        replies = ran.report.run.answers if ran.report is not None else []
        lines = [
            *(f"step {reply.step}\n{reply.text}" if reply.text else f"no answer: {reply.why_not}" for reply in replies),
            f"({_outcome(ran)})",
        ]
        return "\n".join(clean(line) for text in lines for line in text.splitlines()) + ("" if replies else f"\n{_output(ran)}")

    def provenance(self, script: str, line: str, arguments: list[str] | None = None, steps: int = 5, seconds: int | None = None) -> str:
        """Tells what the operations of a line were given, and where each operand was made, back to data and parameters.

        Args:
            script: path of a Python file under the root.
            line: a line that it runs: `22` in the script itself, or `model.py:22`.
            arguments: the script's own command-line arguments.
            steps: optimizer steps after which it is stopped.
            seconds: after so long it is interrupted; 120 where nothing is said.
        """
        return self.ask(script, f"made {f'{script}:{line}' if line.isdigit() else line}", arguments, steps, seconds)

    # ---- patches ----

    def test_patch(self, script: str, diff: str, arguments: list[str] | None = None, steps: int = 20, seconds: int | None = None) -> str:
        """Runs a script as it is and with a patch, on copies, and compares: which findings are fixed, new and still there, and the curves.

        The tree itself is not changed.

        Args:
            script: path of a Python file under the root.
            diff: a unified diff, with paths relative to the root.
            arguments: the script's own command-line arguments.
            steps: optimizer steps of each run.
            seconds: after so long each run is interrupted; 120 where nothing is said.
        """
        name = confinement.script_under(self._root, script)
        with self._folder() as temporary:
            folders = [Path(temporary).resolve() / which for which in ("before", "after")]
            left_out: list[str] = []
            for folder in folders:
                left_out = confinement.copy(self._root, folder)
            changed = patches.apply(diff, folders[1])
            before, after = [self._run(folder, name, arguments, steps, seconds) for folder in folders]
            lines = [f"patched: {', '.join(changed)}"]
            lines += [f"not in the copies, since they lead out of the root: {', '.join(left_out)}"] if left_out else []
            lines += [f"before: {_outcome(before)}", f"after: {_outcome(after)}"]
            if before.report is not None and after.report is not None:
                lines += comparison(before.report, _aligned(before.report, after.report))
            if after.exit_status:
                lines.append(_output(after))
            text = "\n".join(clean(line) for text in lines for line in text.splitlines())
            for folder in folders:
                text = text.replace(f"{folder}{os.sep}", "")
            return text

    # ---- shared ----

    def _run(
        self, root: Path, script: str, arguments: Sequence[str] | None, steps: int, seconds: int | None, *, asks: Sequence[str] = ()
    ) -> Ran:
        name, words = confinement.script_under(root, script), list(arguments or ())
        seconds = min(SECONDS, self._most_seconds) if seconds is None else seconds
        for key, value, most in (("steps", steps, MOST_STEPS), ("seconds", seconds, self._most_seconds)):
            if not 1 <= value <= most:
                raise UsageError(f"{key}: expected 1 to {most}, got {value}")
        if sum(map(len, words)) + len(words) > MOST_ARGUMENTS:
            raise UsageError(f"arguments: expected at most {MOST_ARGUMENTS} characters")
        with self._folder() as folder:
            ran = self._runner.run(root, name, words, output=Path(folder), steps=steps, seconds=seconds, asks=asks)
        linecache.checkcache()  # sources may have been edited since the last run
        return ran

    def _report(self, run: str) -> Report:
        name = run or next(reversed(self._runs), "")
        ran = self._runs.get(name)
        if ran is None:
            known = f"those known are {', '.join(list(self._runs)[-5:])}" if self._runs else "run_script makes one"
            raise UsageError(f"run: there is no {run!r}; {known}")
        if ran.report is None:
            raise UsageError(f"run: {name} never began to be watched: {_outcome(ran)}")
        return ran.report


def bounded(text: str, *, most: int = MOST_CHARACTERS) -> str:
    """Returns as much of an answer as an agent is given, and says how much was cut."""
    text = as_unicode(text)
    return text if len(text) <= most else f"{text[:most]} [cut: {len(text) - most} more characters]"


def _outcome(ran: Ran) -> str:
    run = ran.report.run if ran.report is not None else None
    how = "took too long and was ended" if ran.overdue else run.status if run is not None else "could not be started"
    steps = f", {run.steps} steps" if run is not None else ""
    return f"{clean(ran.script)} {how}{steps}, exit status {ran.exit_status}, {ran.seconds:.0f} s"


def _output(ran: Ran) -> str:
    """Returns the end of what a script printed, marked as its own words."""
    if not ran.output.strip():
        return "it printed nothing"
    text = "\n".join(f"| {clean(line)}" for line in ran.output.splitlines())
    return f"what it printed ({ran.printed} bytes{', the end' if ran.printed > len(ran.output.encode()) else ''}):\n{text}"


def _page(report: Report | None) -> str:
    if report is None:
        return "it was not watched"
    stream = io.StringIO()
    AgentSink().write(report, stream)
    return stream.getvalue()


def _aligned(before: Report, after: Report) -> Report:
    """Returns the second report with a finding called by its old name where only the text of its line has changed."""
    old, new = ({told.fingerprint for told in report.roots} for report in (before, after))
    gone = [told for told in before.roots if told.fingerprint not in new]
    findings = []
    for told in after.findings:
        same = [other for other in gone if told.fingerprint not in old and _where(other) == _where(told)]
        if same and told.caused_by is None:
            gone.remove(same[0])
            told = msgspec.structs.replace(told, fingerprint=same[0].fingerprint)
        findings.append(told)
    return msgspec.structs.replace(after, findings=findings)


def _where(told: Told) -> tuple[str, str, str]:
    return told.code, told.function, os.path.basename(told.path or "")
