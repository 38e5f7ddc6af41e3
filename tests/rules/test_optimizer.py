"""OPT: hand-made runs with each mistake, and with what looks like it and is meant."""

import pytest
from rules.making import OPTIMIZER, Story, at, loader, optimizer, parameter, scheduler

from tensan.core.events.data import EpochStart
from tensan.core.events.run import StepEnd
from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Backward, Clip, Loss, Measured, OptimizerStep, ScheduleStep, ZeroGrad
from tensan.core.stats import Of, Reduction, Stat
from tensan.rules.optimizer._shared import Evidence, listed, name_given
from tensan.rules.optimizer.clip_after_step import ClipAfterStep
from tensan.rules.optimizer.clip_before_unscale import ClipBeforeUnscale
from tensan.rules.optimizer.gradients_cleared_before_step import GradientsClearedBeforeStep
from tensan.rules.optimizer.gradients_never_cleared import GradientsNeverCleared
from tensan.rules.optimizer.optimizer_holds_orphans import OptimizerHoldsOrphans
from tensan.rules.optimizer.parameter_not_in_optimizer import ParameterNotInOptimizer
from tensan.rules.optimizer.parameter_unchanged_by_step import ParameterUnchangedByStep
from tensan.rules.optimizer.schedule_before_optimizer import ScheduleBeforeOptimizer
from tensan.rules.optimizer.schedule_in_wrong_unit import ScheduleInWrongUnit
from tensan.rules.optimizer.schedule_never_stepped import ScheduleNeverStepped
from tensan.rules.optimizer.two_steps_on_one_gradient import TwoStepsOnOneGradient

OWNED = parameter(1)


# ---- what they share ----


def test_listed():
    assert listed(["a"]) == "`a`"
    assert listed(["a", "b"]) == "`a` and `b`"
    assert listed(["a", "b", "c", "d"]) == "`a`, `b` and 2 more"
    assert listed(["a", "a"]) == "`a`"


def test_name_is_read_off_the_assignment(tmp_path):
    path = tmp_path / "train.py"
    path.write_text("opt = SGD()\nself.opt: object = SGD()\nif opt == SGD(): pass\na, b = SGD(), 1\n")
    assert [name_given(at(line, str(path)), "optimizer") for line in (1, 2, 3, 4)] == ["opt", "self.opt", "optimizer", "optimizer"]
    assert name_given(None, "optimizer") == "optimizer"


def test_evidence_is_held_back_and_then_let_go():
    evidence = Evidence(3)
    assert [list(evidence.add(item)) for item in (1, 2, 3, 4)] == [[], [], [1, 2, 3], [4]]
    evidence.refute()
    assert not evidence.add(5)


# ---- OPT101 ----


def orphaned(*orphans, steps=6, end=True, mates=(OWNED,)):
    story = Story(ParameterNotInOptimizer).built()
    for _ in range(steps):
        story.backward(*mates, *orphans).stepped(*mates)
    return story.ended() if end else story


def test_parameter_made_after_the_optimizer_is_told_at_once():
    late = (parameter(8, made=at(21), born=60, owners=(), changed=False), parameter(9, made=at(21), born=61, owners=(), changed=False))
    story = orphaned(*late, steps=4, end=False)
    assert story.told == [("OPT101", "error", 21)]
    (told,) = story.findings
    assert told.message == "`layer.8` and `layer.9` get gradient but no optimizer owns them: made after SGD was built"
    assert told.related[0]["line"] == 10
    assert (told.step, told.count) == (1, 3), "the first backward came before any step, the next three are counted"
    assert story.armed == ["OPT101"]


def test_layer_that_no_module_holds():
    assert orphaned(parameter(8, root=None, owners=(), made=at(7))).told == [("OPT101", "error", 7)]


@pytest.mark.parametrize("meant", [{"loaded": True}, {"root_training": False}, {"changed": True}])
def test_hidden_layer_is_left_alone_on_purpose(meant):
    assert orphaned(parameter(8, root=None, owners=(), **meant)).told == []


def test_parameter_left_out_is_a_warning_at_the_end():
    story = orphaned(parameter(8, owners=(), changed=False), end=False)
    assert story.told == []
    assert story.ended().told == [("OPT101", "warning", 10)], "it was there to be given when the optimizer was built"


def test_head_on_a_pretrained_backbone():
    assert orphaned(parameter(8, owners=(), changed=False), parameter(7, owners=(), loaded=True)).told == []


