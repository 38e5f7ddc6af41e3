"""Recovery beside the plain loop: asked for in code, at a save, in the midst of a step, under a scaler, and its end."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "programs" / "doors.py"


def run(stem, name, *arguments, **flags):
    outcome = stem.run(PROGRAM, arguments=[name, *arguments], flags=flags)
    assert not [note for note in outcome.report.run.notes if note.startswith("TEN")], outcome.report.run.notes
    return outcome, outcome.report.run.actions


def test_the_door_in_code(tmp_path):
    done = subprocess.run([sys.executable, str(PROGRAM), "in_code"], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.stdout.splitlines() == ["[('skip', 12)]", "finite True"], done.stderr


def test_the_door_in_code_under_a_watch(stem):
    outcome, actions = run(stem, "in_code")
    assert outcome.stdout.splitlines() == ["[('skip', 13)]", "finite True"]
    assert len(actions) == 1


@pytest.mark.parametrize("mode", ["skip", "rewind"])
def test_a_poisoned_state_does_not_overwrite_a_good_file(stem, mode):
    outcome, actions = run(stem, "saved_poison", recover=mode)
    refused = [action for action in actions if action.kind == "refuse"]
    assert refused
    assert "last.pt as it was: model.0.weight" in refused[0].text
    if mode == "skip":  # the weights stay as the program has broken them
        assert (outcome.status, outcome.report.run.status) == (1, "stopped")
        assert actions[-1].text.startswith("stopped")


def test_without_recovery_it_does(stem):
    assert run(stem, "saved_poison")[0].stdout.splitlines()[0] == "5"


@pytest.mark.parametrize(("part", "names"), [("weights", "2.weight"), ("moments", "state.1.exp_avg_sq")])
def test_a_poisoned_state_is_not_loaded(stem, part, names):
    assert run(stem, "loaded_poison", part)[0].stdout.splitlines()[0] == "went on from bad.pt"
    outcome, actions = run(stem, "loaded_poison", part, recover="skip")
    error, went_on, finite = outcome.stdout.splitlines()
    assert error.startswith("PoisonedStateError bad.pt: a state that ")
    assert f"is not finite: {names}; nothing was loaded" in error
    assert (went_on, finite) == ("went on from good.pt", "finite True")
    assert (actions[-1].kind, actions[-1].text) == ("refuse", f"kept what is live: {names} of bad.pt is not finite")


def test_averages_that_are_no_modules_are_put_back(stem):
    assert run(stem, "averages")[0].stdout.splitlines()[:3] == ["False", "False", "True"]
    outcome, actions = run(stem, "averages", recover="rewind", snapshot_every=5)
    assert outcome.stdout.splitlines() == ["True", "True", "True", "True", "finite True"], actions
    healed = [action.text for action in actions if action.kind == "heal"]
    assert len(healed) == 2
    assert "put back average.shadow['0.weight']" in healed[0]
    assert "weights[2]" in healed[1]


def test_a_gradient_whose_square_overflows(stem):
    assert run(stem, "overflow")[0].stdout.splitlines()[0] == "False"
    outcome, actions = run(stem, "overflow", recover="skip")
    assert outcome.stdout.splitlines() == ["True", "finite True"]
    assert [(action.kind, action.step) for action in actions] == [("skip", 10)]
    assert "`exp_avg_sq` of" in actions[0].text


def test_a_step_that_is_given_a_closure_is_left_or_taken_back_whole(stem):
    outcome, actions = run(stem, "closures", recover="skip")
    assert outcome.stdout.splitlines() == [
        "Adam stood still at 19 after 20",
        "Adam stood still at 32 after 33",
        "Sharpness stood still at 19 after 40",
        "Sharpness stood still at 25 after 51",
        "finite True",
    ], actions
    assert [action.kind for action in actions] == ["skip"] * 4


def test_a_scaler_that_finds_no_scale_writes_nothing_into_the_weights(stem):
    assert run(stem, "no_scale")[0].stdout.splitlines()[-1] == "finite False"
    for mode in ("skip", "rewind"):
        outcome, actions = run(stem, "no_scale", recover=mode)
        assert outcome.stdout.splitlines()[-1] == "finite True"
        assert "scaler" in [action.kind for action in actions]
        assert any("left out 166 steps by itself" in note for note in outcome.report.run.notes)
    assert float(outcome.stdout.splitlines()[0]) > 0  # a rewind gives a scale back


def test_a_fused_optimizer_under_a_scaler_is_left_alone(stem):
    outcome, actions = run(stem, "no_scale_fused", recover="skip")
    assert outcome.stdout.splitlines() == ["True", "finite True"]
    assert {action.kind for action in actions} == {"scaler"}


def test_an_endless_fault_ends_the_run(stem):
    for mode in ("skip", "rewind"):
        outcome, actions = run(stem, "endless", recover=mode, bad_steps=12)
        assert outcome.stdout.splitlines() == ["its finally ran 33"]
        assert (outcome.status, outcome.report.run.status, actions[-1].kind) == (1, "stopped", "stop")
        assert "--bad-steps" in actions[-1].text


def test_a_rate_is_held_at_what_it_was(stem):
    outcome, actions = run(stem, "rate", recover="rewind", snapshot_every=5)
    assert outcome.stdout.splitlines() == ["True", "finite True"], actions
    assert "rewind" in [action.kind for action in actions]
