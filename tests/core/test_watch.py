"""A watched run: who hears what, what is counted, and that nothing of ours breaks it."""

import sys

import pytest
from core.making import AtTheEnd, EveryStep, Raising, finding, location, loss, step, watching

from tensan.core.events.run import RunEnd, StepEnd
from tensan.core.events.training import Backward, Loss
from tensan.core.findings import Proof
from tensan.core.rule import Rule
from tensan.core.settings import Settings
from tensan.core.sites import here
from tensan.core.stats import Of, Reduction, Stat
from tensan.core.watch import MOST_PER_RULE, Stopped, Watch, current, set_current

NORM = Stat(Reduction.NORM, Of.GRADIENT)


class Measuring(Rule):
    code, name = "TST105", "measuring"
    needs = (NORM,)


class Loud(Rule):
    code, name = "TST106", "loud"
    messages = 1_000

    def on_step_end(self, event):
        for number in range(self.messages):
            yield self.finding("x", at=location(number + 1), event=event)


def test_an_event_nobody_wants_is_not_built():
    watch = watching(EveryStep, AtTheEnd)
    assert watch.wants(StepEnd)
    assert watch.wants(RunEnd)
    assert not watch.wants(Loss)
    watch.emit(loss())
    assert watch.snapshot().findings == []


def test_needs_are_those_of_the_rules_in_use():
    watch = watching(Measuring, EveryStep)
    assert watch.needs() == {NORM}
    watch.switch_off(watch.rules[0], ValueError("x"))
    assert watch.needs() == frozenset()


def test_repeats_are_counted_at_one_place():
    watch = watching(EveryStep)
    for number in (3, 4, 9):
        watch.emit(step(number, optimizer=f"optimizer:{number}"))
    (told,) = watch.snapshot().findings
    assert (told.count, told.step, told.last_step) == (3, 3, 9)
    assert watch.snapshot().run.rules_armed == ["TST101"]


def test_the_same_line_is_one_place_whatever_the_instruction():
    watch = watching()
    first, second = here(), here()
    assert first != second
    watch.report(finding(location=first))
    watch.report(finding(location=second))
    watch.report(finding(location=here()))
    assert [told.count for told in watch.snapshot().findings] == [2, 1]


def test_without_a_place_the_message_counts():
    watch = watching()
    for message in ("a", "b", "a"):
        watch.report(finding(location=None, message=message))
    assert sorted(told.count for told in watch.snapshot().findings) == [1, 2]


def test_a_thousand_findings_are_bounded():
    watch = watching(Loud)
    watch.emit(step())
    report = watch.finish(status="completed", exit_status=0)
    assert len(report.findings) == MOST_PER_RULE
    assert report.run.dropped == 1_000 - MOST_PER_RULE


def test_one_loud_rule_takes_no_room_from_others():
    watch = watching(Loud, EveryStep)
    watch.emit(step())
    assert {told.code for told in watch.snapshot().findings} == {"TST106", "TST101"}


def test_a_raising_rule_is_switched_off_and_said_once():
    watch = watching(Raising, EveryStep)
    for number in range(3):
        watch.emit(step(number))
    report = watch.snapshot()
    assert {told.code: told.count for told in report.findings} == {"TST101": 3, "TST102": 1}
    (note,) = report.run.notes
    assert note.startswith("TEN901: rule TST102 (raising) failed and was switched off: KeyError: 'oh' at making.py:")
    assert report.run.rules_armed == ["TST101"]
    assert watch.wants(StepEnd)


def test_when_the_last_listener_falls_nobody_wants_the_event():
    watch = watching(Raising)
    watch.emit(step())
    assert not watch.wants(StepEnd)
    watch.emit(step())
    watch.switch_off("adapter tinyframe", RuntimeError("gone"))
    assert [note.partition(" failed")[0] for note in watch.snapshot().run.notes] == [
        "TEN901: rule TST102 (raising)",
        "TEN901: adapter tinyframe",
    ]


def test_halt_on_the_first_error():
    watch = watching(AtTheEnd, EveryStep, settings=Settings(halt_on_error=True))
    watch.emit(RunEnd())  # a warning
    with pytest.raises(Stopped, match="0") as stopped:
        watch.emit(step(2))
    assert stopped.value.code == 0
    assert "TST101" in stopped.value.why
    assert len(watch.snapshot().findings) == 2
    watch.emit(RunEnd())


def test_no_halt_unless_asked():
    watch = watching(EveryStep)
    watch.emit(step())
    assert len(watch.snapshot().findings) == 1


def test_a_hint_does_not_halt():
    class Previewed(EveryStep):
        code, name, preview = "TST107", "previewed", True

    watch = watching(Previewed, settings=Settings(halt_on_error=True))
    watch.emit(step())
    assert watch.snapshot().findings[0].level == "hint"


def test_folded_findings_become_hints_with_their_cause():
    watch = watching()
    watch.report(finding(code="TST1", location=location(1), effect="no-update", subjects=frozenset({"p"})))
    watch.report(finding(code="TST2", location=location(2), explains=frozenset({"no-update"}), subjects=frozenset({"p"})))
    cause, consequence = watch.snapshot().findings
    assert (cause.code, cause.level, cause.caused_by) == ("TST2", "error", None)
    assert (consequence.code, consequence.level, consequence.caused_by) == ("TST1", "hint", cause.fingerprint)
    assert watch.snapshot().consequences(cause) == [consequence]


def test_subjects_of_repeats_are_joined_for_folding():
    watch = watching()
    for subject in ("p", "q"):
        watch.report(finding(code="TST1", location=location(1), effect="no-update", subjects=frozenset({subject})))
    watch.report(finding(code="TST2", location=location(2), explains=frozenset({"no-update"}), subjects=frozenset({"q"})))
    assert [told.caused_by is None for told in watch.snapshot().findings] == [True, False]


def test_a_snapshot_does_not_change_what_follows():
    watch = watching(EveryStep)
    watch.emit(step())
    first = watch.snapshot()
    watch.emit(step(1))
    assert first.findings[0].count == 1
    assert watch.snapshot().findings[0].count == 2


def test_the_run_is_described():
    watch = Watch(settings=Settings(), script="train.py", rank=2)
    watch.steps, watch.versions["torch"] = 5, "2.13"
    watch.not_checked("replay (compiled model)")
    watch.not_checked("replay (compiled model)")
    run = watch.finish(status="raised", exit_status=1).run
    assert (run.script, run.status, run.exit_status, run.steps, run.rules_total) == ("train.py", "raised", 1, 5, 0)
    assert run.not_checked == ["replay (compiled model)"]
    assert run.versions == {"torch": "2.13"}
    assert run.pid > 0
    watch.report(finding())
    assert watch.snapshot().findings[0].rank == 2


def test_one_watch_is_current_at_a_time():
    before = current()
    watch = watching()
    set_current(watch)
    assert current() is watch
    set_current(before)
    assert current() is before


def test_the_watch_keeps_no_event():
    watch, event = watching(EveryStep), Backward(step=1)
    before = sys.getrefcount(event)
    watch.emit(event)
    assert sys.getrefcount(event) == before


def test_a_proof_decides_the_level_that_is_told():
    watch = watching()
    watch.report(finding(proof=Proof.STATISTIC))
    assert watch.snapshot().findings[0].level == "warning"