def test_left_out_and_given_to_an_optimizer_later():
    story = orphaned(parameter(8, owners=(), changed=False), end=False)
    story.built(parameters=[OWNED, parameter(8)])
    assert story.ended().told == []


def test_loss_module_of_its_own():
    assert orphaned(parameter(8, root="module:9", owners=(), made=at(11))).told == [("OPT101", "warning", 11)]
    assert orphaned(parameter(8, root="module:9", owners=(), loaded=True)).told == []
    assert orphaned(parameter(8, root="module:9", owners=(), root_training=False)).told == []


def test_pretrained_part_plugged_in_later_and_one_that_replaced_another():
    late = parameter(8, born=60, owners=(), loaded=True, made=at(21))
    assert orphaned(late).told == []
    story = Story(ParameterNotInOptimizer).built()
    for _ in range(5):
        story.backward(OWNED, late).stepped(OWNED, without_gradient=(parameter(2),))
    assert story.told == [("OPT101", "error", 21)]


def test_layer_made_in_each_forward_never_persists():
    story = Story(ParameterNotInOptimizer).built()
    for number in range(8):
        story.backward(OWNED, parameter(20 + number, root=None, owners=(), made=at(7))).stepped(OWNED)
    assert story.ended().told == []


def test_nobody_owns_anything():
    assert orphaned(parameter(8, owners=()), mates=(parameter(1, owners=()),)).told == []


def plain(use, *, changed=False):
    """A tensor that requires gradient, used by an operation together with another value."""
    leaf = parameter(8, registered=False, root=None, module="", owners=(), changed=changed, made=at(9))
    story = Story(ParameterNotInOptimizer).built()
    value = Value(shape=(1,), dtype="float32")
    mine = Value(shape=(1,), dtype="float32", subject=leaf.id)
    operation = Operation(index=0, name="mul", inputs=(mine, use), outputs=(value,))
    after = Operation(index=1, name="add", inputs=(Value(shape=(1,), dtype="float32", producer=0), use), outputs=(value,))
    for _ in range(7):
        story.tell(Loss(step=story.step, value=value, leaves=(OWNED, leaf), operations=(operation, after)))
        story.backward(OWNED, leaf).stepped(OWNED)
    return story.ended()


def test_plain_tensor_beside_the_network():
    assert plain(Value(shape=(1,), dtype="float32", requires_grad=True)).told == [("OPT101", "error", 9)]


def test_plain_tensor_that_is_moved_by_hand():
    assert plain(Value(shape=(1,), dtype="float32"), changed=True).told == []


def test_collocation_points_are_fed_to_the_network():
    assert plain(Value(shape=(1,), dtype="float32", subject=OWNED.id)).told == []


# ---- OPT102 ----


def orphan_holder(leaves, *, steps=4, **step):
    story = Story(OptimizerHoldsOrphans).built()
    for _ in range(steps):
        story.backward(*leaves).stepped(without_gradient=(parameter(1), parameter(2)), **step)
    return story


def test_optimizer_of_a_copied_model():
    story = orphan_holder([parameter(8, owners=(), loaded=True)])
    assert story.told == [("OPT102", "error", 10)]
    assert "its 2 parameters never get a gradient" in story.findings[0].message
    assert story.findings[0].count == 4


def test_optimizer_of_frozen_parameters():
    story = Story(OptimizerHoldsOrphans).built()
    for _ in range(4):
        story.backward(parameter(8, owners=())).stepped()
    assert "all frozen" in story.findings[0].message


@pytest.mark.parametrize(
    "leaves",
    [
        [parameter(8, owners=("optimizer:2",))],  # it rests while another one's part is trained
        [parameter(8, owners=(), changed=True)],  # somebody moves them by hand
        [parameter(1)],  # reached, and cleared by hand
        [],
    ],
)
def test_optimizer_that_rests(leaves):
    assert orphan_holder(leaves).told == []


def test_optimizer_that_got_gradient_once():
    story = Story(OptimizerHoldsOrphans).built().backward(OWNED).stepped(OWNED)
    for _ in range(5):
        story.backward(parameter(8, owners=())).stepped(without_gradient=(OWNED,))
    assert story.told == []


