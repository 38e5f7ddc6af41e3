"""Root causes: single ones, pairs of both kinds, none, and one that lies elsewhere, in made outcomes and in training played again."""

import random
import sys
from pathlib import Path

import pytest
import torch

import tensan

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "recovery"))
import causes

NAMES = ("data", "labels", "learning rate", "loss scale")


def outcome(harm, *, noise=0.01, usual=0.5):
    """Returns a replay whose outcome follows from what is not set back."""

    def replay(back, draw):
        chance = random.Random(f"{sorted(back)} {draw}")
        return usual * harm(set(NAMES) - back) * (1 + noise * chance.gauss(0, 1))

    return replay


def test_a_single_cause_has_both_necessity_and_sufficiency():
    found = tensan.root_cause(outcome(lambda on: 4.0 if "labels" in on else 1.0), NAMES, usual=0.5)
    assert found.causes == ("labels",)
    effects = {effect.factors: effect for effect in found.effects}
    assert effects["labels",].necessity == pytest.approx(1, abs=0.05)
    assert effects["labels",].sufficiency == pytest.approx(1, abs=0.05)
    assert effects["labels",].times == pytest.approx(4, rel=0.1)
    assert effects["data",].necessity == pytest.approx(0, abs=0.05)
    assert effects["data",].sufficiency == pytest.approx(0, abs=0.05)
    assert found.noise < 0.05
    assert found.replays <= 4 + 1 + 2 * len(NAMES)


def test_pairs():
    either = tensan.root_cause(outcome(lambda on: max(3.0 if "labels" in on else 1.0, 9.0 if "data" in on else 1.0)), NAMES)
    assert (either.causes, "each alone brings one about" in either.why) == (("data", "labels"), True)
    both = tensan.root_cause(outcome(lambda on: 5.0 if {"data", "loss scale"} <= on else 1.0), NAMES)
    assert (set(both.causes), "only both together" in both.why) == ({"data", "loss scale"}, True)
    (pair,) = [effect for effect in both.effects if len(effect.factors) == 2]
    assert pair.necessity == pytest.approx(1, abs=0.05)
    assert pair.sufficiency == pytest.approx(1, abs=0.05)


def test_no_single_cause():
    three = tensan.root_cause(outcome(lambda on: 5.0 if on & {"data", "loss scale", "labels"} else 1.0), NAMES)
    assert (three.causes, "no single cause" in three.why) == ((), True)
    nothing = tensan.root_cause(outcome(lambda on: 1.0), NAMES)
    assert (nothing.causes, "does not come back" in nothing.why) == ((), True)
    elsewhere = tensan.root_cause(outcome(lambda on: 6.0), NAMES, usual=0.5)
    assert (elsewhere.causes, "none of what changed" in elsewhere.why) == ((), True)


def test_what_chance_does_is_no_effect():
    said = [
        tensan.root_cause(lambda back, draw, seed=seed: random.Random(f"{seed}{sorted(back)}{draw}").lognormvariate(0, 0.3), NAMES).causes
        for seed in range(100)
    ]
    assert sum(bool(causes) for causes in said) <= 10


def test_an_outcome_that_is_not_finite():
    found = tensan.root_cause(outcome(lambda on: float("nan") if "learning rate" in on else 1.0), NAMES)
    assert found.causes == ("learning rate",)


@pytest.mark.parametrize("changed", [(), ("data", "data")])
def test_factors_that_cannot_be_are_refused(changed):
    with pytest.raises(ValueError, match="at least one factor, each once"):
        tensan.root_cause(outcome(lambda on: 1.0), changed)


@pytest.mark.parametrize("faults", [0, 1, 2])
def test_training_that_is_played_again(faults):
    torch.set_num_threads(1)
    chance, right, cases = random.Random(f"tests {faults}"), 0, 0
    while cases < 4:
        drawn = causes.case("classes", faults, chance)
        if drawn is None:
            continue
        trained, settings, guilty, hidden = drawn
        cases += 1

        def replay(back, draw, settings=settings, hidden=hidden, trained=trained):
            return trained.replay(hidden | {name: value for name, value in settings.items() if name not in back}, draw)

        assert replay(frozenset(), 0) == replay(frozenset(), 0) or faults  # bit for bit
        right += tuple(sorted(tensan.root_cause(replay, sorted(settings), usual=trained.usual).causes)) == guilty
    assert right >= 3
