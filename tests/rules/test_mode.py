"""MOD: hand-made runs with each mistake, and with what looks like it and is meant."""

import pytest
from rules.making import ROOT, Story, at, loader, mode, optimizer, parameter

from tensan.core.events.evaluation import Evaluation
from tensan.core.events.layers import BatchStatistics
from tensan.core.events.training import ModeChange, TieChange
from tensan.rules.mode.batchnorm_of_one import BatchnormOfOne
from tensan.rules.mode.evaluated_in_train_mode import EvaluatedInTrainMode
from tensan.rules.mode.trained_in_eval_mode import TrainedInEvalMode
from tensan.rules.mode.tying_broken import TyingBroken

OWNED = parameter(1)
ON = mode()
LEFT = mode(training=False, root_training=False, changed=at(40), changed_on_root=True)

# ---- MOD101 ----


def trained(*per_step):
    """Each step's modes; a step is one backward, or several where it is a list."""
    story = Story(TrainedInEvalMode)
    for modes in per_step:
        for each in modes if isinstance(modes, list) else [modes]:
            story.backward(OWNED, modes=(each,))
        story.stepped(OWNED)
    return story


def test_left_in_eval_mode():
    story = trained(ON, ON, LEFT, LEFT, LEFT)
    assert story.told == [("MOD101", "error", 40)]
    assert story.findings[0].related[0]["line"] == 30
    assert (story.findings[0].step, story.findings[0].count) == (2, 3)
    assert story.armed == ["MOD101"]


def test_left_in_eval_mode_between_two_epochs():
    assert trained(ON, ON, LEFT, LEFT, LEFT, ON, ON).told == [("MOD101", "error", 40)]


@pytest.mark.parametrize(
    "steps",
    [
        [ON, ON, LEFT, LEFT, ON],  # too few to be sure
        [LEFT] * 6,  # never trained in train mode by this optimizer
        [ON, ON] + [mode(training=False, changed=at(40))] * 6,  # one part frozen
        [ON, ON] + [mode(training=False, root_training=False, changed=at(40))] * 6,  # frozen by name
        [ON, ON] + [[LEFT, ON]] * 6,  # an attack in eval mode, then the real backward
        [ON] * 6,
    ],
)
def test_mode_that_is_minded(steps):
    assert trained(*steps).told == []


def test_fine_tuning_in_eval_mode_with_an_optimizer_of_its_own():
    story = trained(ON, ON, ON)
    for _ in range(6):
        story.backward(OWNED, modes=(LEFT,)).stepped(OWNED, by=optimizer(id="optimizer:2"))
    assert story.told == []


def test_one_part_of_the_model_still_trains():
    story = trained(ON, ON)
    for _ in range(6):
        story.backward(OWNED, modes=(LEFT, mode(module="module:3"))).stepped(OWNED)
    assert story.told == []


# ---- MOD102 ----


def evaluated(*, times=3, loaders=(), goes_on=False, **fields):
    story = Story(EvaluatedInTrainMode)
    known = {"module": ROOT, "modes": (ON, mode(module="module:3", kind="BatchNorm1d")), "has_trained": True, "compared": True}
    for _ in range(times):
        story.tell(Evaluation(site=at(44), **(known | fields)))
    if goes_on:
        story.stepped(OWNED)
    return story.ended(loaders=loaders)


def test_evaluated_in_train_mode():
    story = evaluated()
    assert story.told == [("MOD102", "warning", 44)]
    assert "`Dropout` still drops values and `BatchNorm1d` uses" in story.findings[0].message
    assert evaluated(from_loader="loader:2", loaders=(loader(1, trained=True), loader(2))).told == [("MOD102", "warning", 44)]
    assert evaluated(from_training=None).told == [("MOD102", "warning", 44)]  # first met after the last step: no part of training