def test_orphans_fold_under_the_parameter_that_is_not_owned():
    story = Story(ParameterNotInOptimizer, OptimizerHoldsOrphans).built().built(optimizer(id="optimizer:2", made=at(12)))
    late = parameter(8, born=90, owners=(), made=at(21))
    for _ in range(5):
        story.backward(OWNED, late).stepped(OWNED)
        story.stepped(without_gradient=(parameter(3),), by=optimizer(id="optimizer:2", made=at(12)))
    first, second = story.findings
    assert (first.code, second.code, second.caused_by) == ("OPT101", "OPT102", first.fingerprint)


# ---- OPT103 ----

GRADIENT, UPDATE = Stat(Reduction.NORM, Of.GRADIENT), Stat(Reduction.NORM, Of.UPDATE)


def measured(steps, moves, *, rates=(0.1,), gradient=0.5, dtype="float32", final=None, status="completed", story=None):
    story = story or Story(ParameterUnchangedByStep).built(optimizer(rates=rates))
    names = [f"parameter:{number}" for number in range(1, len(moves) + 1)]
    parameters = {name: parameter(number, dtype=dtype) for number, name in enumerate(names, 1)}
    for _ in range(steps):
        for stat, values in ((GRADIENT, [gradient] * len(moves)), (UPDATE, moves)):
            values = dict(zip(names, values, strict=True))
            story.tell(Measured(step=story.step, stat=stat, values=values, parameters=parameters, optimizer=OPTIMIZER, rates=rates))
        story.step += 1
    return story if status is None else story.ended(status, optimizers=(optimizer(rates=rates if final is None else final),))


def test_updates_are_rounded_away():
    story = measured(4, [0.0, 0.0, 0.1], dtype="bfloat16")
    assert story.told == [("OPT103", "error", 10)]
    assert "rounded away in bfloat16" in story.findings[0].message
    assert measured(9, [0.0], dtype="bfloat16").told == [("OPT103", "error", 10)]


def test_few_of_many_rounded_away_is_a_warning_in_half_precision_only():
    assert measured(9, [0.0, 0.1, 0.1], dtype="bfloat16").told == [("OPT103", "warning", 10)]
    assert measured(9, [0.0, 0.1, 0.1]).told == []


def test_an_optimizer_that_gathers_gradients_first():
    story = measured(4, [0.0, 0.0], status=None)
    assert measured(1, [0.1, 0.1], story=story).told == []


def test_rate_is_zero_for_the_whole_run():
    story = measured(10, [0.0], rates=(0.0,))
    assert story.told == [("OPT103", "error", 10)]
    assert "learning rate is 0" in story.findings[0].message
    assert "1 of its 2 groups" in measured(10, [0.0, 0.2], rates=(0.0, 0.1)).findings[0].message


def test_rate_of_zero_by_plan():
    assert measured(10, [0.0], rates=(0.0,), final=(0.1,)).told == []  # a warm-up
    assert measured(10, [0.0], rates=(0.0,), status="stopped").told == []
    assert measured(9, [0.0], rates=(0.0,), story=measured(3, [0.2], status=None)).told == []  # the end of a schedule
    assert measured(5, [0.0], rates=(0.0,)).told == []


def test_no_gradient_no_update():
    assert measured(12, [0.0, 0.1], gradient=0.0).told == []
    assert measured(12, [0.0, 0.1], gradient=float("inf")).told == []
    assert measured(12, [0.0], gradient=1e-9).told == []


def test_never_stepped_schedule_explains_a_rate_of_zero():
    story = Story(ParameterUnchangedByStep, ScheduleNeverStepped).built(optimizer(rates=(0.0,)))
    measured(40, [0.0], rates=(0.0,), status=None, story=story)
    story.ended(schedulers=(scheduler(kind="LambdaLR", optimizer_steps=40),), optimizers=(optimizer(rates=(0.0,)),))
    first, second = story.findings
    assert (first.code, second.code, second.caused_by) == ("OPT109", "OPT103", first.fingerprint)


# ---- OPT104 ----


def test_gradients_never_cleared():
    story = Story(GradientsNeverCleared).built()
    for number in range(5):
        story.backward(OWNED).stepped(OWNED, carried=number > 0)
    assert story.told == [("OPT104", "error", 30)]
    assert story.findings[0].related[0]["line"] == 31
    assert story.findings[0].count == 4


def test_gradients_cleared_every_third_step():
    story = Story(GradientsNeverCleared).built()
    for number in range(12):
        story.backward(OWNED).stepped(OWNED, carried=number % 3 != 0)
    assert story.told == []
    assert story.armed == ["OPT104"]


