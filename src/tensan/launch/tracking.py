"""Hands a run to the trackers that its user asked for, at the script's end, in bounded time and whatever they do."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from tensan.core import plugins
from tensan.core.tracker import Delivery, Send, Tracker
from tensan.core.watch import Watch

#: All trackers whose run the script itself has opened.
AUTO = "auto"
#: How long one tracker may hold up the script's end.
PATIENCE_SECONDS = 10.0


class Tracking:
    """The trackers of one run.

    Args:
        watch: where problems are noted.
        names: those that the user asked for.
        delivery: puts together what is handed over.
    """

    def __init__(self, watch: Watch, names: Sequence[str], delivery: Callable[[], Delivery]) -> None:
        self._watch = watch
        self._delivery = delivery
        self._asked = set(names)
        self._waiting: dict[str, Tracker] = {}
        self._sent: dict[str, Send] = {}

    def begin(self) -> None:
        """Makes the trackers ready, before the script starts; never raises."""
        run_file = self._watch.run_file
        for name, kind in plugins.trackers().items() if self._asked else ():
            if name not in self._asked and not (AUTO in self._asked and kind.in_script):
                continue
            if run_file is None:
                self._watch.note(f"TEN903: {name}: nothing is handed over, since there is no run file")
                continue
            try:
                tracker = kind()
                tracker.begin(run_file.path, partial(self._deliver, name))
            except Exception as error:  # noqa: BLE001 - the guest never breaks the host
                self._watch.switch_off(f"tracker {name}", error)
            else:
                self._waiting[name] = tracker

    def deliver(self, *, last: bool = False) -> None:
        """Hands the run to those that have not got it; never raises.

        Args:
            last: to all of them, rather than to those alone that write into what the script has opened.
        """
        names = [name for name, tracker in self._waiting.items() if last or tracker.in_script]
        self._unless_interrupted(lambda: [self._deliver(name) for name in names])

    def amend(self) -> None:
        """Hands on what has become known since, to those that have got the run before; never raises."""
        amendment = msgspec.structs.replace(self._delivery(), amends=True) if self._sent else None
        if amendment is not None and any(told.tried for told in amendment.report.findings):
            self._unless_interrupted(lambda: [self._amend(name, send, amendment) for name, send in self._sent.items()])

    def _unless_interrupted(self, hand_over: Callable[[], object]) -> None:
        try:
            hand_over()
        except KeyboardInterrupt:  # the script is over: what is interrupted is our waiting
            self._watch.note("TEN903: interrupted while the run was handed over: what was not taken by then is lost")

    def _deliver(self, name: str) -> None:
        if os.getpid() != self._watch.process:  # a forked child closes its copy of the user's run
            return
        tracker = self._waiting.pop(name, None)
        if tracker is None:
            return
        try:
            send = tracker.aim()
            if send is not None:
                problem = _within(PATIENCE_SECONDS, send, self._delivery())
                self._sent[name] = send
            else:
                problem = "the script has no run of it open: nothing was written" if name in self._asked else ""
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host
            self._watch.switch_off(f"tracker {name}", error)
            return
        if problem:
            self._watch.note(f"TEN903: {name}: {problem}")

    def _amend(self, name: str, send: Send, amendment: Delivery) -> None:
        try:
            problem = _within(PATIENCE_SECONDS, send, amendment)
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host; what was taken before stays
            problem = f"{type(error).__name__}: {error}"
        if problem:
            self._watch.note(f"TEN903: {name}: has the findings, and not what came of trying their fixes: {problem}")


def _within(seconds: float, send: Send, delivery: Delivery) -> str:
    """Hands over on a thread of its own, which is left behind where it takes too long."""
    outcome: list[str | Exception] = []

    def run() -> None:
        try:
            outcome.append(send(delivery))
        except Exception as error:  # noqa: BLE001 - raised again below
            outcome.append(error)

    thread = threading.Thread(target=run, name="tensan", daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        return f"no answer within {seconds:g} s: what it has not taken by then is lost; the script is not affected"
    (came,) = outcome
    if isinstance(came, Exception):
        raise came
    return came