@pytest.mark.parametrize(
    "fields",
    [
        {"mode_chosen": True},
        {"repeated": True},
        {"from_training": True},  # a log of training
        {"from_training": None, "goes_on": True},  # a new tensor after steps that were not looked at: it may be a part of training
        {"compared": False},
        {"has_trained": False},
        {"modes": ()},
        {"modes": (mode(training=False, root_training=False),)},
        {"modes": (mode(root_training=False),)},  # Monte Carlo dropout: the root is in eval mode
        {"from_loader": "loader:1", "loaders": (loader(1, trained=True),)},
    ],
)
def test_evaluation_that_is_right_or_meant(fields):
    assert evaluated(**fields).told == []


def test_evaluation_in_eval_mode_arms():
    assert evaluated(modes=(mode(training=False, root_training=False),), compared=False).armed == ["MOD102"]


# ---- MOD103 ----


def untied(left, right, *, ids=None, steps=3):
    story = Story(TyingBroken)
    change = TieChange(
        names=("emb.weight", "out.weight"),
        shape=(9, 4),
        parameters=ids or (left.id, right.id),
        root=ROOT,
        tied_at=at(14),
        site=at(19),
    )
    story.tell(change)
    for _ in range(steps):
        story.backward(left, right).stepped(left, right)
    return story


EMB, OUT = parameter(5, name="emb.weight"), parameter(6, name="out.weight")


def test_tying_broken():
    story = untied(EMB, OUT)
    assert story.told == [("MOD103", "error", 19)]
    assert [place["line"] for place in story.findings[0].related] == [14, 30]
    assert untied(EMB, OUT, ids=("parameter:5", "parameter:99")).told == [("MOD103", "error", 19)]


def test_tie_that_ended_for_a_reason():
    assert untied(EMB, parameter(6, name="out.weight", shape=(3, 4))).told == []
    assert untied(EMB, parameter(6, name="out.weight", loaded=True)).told == []
    assert untied(EMB, EMB).told == []
    assert untied(EMB, OUT, steps=1).told == []


def test_ties_arm():
    assert Story(TyingBroken).backward(EMB, num_ties=1).armed == ["MOD103"]


# ---- MOD104 ----


def normalised(sizes, *, values=20, in_eval=False, kind="BatchNorm2d"):
    story = Story(BatchnormOfOne)
    story.backward(OWNED, modes=(mode(module="module:3", kind=kind),))
    for size in sizes:
        story.tell(
            BatchStatistics(module="module:3", kind=kind, name="1", made=at(8), site=at(22), batch_size=size, num_values=size * values)
        )
    if in_eval:
        story.tell(ModeChange(module=ROOT, root=ROOT, kind="Sequential", training=False))
    return story.ended()


def test_batchnorm_of_one():
    story = normalised([1] * 8)
    assert story.told == [("MOD104", "warning", 8)]
    assert story.armed == ["MOD104"]
    assert normalised([1] * 8, values=4096, in_eval=True).told == [("MOD104", "warning", 8)]


@pytest.mark.parametrize(
    ("sizes", "fields"),
    [
        ([16] * 9 + [1], {"in_eval": True}),  # a short last batch
        ([1] * 7, {}),
        ([1] * 20, {"values": 4096}),  # image translation, in train mode throughout
        ([1] * 20, {"kind": "SyncBatchNorm"}),
    ],
)
def test_batches_that_are_large_enough(sizes, fields):
    assert normalised(sizes, **fields).told == []


def test_layers_of_one_model_are_one_finding():
    story = Story(BatchnormOfOne)
    story.backward(OWNED, modes=(mode(module="module:3"), mode(module="module:4")))
    for _ in range(8):
        for module, line in (("module:3", 8), ("module:4", 9)):
            story.tell(BatchStatistics(module=module, kind="BatchNorm1d", name=module, made=at(line), batch_size=1, num_values=9))
    assert story.ended().told == [("MOD104", "warning", 8)]
    assert "2 BatchNorm1d layers" in story.findings[0].message