def closure_steps(rule, steps=6, **fields):
    """An optimizer whose backward runs inside its step, as L-BFGS has it."""
    story = Story(rule).built()
    for _ in range(steps):
        story.tell(ZeroGrad(step=story.step, site=at(29), optimizer=OPTIMIZER))
        story.tell(OptimizerStep(step=story.step, site=at(31), optimizer=optimizer(), **fields))
        story.tell(Backward(step=story.step, site=at(30), leaves=(OWNED,)))
        story.step += 1
        story.tell(StepEnd(step=story.step, optimizer=OPTIMIZER))
    return story


def test_closures():
    assert closure_steps(GradientsNeverCleared, with_gradient=(OWNED,), carried=True).told == []
    assert closure_steps(TwoStepsOnOneGradient, with_gradient=(OWNED,), fresh=False).told == []
    assert closure_steps(GradientsClearedBeforeStep, without_gradient=(OWNED,), cleared=at(29)).told == []
    assert closure_steps(OptimizerHoldsOrphans, without_gradient=(OWNED,)).told == []


# ---- OPT105 ----


def test_gradients_cleared_before_step():
    story = Story(GradientsClearedBeforeStep).built()
    for _ in range(4):
        story.backward(OWNED).tell(ZeroGrad(step=story.step, site=at(29), optimizer=OPTIMIZER))
        story.stepped(without_gradient=(OWNED,), cleared=at(29))
    assert story.told == [("OPT105", "error", 29)]


def test_gradients_zeroed_in_place_before_step():
    story = Story(GradientsClearedBeforeStep).built()
    for _ in range(4):
        story.backward(OWNED).tell(ZeroGrad(step=story.step, site=at(29), optimizer=OPTIMIZER))
        story.stepped(OWNED, cleared=at(29))
    assert story.told == [("OPT105", "error", 29)]


def cleared_each_time(passes, *, lines=(30,), **fields):
    story = Story(GradientsClearedBeforeStep).built()
    for number in range(5):
        for each in range(passes if isinstance(passes, int) else passes[number]):
            story.tell(ZeroGrad(step=story.step, site=at(29), optimizer=OPTIMIZER))
            story.backward(OWNED, line=lines[each % len(lines)])
        story.stepped(OWNED, **fields)
    return story


def test_all_but_the_last_micro_batch_thrown_away():
    story = cleared_each_time(4, assigned=False)
    assert story.told == [("OPT105", "warning", 29)]
    assert "3 of 4 backward passes" in story.findings[0].message


def test_gradients_cleared_on_purpose():
    assert cleared_each_time(1, assigned=False).told == []
    assert cleared_each_time(2, lines=(25, 30), assigned=False).told == []  # a probe, then the real one
    assert cleared_each_time((2, 1, 1, 3, 1), assigned=False).told == []  # spikes are skipped
    assert cleared_each_time(4, assigned=True).told == []  # per-sample gradients, gathered by hand
    assert cleared_each_time(4).told == []  # not known


def test_one_good_step_refutes_it():
    story = Story(GradientsClearedBeforeStep).built().backward(OWNED).stepped(OWNED)
    for _ in range(5):
        story.backward(OWNED).stepped(without_gradient=(OWNED,), cleared=at(29))
    assert story.told == []


# ---- OPT106, OPT107 ----


def clipped(rule, *, steps=4, times=1, backward=None, **fields):
    story = Story(rule).built()
    known = {"optimizers": (OPTIMIZER,), "limit": 1.0, "num_gradients": 2}
    for _ in range(steps):
        story.backward(OWNED, **(backward or {})).stepped(OWNED)
        for _ in range(times):
            story.tell(Clip(step=story.step, site=at(32), **(known | fields)))
    return story


def test_clip_after_step():
    story = clipped(ClipAfterStep, after_step=True)
    assert story.told == [("OPT106", "error", 32)]
    assert story.findings[0].related[0]["line"] == 31


@pytest.mark.parametrize(
    "fields",
    [{}, {"after_step": True, "limit": float("inf")}, {"after_step": True, "limit": 1e9}, {"after_step": True, "num_gradients": 0}],
)
def test_clip_that_is_right_or_only_measures(fields):
    assert clipped(ClipAfterStep, **fields).told == []


def test_one_step_clipped_parameter_by_parameter_is_one_step():
    assert clipped(ClipAfterStep, after_step=True, steps=2, times=5).told == []


