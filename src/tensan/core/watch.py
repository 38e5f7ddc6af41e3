"""One watched run: events in, findings out, with folding, suppression, the budget and the run file."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tensan.core.actions import MOST_ACTIONS, Action, lines
from tensan.core.asks import Answer, Ask
from tensan.core.budget import Budget
from tensan.core.channel import Channel
from tensan.core.events.base import Event, event_types, heard_by
from tensan.core.findings import Finding, Level, Told, plain, tell
from tensan.core.folding import causes
from tensan.core.gate import Gate
from tensan.core.goal import Pursuit
from tensan.core.goal import lines as goal_lines
from tensan.core.replay_token import Token, met, replays
from tensan.core.report import Report, Run, ordered
from tensan.core.rule import Rule
from tensan.core.runfile import RunFile
from tensan.core.settings import Settings
from tensan.core.sites import Location, Site, resolved
from tensan.core.stats import Stat
from tensan.core.suppression import Suppressor
from tensan.core.trial import trial_of

if TYPE_CHECKING:  # a run that is asked nothing loads nothing for it
    from tensan.core.questions import Questions

T = TypeVar("T")

#: A rule may find this many different things; more are counted, not kept. One cause rarely has more than a few places.
MOST_PER_RULE = 50

#: Part of the share that is spent on what may wait. The rest pays for what may not: the first steps, rare events, and what no
#: clock of ours sees, such as caches that our work has emptied.
SPENT_FREELY = 0.8


class Stopped(SystemExit):
    """Ends the script from inside, as `--steps`, `--halt-on-error` and recovery do; its finally blocks run.

    Args:
        why: for the report.
        status: the exit status that the script then has.
    """

    def __init__(self, why: str, *, status: int = 0) -> None:
        super().__init__(status)
        self.why = why
        if _current is not None:  # the launcher sees a plain SystemExit, so the watch keeps the reason
            _current.stopped = why


class _Entry(msgspec.Struct, kw_only=True):
    """A finding and how often it came."""

    finding: Finding
    told: Told
    count: int = 1
    last_step: int = 0


class Watch:
    """A watched run.

    Args:
        settings: what holds for it.
        rules: instances, one each.
        script: what is being run, for the report.
        run_file: where things are written as they happen; None keeps them in memory only.
        channel: how the run's other processes reach this one; None where there are none.
        budget: what watching may cost; by default the share that the settings name.
        baseline: fingerprints of findings that are not to be told again.
        rank: number of this process among those that train together.
        questions: what the user asks of a recorded step, if anything.

    Attributes:
        stopped: why the script was stopped from inside; empty where it was not.
        began: tells how a deterministic run began; None where it is none.
        pursuit: follows the run to what it is for; None where the user has not said that.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        rules: Sequence[Rule] = (),
        script: str = "",
        run_file: RunFile | None = None,
        channel: Channel | None = None,
        budget: Budget | None = None,
        baseline: Iterable[str] = (),
        rank: int = 0,
        questions: Questions | None = None,
    ) -> None:
        self.settings = settings
        self.rules = list(rules)
        self.questions = questions
        self.budget = budget or Budget(SPENT_FREELY * settings.overhead / 100)
        self.gate = Gate()
        self.channel = channel
        self.run_file = run_file
        self.suppressor = Suppressor(per_file=settings.per_file_ignores, baseline=baseline)
        self.process = os.getpid()
        self.rank = rank
        self.stopped = ""
        self.began: Callable[[], Token] | None = None
        self.pursuit: Pursuit | None = None
        self.steps = 0
        self.cost: dict[str, float] = {}
        self.versions: dict[str, str] = {}
        self.answerers: list[Callable[[Ask], Answer]] = []
        self.executed: dict[str, set[int]] = {}
        self._not_checked: dict[str, None] = {}
        self._notes: dict[str, None] = {}
        self._entries: dict[tuple[object, ...], _Entry] = {}
        self._told: dict[str, int] = {}
        self._dropped = 0
        self._actions: list[Action] = []
        self._more_actions = 0
        self._suppressed: dict[str, Finding] = {}
        self._silenced: set[tuple[object, ...]] = set()
        self._started = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        self.script = script
        self._halt: Told | None = None
        self._handlers: dict[type[Event], list[tuple[Rule | Questions, Callable[[Any], Any]]]] = {}
        for listener in (*([questions] if questions is not None else []), *self.rules):
            for kind, name in heard_by(type(listener)):
                self._handlers.setdefault(kind, []).append((listener, getattr(listener, name)))
        if run_file is not None:
            run_file.append("start", {"version": 1, "script": script, "pid": self.process, "started": self._started})
            run_file.append("run", self._run(status="running", exit_status=None))

    # ---- events in ----

    def wants(self, kind: type[Event]) -> bool:
        """Tells whether anybody listens, so that an event that nobody wants is never built."""
        return kind in self._handlers

    def needs(self) -> frozenset[Stat]:
        """Returns the statistics that the rules still in use ask for."""
        return frozenset(stat for rule in self.rules for stat in rule.needs)

    def emit(self, event: Event) -> None:
        """Hands an event to its listeners; a rule that raises is switched off and the run goes on."""
        for listener, handler in tuple(self._handlers.get(type(event), ())):
            try:
                self._take(listener, handler(event))
            except Exception as error:  # noqa: BLE001 - the guest never breaks the host
                self.switch_off(listener, error)
        if self._halt is not None and self.settings.halt_on_error:
            told, self._halt = self._halt, None
            raise Stopped(f"--halt-on-error: {told.code} {told.message}")

    def _take(self, listener: Rule | Questions, items: Iterable[Finding | Ask] | None) -> None:
        for item in items or ():
            if isinstance(item, Finding):
                self.report(item)
            else:
                self._take(listener, listener.on_answer(self.ask(item)))

    def ask(self, ask: Ask, *, what: str = "replay") -> Answer:
        """Puts a question to the adapters; the first answer that concludes something counts.

        Args:
            ask: the question.
            what: what is called not checked where nothing can be concluded.
        """
        answer = Answer(ask=ask, why_not="no adapter can answer it")
        for answerer in tuple(self.answerers):
            try:
                answer = answerer(ask)
            except Exception as error:  # noqa: BLE001 - a failing replay is the adapter's fault, not the asking rule's
                self.answerers.remove(answerer)
                self.switch_off("the replay of an adapter", error)
                answer = Answer(ask=ask, why_not="the adapter failed")
            if answer.value is not None:
                return answer
        if not ask.insists:  # whoever insists is told himself
            self.not_checked(f"{what} ({answer.why_not})")
        return answer

    def prove(self) -> None:
        """Has the fixes of what was found tried on the recorded steps. It takes as long as it takes: only where the user asked for it."""
        roots = {told.fingerprint for told in self.snapshot().at_least(Level.WARNING)}
        for entry in self._entries.values():
            if entry.finding.fix is not None and entry.told.fingerprint in roots:
                answer = self.ask(entry.finding.fix, what=f"fix of {entry.finding.code}")
                trial = trial_of(answer)
                if trial is not None:
                    entry.told.tried = str(trial)
                    entry.told.evidence |= {"fix": plain(msgspec.structs.asdict(trial) | {"concluded": trial.concludes})}

    def switch_off(self, part: Rule | Questions | str, error: Exception) -> None:
        """Takes a failing rule, adapter or sink out of the run and says so in one line of the report."""
        what = f"rule {part.code} ({part.name})" if isinstance(part, Rule) else part if isinstance(part, str) else "what --ask asked"
        if isinstance(part, Rule):
            if part not in self.rules:
                return
            self.rules.remove(part)
            part.armed = False
        if not isinstance(part, str):
            for handlers in self._handlers.values():
                handlers[:] = [(listener, handler) for listener, handler in handlers if listener is not part]
            self._handlers = {kind: handlers for kind, handlers in self._handlers.items() if handlers}
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace is not None else ""
        self.note(f"TEN901: {what} failed and was switched off: {type(error).__name__}: {error}{where}; the script is not affected")

    def note(self, text: str) -> None:
        """Adds a line about the watch itself to the report, once."""
        if text not in self._notes:
            self._notes[text] = None
            if self.run_file is not None:
                self.run_file.append("run", self._run(status="running", exit_status=None))

    def not_checked(self, what: str) -> None:
        """Says in the summary that something was not looked at, so that silence is not taken for health."""
        self._not_checked.setdefault(what, None)

    def act(self, action: Action) -> None:
        """Takes down what was done to keep the run alive."""
        pursuit = self.pursuit
        if pursuit is not None:
            self._of_goal(lambda: pursuit.acted(action))
        if self.run_file is not None:
            self.run_file.append("action", action)
        if len(self._actions) >= MOST_ACTIONS:
            self._more_actions += 1
            return
        self._actions.append(action)
        if self.run_file is not None:
            self.run_file.append("run", self._run(status="running", exit_status=None))

    def measured(self, metric: str, value: float) -> None:
        """A metric of the run was measured."""
        pursuit = self.pursuit
        if pursuit is not None and pursuit.goal.metric == metric:
            self._of_goal(lambda: pursuit.measured(value, step=self.steps))

    def _of_goal(self, part: Callable[[], T]) -> T | None:
        try:
            return part()
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host
            self.pursuit = None
            self.switch_off("what follows the goal", error)
            return None

    def blamed(self, effect: str, *, step: int) -> Location | None:
        """Returns the place of what was found at a step and has an effect."""
        found = (
            entry.finding.location for entry in self._entries.values() if entry.finding.effect == effect and entry.finding.step == step
        )
        return resolved(next(found, None))

    # ---- findings out ----

    def report(self, finding: Finding) -> None:
        """Takes a finding: the same rule at the same place counts as one, however often it comes."""
        place = finding.location.key if isinstance(finding.location, Site) else finding.location
        key = (finding.code, place if place is not None else finding.message)
        if key in self._silenced:  # its places were resolved once, which is the costly part
            return
        known = self._entries.get(key)
        if known is not None:
            known.count += 1
            known.last_step = max(known.last_step, finding.step)
            known.finding = msgspec.structs.replace(known.finding, subjects=known.finding.subjects | finding.subjects)
            return
        if self._told.get(finding.code, 0) >= MOST_PER_RULE:
            self._dropped += 1
            return
        told = tell(finding)
        told.rank = finding.rank or self.rank
        if self.suppressor.silences(told):
            self._suppressed[told.fingerprint] = finding
            if not self.suppressor.scoped:  # what a `with` block silences is told again outside of it
                self._silenced.add(key)
            return
        self._entries[key] = _Entry(finding=finding, told=told, last_step=finding.step)
        self._told[finding.code] = self._told.get(finding.code, 0) + 1
        if self.run_file is not None:
            self.run_file.append("finding", told)
            self.run_file.append("run", self._run(status="running", exit_status=None))
        if finding.level is Level.ERROR:
            self._halt = self._halt or told

    def receive(self) -> None:
        """Takes in what the run's other processes have sent."""
        if self.channel is None:
            return
        kinds = {kind.__name__: kind for kind in event_types()}
        for message in self.channel.receive():
            kind = kinds.get(str(message.get("event")))
            fields = message.get("fields")
            if kind is not None and isinstance(fields, dict) and self.wants(kind):
                values: dict[str, Any] = {str(key): _place(value) for key, value in fields.items()}
                self.emit(kind(**values))

    def send(self, event: Event) -> None:
        """Sends an event from a child process to the process that watches."""
        if self.channel is not None:
            fields = {name: resolved(value) if isinstance(value, Site) else value for name, value in msgspec.structs.asdict(event).items()}
            self.channel.send({"event": type(event).__name__, "fields": fields})

    def snapshot(self, *, status: str = "running", exit_status: int | None = None) -> Report:
        """Returns the report as it stands."""
        entries = list(self._entries.values())
        # What was silenced still explains: its consequences are as well known as it is itself.
        roots = causes([entry.finding for entry in entries] + list(self._suppressed.values()))
        findings, silenced = [], dict.fromkeys(self._suppressed)
        for entry, root in zip(entries, roots, strict=False):
            told = msgspec.structs.replace(entry.told, count=entry.count, last_step=entry.last_step)
            if root is not None and root >= len(entries):
                silenced[told.fingerprint] = None
                continue
            if root is not None:
                told.caused_by = entries[root].told.fingerprint
                told.level = Level.HINT.word
            findings.append(told)
        run = self._run(status=status, exit_status=exit_status)
        run.suppressed = len(silenced)
        run.silenced = sorted(silenced.keys() - {told.fingerprint for told in findings})  # told outside of a block that ignores it
        return Report(run=run, findings=ordered(findings))

    def finish(self, *, status: str, exit_status: int | None) -> Report:
        """Closes the run and returns its report; the run file holds the same."""
        for ignore in self.suppressor.unused(self.executed):
            self.note(
                f"TEN001: {ignore.path}:{ignore.line}: `tensan: ignore[{', '.join(sorted(ignore.names))}]` silenced nothing: take it out"
            )
        report = self.snapshot(status=status, exit_status=exit_status)
        if self.run_file is not None:
            for told in report.findings:
                self.run_file.append("finding", told)
            self.run_file.append("run", report.run)
            if self.run_file.problem:
                report.run.notes.append(f"TEN902: {self.run_file.problem}; the report here is whole, the run file is not")
        return report

    def _run(self, *, status: str, exit_status: int | None) -> Run:
        pursuit = self.pursuit
        token, goal = self._token(status), self._of_goal(lambda: pursuit.progress(step=self.steps)) if pursuit is not None else None
        return Run(
            script=self.script,
            status=status,
            exit_status=exit_status,
            steps=self.steps,
            overhead_pct=round(100 * self.budget.used_share, 3),
            versions=dict(self.versions),
            rules_armed=sorted(rule.code for rule in self.rules if rule.armed),
            rules_total=len(self.rules),
            not_checked=list(self._not_checked),
            suppressed=len(self._suppressed),
            dropped=self._dropped,
            rank=self.rank,
            pid=self.process,
            started=self._started,
            cost=dict(self.cost),
            notes=[
                *self._notes,
                *lines(self._actions, more=self._more_actions),
                *(goal_lines(goal) if goal is not None else ()),
                *replays(token, self.settings.replay),
            ],
            actions=list(self._actions),
            answers=self.questions.replies() if self.questions is not None else [],
            goal=goal,
            replay=str(token) if token is not None else "",
        )

    def _token(self, status: str) -> Token | None:
        if self.began is None:
            return None
        found = [met(entry.told) for entry in self._entries.values() if entry.finding.level is Level.ERROR]
        return self.began().after(self.steps, found=found, raised=status == "raised")


def _place(value: object) -> object:
    return msgspec.convert(value, Location) if isinstance(value, dict) and {"path", "line"} <= value.keys() else value


_current: Watch | None = None


def current() -> Watch | None:
    """Returns the watch of this process, or None: wrappers look it up at call time and fall through without one."""
    return _current


def set_current(watch: Watch | None) -> None:
    """Makes a watch the one of this process."""
    global _current
    _current = watch
