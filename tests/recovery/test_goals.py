"""Goals: whether they are reached, what faults cost on the way, and when one is called out of reach."""

import math
import random
from pathlib import Path

import pytest

from tensan.core.actions import Action
from tensan.core.errors import SettingsError
from tensan.core.goal import Goal, lines, parse
from tensan.core.settings import Settings, load
from tensan.core.watch import Watch
from tensan.recovery.pursuit import Following

PROGRAM = Path(__file__).parent / "programs" / "goals.py"


def run(stem, *arguments, **flags):
    outcome = stem.run(PROGRAM, arguments=arguments, flags=flags)
    assert not [note for note in outcome.report.run.notes if note.startswith("TEN")], outcome.report.run.notes
    return outcome.report.run


def test_a_goal_that_is_reached(stem):
    progress = run(stem, "none", goal="loss < 0.3 by 300").goal
    assert (progress.state, progress.goal, progress.faults) == ("reached", "loss < 0.3 by 300", [])
    assert 20 < progress.reached < 300
    told = run(stem, "in_code")
    assert told.goal == progress
    assert f"goal: loss < 0.3 by 300: reached after {progress.reached} steps; it stands at {progress.value:.4g}" in told.notes[0]


def test_a_goal_that_is_missed_and_one_that_is_never_measured(stem):
    progress = run(stem, "none", goal="loss < 0.001 by 200").goal
    assert (progress.state, progress.reached, progress.proposed) == ("missed", None, "")
    assert 0.001 < progress.best <= progress.value
    told = run(stem, "none", goal="accuracy > 0.5 by 200")
    assert told.goal.state == "unmeasured"
    assert "tensan.measured" in told.notes[0]


def test_a_metric_that_the_program_tells(stem):
    progress = run(stem, "none", "score", goal="score > 0.7 by 300").goal
    assert progress.state == "reached"
    assert progress.reached % 10 == 0
    assert run(stem, "none", "score", goal="score > 0.99 by 250").goal.state == "missed"


def test_out_of_reach_is_said_and_a_lower_one_proposed(stem):
    told = run(stem, "none", goal="loss < 0.001 by 400")
    assert told.goal.state == "out of reach"
    proposed = parse(told.goal.proposed)
    assert 0.001 < proposed.floor <= told.goal.value
    assert proposed.deadline == 400
    assert told.goal.goal == "loss < 0.001 by 400"  # and is not set
    assert "100 steps are left" in told.goal.why


def test_a_fault_is_measured_against_the_goal(stem):
    skipped = run(stem, "gradient", goal="loss < 0.2 by 300", recover="skip").goal
    (fault,) = skipped.faults
    assert (fault.step, fault.actions) == (150, {"skip": 2})
    assert fault.severity < 0.5
    assert fault.latency is not None

    rewound = run(stem, "weights", goal="loss < 0.2 by 300", recover="rewind", snapshot_every=10).goal
    (fault,) = rewound.faults
    assert fault.actions == {"rewind": 1}
    assert (fault.step, fault.severity < 0.5) == (151, True)
    assert fault.latency is not None


def following(goal, values, *, faults=()):
    made = Following(parse(goal))
    for step, value in enumerate(values):
        if step in faults:
            made.acted(Action(kind="skip", step=step, text=""))
        made.measured(value, step=step)
    return made


def test_severity_and_latency_are_what_they_are():
    values = [2.0 - 0.005 * step for step in range(200)]  # at 1.0 after 200 steps
    values += [1.8 - 0.01 * step for step in range(200)]  # thrown back to 1.8, and at 1.0 again 80 steps later
    (fault,) = following("loss < 0.2 by 1000", values, faults=(200,)).progress(step=400).faults
    assert fault.before == pytest.approx(1.04, abs=0.05)
    assert fault.severity == pytest.approx((1.73 - 1.04) / (1.04 - 0.2), abs=0.02)
    assert fault.latency == pytest.approx(76, abs=10)
    (line,) = [line for line in lines(following("loss < 0.2 by 1000", values[:230], faults=(200,)).progress(step=230)) if "fault" in line]
    assert line.endswith("% of the way left; not yet back")


def test_actions_close_together_are_one_fault():
    made = following("loss < 0.2 by 1000", [1.0] * 400, faults=(100, 101, 105, 300))
    assert [(fault.step, fault.actions) for fault in made.progress(step=400).faults] == [(100, {"skip": 3}), (300, {"skip": 1})]


CURVES = {
    "power": lambda step: 3 / math.sqrt(step + 1),
    "exponential": lambda step: 3 * math.exp(-step / 300),
    "plateau, then a drop": lambda step: 2.0 if step < 500 else 2.0 * math.exp(-(step - 500) / 100),
    "steps down": lambda step: 3.0 * 0.5 ** (step // 200),
    "line": lambda step: 3.0 - 0.0028 * step,
}


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_goal_that_will_be_reached_is_not_called_out_of_reach(name, noise):
    curve, chance = CURVES[name], random.Random(0)
    floor = 1.5 * curve(900)
    made, said = Following(Goal(metric="loss", falls=True, floor=floor, deadline=1000)), []
    for step in range(1000):
        made.measured(curve(step) * math.exp(noise * chance.gauss(0, 1)), step=step)
        if step % 25 == 0 and made.progress(step=step).state == "out of reach":
            said.append(step)
    assert made.progress(step=1000).state == "reached"
    if not name.startswith("plateau"):  # at this pace it was
        assert said == []


@pytest.mark.parametrize("rises", [False, True])
def test_a_run_that_has_settled_above_its_goal_is_told_so_before_the_deadline(rises):
    chance = random.Random(1)
    made = Following(Goal(metric="loss", falls=not rises, floor=1.3 if rises else 0.1, deadline=1000))
    for step in range(700):
        way = math.exp(-step / 100) + 0.5
        made.measured((1.4 - way if rises else way) + 0.05 * chance.gauss(0, 1), step=step)
    progress = made.progress(step=700)
    assert progress.state == "out of reach"
    assert parse(progress.proposed).deadline == 1000


@pytest.mark.parametrize(
    "text", ["loss", "loss < x by 5", "loss < 0.5", "loss < 0.5 by 0", "< 0.5 by 9", "loss < nan by 9", "loss = 1 by 2"]
)
def test_what_is_no_goal_is_refused(text):
    with pytest.raises(SettingsError, match=r"--goal: goal: expected .*got"):
        load(flags={"goal": text}, environment={})


def test_goals_are_read_as_they_are_written():
    for text in ("loss < 0.5 by 2000", "val/acc@5 > 0.91 by 10", "words per second > 1e+06 by 3"):
        assert str(parse(text)) == text
    assert str(parse("loss<=.5 by step 7")) == "loss < 0.5 by 7"


@pytest.mark.parametrize("part", ["measured", "acted", "progress"])
def test_what_follows_a_goal_is_switched_off_where_it_fails(monkeypatch, part):
    def broken(*_, **__):
        raise RuntimeError("injected")

    watch = Watch(settings=Settings())
    watch.pursuit = Following(parse("loss < 0.5 by 10"))
    monkeypatch.setattr(watch.pursuit, part, broken)
    watch.measured("loss", 1.0)
    watch.act(Action(kind="skip", step=3, text="skipped"))
    run = watch.finish(status="completed", exit_status=0).run
    assert [note.partition(" failed")[0] for note in run.notes if note.startswith("TEN")] == ["TEN901: what follows the goal"]
    assert (run.goal, len(run.actions)) == (None, 1)