def test_clip_before_unscale():
    story = clipped(ClipBeforeUnscale, scaled=True, backward={"scaled": True})
    assert story.told == [("OPT107", "error", 32)]
    assert clipped(ClipBeforeUnscale, scaled=True, limit=65536.0).told == []  # the bound is scaled too
    right = clipped(ClipBeforeUnscale, backward={"scaled": True})
    assert (right.told, right.armed) == ([], ["OPT107"])
    assert clipped(ClipBeforeUnscale).armed == []


# ---- OPT108 ----


def test_two_steps_on_one_gradient():
    story = Story(TwoStepsOnOneGradient).built()
    for _ in range(4):
        story.backward(OWNED).stepped(OWNED).stepped(OWNED, line=33, fresh=False, previous=at(31))
    assert story.told == [("OPT108", "error", 33)]
    assert story.findings[0].related[0]["line"] == 31


def test_steps_without_any_new_gradient_are_no_cycle():
    story = Story(TwoStepsOnOneGradient).built().backward(OWNED).stepped(OWNED)
    for _ in range(20):
        story.stepped(OWNED, fresh=False)  # a schedule is drawn after training
    assert story.told == []


def test_two_optimizers_on_one_gradient_are_a_warning():
    story = Story(TwoStepsOnOneGradient).built()
    for _ in range(4):
        story.backward(OWNED).stepped(OWNED)
        story.stepped(OWNED, by=optimizer(id="optimizer:2", kind="Adam"), line=34, shared_with=OPTIMIZER)
    assert story.told == [("OPT108", "warning", 34)]


def test_optimizer_inside_another():
    story = Story(TwoStepsOnOneGradient, GradientsNeverCleared)
    outer, inner = optimizer(kind="Lookahead"), optimizer(id="optimizer:2")
    for number in range(6):
        carried = number > 0
        story.backward(OWNED)
        story.tell(OptimizerStep(step=story.step, site=at(31), optimizer=outer, with_gradient=(OWNED,), fresh=True))
        story.stepped(OWNED, by=inner, shared_with=OPTIMIZER, carried=carried)
        story.tell(StepEnd(step=story.step, optimizer=OPTIMIZER))
    assert story.told == []


# ---- OPT109 ----


def never_stepped(*, loaders=(), kind="LambdaLR", status="completed", others=(), moved=False, **fields):
    story = Story(ScheduleNeverStepped).built()
    for number in range(3):
        story.stepped(OWNED, by=optimizer(rates=(0.1 / (1 + number * moved),)))
    schedulers = (scheduler(kind=kind, **({"optimizer_steps": 80} | fields)), *others)
    return story.ended(status, schedulers=schedulers, loaders=loaders, optimizers=(optimizer(),))


def test_schedule_never_stepped():
    story = never_stepped(loaders=(loader(epochs=5, trained=True),))
    assert story.told == [("OPT109", "error", 11)]
    assert story.findings[0].related[0]["line"] == 31
    assert never_stepped().told == [("OPT109", "error", 11)]


@pytest.mark.parametrize(
    "fields",
    [
        {"steps": 4},
        {"driven": True},
        {"kind": "SWALR"},
        {"status": "interrupted"},
        {"status": "stopped"},
        {"moved": True},
        {"optimizer_steps": 9},
        {"optimizer_steps": 25, "loaders": (loader(epochs=1, trained=True, length=40),)},
        {"others": (scheduler(id="scheduler:2", steps=80),)},
    ],
)
def test_schedule_that_need_not_be_stepped(fields):
    assert never_stepped(**fields).told == []


def test_loaders_made_anew_for_each_epoch_count_as_one():
    story = Story(ScheduleNeverStepped).built()
    for number in range(3):
        story.tell(EpochStart(loader=loader(number, made=at(61), length=40, epochs=1)))
    story.ended(
        schedulers=(scheduler(kind="StepLR", optimizer_steps=30),), loaders=(loader(2, made=at(61), length=40, epochs=1, trained=True),)
    )
    assert story.told == [("OPT109", "error", 11)]


# ---- OPT110 ----


def planned(kind="CosineAnnealingLR", *, epochs=8, length=16, last=None, **fields):
    trained = (loader(epochs=epochs, length=length, trained=True),) if epochs else ()
    story = Story(ScheduleInWrongUnit).built().stepped(OWNED)
    return story.ended(schedulers=(scheduler(kind=kind, **fields),), loaders=trained, optimizers=(optimizer(rates=(last or 0.1,)),))


@pytest.mark.parametrize(
    ("level", "fields"),
    [
        ("error", {"planned": 8, "steps": 128, "optimizer_steps": 128}),  # epochs, stepped per batch
        ("error", {"planned": 128, "steps": 8, "optimizer_steps": 128, "kind": "OneCycleLR"}),  # batches, stepped per epoch
        ("error", {"planned": 72, "steps": 6, "optimizer_steps": 72, "kind": "LinearLR", "epochs": 0}),
        ("error", {"planned": 8, "steps": 128, "optimizer_steps": 128, "kind": "LinearLR", "last": 0.001}),
        ("error", {"planned": 6, "steps": 128, "optimizer_steps": 128, "kind": "MultiStepLR"}),
        ("warning", {"planned": 5, "steps": 60, "optimizer_steps": 60, "kind": "MultiStepLR", "epochs": 0}),
        ("error", {"planned": 32, "steps": 128, "optimizer_steps": 32}),  # optimizer steps, stepped per micro-batch
        ("error", {"planned": 128, "steps": 32, "optimizer_steps": 32}),  # micro-batches, stepped per optimizer step
        ("warning", {"planned": 6, "steps": 60, "optimizer_steps": 60, "epochs": 0}),
        ("warning", {"planned": None, "steps": 128, "optimizer_steps": 128, "kind": "ExponentialLR", "last": 1e-12}),
    ],
)
def test_schedule_in_wrong_unit(level, fields):
    assert planned(planned_name="T_max", **fields).told == [("OPT110", level, 11)]


@pytest.mark.parametrize(
    "fields",
    [
        {"planned": 128, "steps": 128, "optimizer_steps": 128},
        {"planned": 8, "steps": 8, "optimizer_steps": 128},
        {"planned": 30, "steps": 8, "optimizer_steps": 128},  # early stopping
        {"planned": 1000, "steps": 128, "optimizer_steps": 128},
        {"planned": 8, "steps": 128, "optimizer_steps": 128, "cyclic": True},
        {"planned": 8, "steps": 128, "optimizer_steps": 128, "driven": True},
        {"planned": 8, "steps": 128, "optimizer_steps": 128, "kind": "LinearLR"},  # a warm-up over the first batches
        {"planned": 100, "steps": 128, "optimizer_steps": 128, "kind": "MultiStepLR"},
        {"planned": 32, "steps": 32, "optimizer_steps": 32},  # accumulation, counted right
        {"planned": 20, "steps": 20, "optimizer_steps": 60, "epochs": 0},  # one cosine for each snapshot
        {"planned": 20, "steps": 60, "optimizer_steps": 60, "epochs": 0},  # down, up and down again
        {"planned": None, "steps": 128, "optimizer_steps": 128, "kind": "ExponentialLR", "last": 0.003},
        {"planned": 8, "steps": 0, "optimizer_steps": 128},
    ],
)
def test_schedule_in_its_unit(fields):
    assert planned(**fields).told == []


def test_unfinished_runs_are_not_judged():
    for status in ("raised", "interrupted", "stopped"):
        story = Story(ScheduleInWrongUnit)
        story.ended(status, schedulers=(scheduler(planned=8, steps=128, optimizer_steps=128),), loaders=(loader(epochs=8, trained=True),))
        assert story.told == []


# ---- OPT111 ----


def schedule_steps(*attempts, lines=None, kind="LambdaLR", **fields):
    story = Story(ScheduleBeforeOptimizer).stepped(OWNED)
    for number, tried in enumerate(attempts):
        line = (lines or [35] * len(attempts))[number]
        story.tell(ScheduleStep(step=number, site=at(line), scheduler=scheduler(kind=kind, **fields), attempts=tried))
    return story


def test_schedule_before_optimizer():
    story = schedule_steps(0, 1, 2, 3)
    assert story.told == [("OPT111", "warning", 35)]
    assert story.findings[0].count == 4
    assert schedule_steps(0, 15).told == [("OPT111", "warning", 35)]  # at the head of each epoch


def test_schedule_in_order_or_wound_forward():
    assert schedule_steps(1, 2, 3).told == []
    assert schedule_steps(0, 0, 0, 1, 2).told == []  # wound forward to resume
    assert schedule_steps(0, 1, 2, lines=[12, 35, 35]).told == []  # once before the loop
    assert schedule_steps(0, 1, 2, kind="ReduceLROnPlateau").told == []
    assert schedule_steps(0, 1, 2, driven=True).told == []
    assert schedule_steps(1, 2, 3).armed == ["OPT111"]
