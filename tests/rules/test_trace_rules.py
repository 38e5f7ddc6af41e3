"""SHP, LOS, GRD, NUM: hand-made traces with each mistake, and with what looks like it and is meant."""

import pytest
from rules.making import OPTIMIZER, Story, at, parameter
from rules.taping import Tape

from tensan.core.asks import Answer, Change, Measure
from tensan.core.events.training import Measured
from tensan.core.provenance import maker
from tensan.core.stats import Of, Reduction, Stat
from tensan.rules.gradient.dead_units import DeadUnits
from tensan.rules.gradient.loss_cut_from_parameters import LossCutFromParameters
from tensan.rules.gradient.parameters_cut_from_loss import ParametersCutFromLoss
from tensan.rules.loss.probabilities_into_logit_loss import ProbabilitiesIntoLogitLoss
from tensan.rules.numerics.nonfinite_gradient import NonfiniteGradient
from tensan.rules.shape.broadcast_in_loss import BroadcastInLoss
from tensan.rules.traces import line_of
from tensan.rules.wording import operands


@pytest.fixture
def tape():
    return Tape()


# ---- SHP101 broadcast-in-loss ----


def squared(tape, prediction, target, *, line=20, name="sub"):
    grown = tuple(max(pair) for pair in zip((64, 64), (64, 64), strict=True))
    return tape.op("mean", tape.op("pow", tape.op(name, prediction, target, shape=grown, line=line)), shape=())


def told(loss, *, answer=None):
    """What the rule says of one loss, where an adapter answers so; and what it asked."""
    asked = []
    story = Story(BroadcastInLoss)
    if answer is not None:
        story.watch.answerers.append(lambda ask: (asked.append(ask), Answer(ask=ask, value=answer))[1])
    story.tell(loss)
    return story.findings, asked


def test_broadcast_of_a_hand_written_loss(tape):
    prediction = tape.linear(tape.outside(64, 8, subject="batch"), 1, 1)
    loss = tape.loss(squared(tape, prediction, tape.outside(64, subject="batch")), leaves=(parameter(1),))
    (finding,), (asked,) = told(loss, answer=2e-8)
    assert finding.message == "loss compares f32[64, 1] with f32[64], which broadcasts to f32[64, 64]"
    assert finding.label == "4096 differences where 64 were meant"
    assert (finding.line, finding.proof, finding.level) == (20, "intervention", "error")
    assert "2e-08" in finding.proof_note
    assert finding.related[0]["message"] == "the prediction is f32[64, 1], made by Linear(in_features=4, out_features=4)"
    assert finding.related[0]["line"] == 10
    assert ".squeeze(1)" in finding.help
    assert ".unsqueeze(1)" in finding.help
    assert (asked.intervention.change, asked.measure) == (Change.PERMUTE, Measure.GRADIENT)
    assert asked.intervention.subject == "operation:2:1"


@pytest.mark.parametrize("answer", [None, 0.3])
def test_without_an_answer_the_law_is_enough(tape, answer):
    prediction = tape.linear(tape.outside(64, 8), 1, 1)
    findings, _ = told(tape.loss(squared(tape, prediction, tape.outside(64))), answer=answer)
    assert [finding.proof for finding in findings] == ["law"]
    assert "rank 2 meets rank 1" in findings[0].proof_note


def test_it_asks_once_and_counts(tape):
    prediction = tape.linear(tape.outside(64, 8), 1, 1)
    story, asked = Story(BroadcastInLoss), []
    story.watch.answerers.append(lambda ask: (asked.append(ask), Answer(ask=ask, value=0.0))[1])
    value = squared(tape, prediction, tape.outside(64))
    story.tell(*(tape.loss(value, step=step) for step in range(5)))
    assert len(asked) == 1
    assert [(finding.count, finding.last_step) for finding in story.findings] == [(5, 4)]


def test_broadcast_inside_a_loss_function(tape):
    prediction, target = tape.linear(tape.outside(32, 8), 1, 1), tape.outside(32)
    left = tape.op("expand", prediction, shape=(32, 32), line=20)
    right = tape.op("expand", target, shape=(32, 32), line=20)
    loss = tape.loss(tape.op("mse_loss", left, right, shape=(), line=20))
    (finding,), (asked,) = told(loss, answer=0.0)
    assert finding.message == "loss compares f32[32, 1] with f32[32], which broadcasts to f32[32, 32]"
    assert asked.intervention.subject == "operation:3:0"
    assert asked.intervention.settings == {"begin": 2}


def test_absolute_error_that_expands_both_sides_itself(tape):
    prediction, target = tape.linear(tape.outside(32, 8), 1, 1), tape.op("unsqueeze", tape.outside(32), shape=(1, 32), line=5)
    left = tape.op("expand", prediction, shape=(32, 32), line=20)
    right = tape.op("expand", tape.op("squeeze", target, shape=(32,), line=6), shape=(32, 32), line=20)
    findings, _ = told(tape.loss(tape.op("mean", tape.op("sub", left, right, line=20), shape=())))
    assert [finding.line for finding in findings] == [20]


def test_weights_times_losses(tape):
    losses = tape.op("binary_cross_entropy_with_logits", tape.linear(tape.outside(50, 4), 1, 1), tape.outside(50, 1))
    loss = tape.loss(tape.op("mean", tape.op("mul", tape.outside(50), losses, shape=(50, 50), line=20), shape=()))
    findings, _ = told(loss)
    assert [finding.message for finding in findings] == ["loss multiplies f32[50] by f32[50, 1], which broadcasts to f32[50, 50]"]
    assert findings[0].label == "2500 products where 50 were meant"


def test_a_column_sliced_off_the_output(tape):
    mean = tape.op("slice", tape.linear(tape.outside(48, 1), 1, 2), shape=(48, 1))
    findings, _ = told(tape.loss(squared(tape, tape.outside(48), mean)))
    assert len(findings) == 1


def silent(loss):
    findings, asked = told(loss, answer=0.0)
    return not findings and not asked


def test_meant_columns_of_one_rank(tape):
    score = tape.linear(tape.outside(24, 5), 1, 1)
    row = tape.op("transpose", tape.op("detach", score), shape=(1, 24))
    assert silent(tape.loss(squared(tape, score, row)))


def test_meant_pairs_of_one_side(tape):
    score = tape.linear(tape.outside(24, 5), 1, 1)
    flat = tape.op("squeeze", score, shape=(24,))
    assert silent(tape.loss(squared(tape, score, flat)))


def test_meant_column_written_by_hand(tape):
    score = tape.op("squeeze", tape.linear(tape.outside(24, 5), 1, 1), shape=(24,))
    column = tape.op("unsqueeze", score, shape=(24, 1))
    assert silent(tape.loss(squared(tape, tape.op("neg", column), tape.outside(24))))


def test_meant_distances_from_kept_dimensions(tape):
    x = tape.linear(tape.outside(24, 5), 1, 3)
    norms = tape.op("sum", tape.op("pow", x), shape=(24, 1))
    assert silent(tape.loss(squared(tape, norms, tape.outside(24))))


def test_meant_cost_matrix_of_a_loss_function(tape):
    column = tape.op("unsqueeze", tape.op("squeeze", tape.linear(tape.outside(24, 5), 1, 1), shape=(24,)), shape=(24, 1))
    row = tape.outside(1, 24)
    left, right = (tape.op("expand", side, shape=(24, 24), line=20) for side in (column, row))
    assert silent(tape.loss(tape.op("mse_loss", left, right, shape=(), line=20)))


def test_bias_and_positions(tape):
    x = tape.linear(tape.outside(8, 5), 1, 1)
    assert silent(tape.loss(squared(tape, tape.op("detach", x), tape.parameter(2, 8))))


def test_thresholds_of_another_length(tape):
    score = tape.linear(tape.outside(64, 5), 1, 1)
    assert silent(tape.loss(tape.op("mean", tape.op("sub", score, tape.outside(7), shape=(64, 7)), shape=())))


def test_pairs_that_are_contracted_or_normalised(tape):
    score = tape.linear(tape.outside(24, 5), 1, 1)
    pairs = tape.op("sub", score, tape.outside(24), shape=(24, 24))
    assert silent(tape.loss(tape.op("mean", tape.op("softmax", pairs), shape=())))


def test_row_weights_and_quantiles(tape):
    out = tape.linear(tape.outside(64, 1), 1, 3)
    loss = tape.loss(tape.op("mean", tape.op("sub", out, tape.outside(64, 1)), shape=()))
    story = Story(BroadcastInLoss).tell(loss)
    assert not story.findings
    assert story.armed == ["SHP101"]


def test_explicit_expansion_elsewhere(tape):
    score = tape.linear(tape.outside(24, 5), 1, 1)
    wide = tape.op("expand", tape.outside(24), shape=(24, 24), line=19)
    assert silent(tape.loss(tape.op("mse_loss", tape.op("expand", score, shape=(24, 24), line=18), wide, shape=(), line=20)))


def test_words_of_the_program(tmp_path):
    from tensan.core.sites import Location

    path = tmp_path / "train.py"
    path.write_text("loss = ((model(x) - y) ** 2).mean()\nf(a, b)\ng(\n  a)\nprint\n", encoding="utf-8")

    def at_columns(line, begin, end, **more):
        return operands(Location(path=str(path), line=line, column=begin, end_column=end, **more))

    assert at_columns(1, 10, 22) == ("model(x)", "y")
    assert at_columns(2, 1, 8) == ("a", "b")
    assert at_columns(3, 1, 5, end_line=4) is None
    assert at_columns(5, 1, 6) is None
    assert at_columns(1, 11, 17) is None
    assert operands(None) is None
    assert line_of(None) is None


def test_maker_of_what_came_from_outside(tape):
    assert maker(tape.loss(tape.outside(1)), tape.outside(1)) == ("", None)


# ---- LOS101 probabilities-into-logit-loss ----


def classified(tape, name, *between, taker="log_softmax"):
    value = tape.op(name, tape.linear(tape.outside(32, 20), 1, 5), line=13)
    for step in between:
        value = tape.op(step, value, line=14)
    value = tape.op(taker, value, tape.outside(32, 5), line=22)
    return tape.loss(tape.op("nll_loss", value, shape=(), line=22))


@pytest.mark.parametrize(
    ("name", "between", "taker"),
    [
        ("softmax", (), "log_softmax"),
        ("softmax", ("view", "cast"), "log_softmax"),
        ("softmax", ("clamp",), "log_softmax"),
        ("sigmoid", (), "log_softmax"),
        ("sigmoid", (), "binary_cross_entropy_with_logits"),
    ],
)
def test_probabilities_where_logits_belong(tape, name, between, taker):
    story = Story(ProbabilitiesIntoLogitLoss).tell(classified(tape, name, *between, taker=taker))
    assert story.told == [("LOS101", "error", 13)]
    assert story.findings[0].related[0]["line"] == 22


@pytest.mark.parametrize(
    ("name", "between"), [("log_softmax", ()), ("softmax", ("mul",)), ("softmax", ("log",)), ("tanh", ()), ("relu", ())]
)
def test_logits_after_all(tape, name, between):
    story = Story(ProbabilitiesIntoLogitLoss).tell(classified(tape, name, *between))
    assert story.told == []
    assert story.armed == ["LOS101"]


def test_probabilities_of_a_teacher_and_of_another_branch(tape):
    student = tape.op("log_softmax", tape.linear(tape.outside(32, 20), 1, 5))
    teacher = tape.op("softmax", tape.linear(tape.outside(32, 20), 2, 5, gradients=False), gradients=False)
    tape.op("log_softmax", tape.op("softmax", tape.linear(tape.outside(32, 20), 1, 5)))  # printed, and no part of the loss
    story = Story(ProbabilitiesIntoLogitLoss).tell(tape.loss(tape.op("kl_div", student, teacher, shape=())))
    assert story.told == []


def test_softmax_and_loss_in_one_line(tape):
    value = tape.op("softmax", tape.linear(tape.outside(8, 4), 1, 2), line=9)
    story = Story(ProbabilitiesIntoLogitLoss).tell(tape.loss(tape.op("log_softmax", value, line=9)))
    assert "goes into" in story.findings[0].label
    assert story.findings[0].related == []


# ---- GRD101 loss-cut-from-parameters ----


def cut_steps(story, loss, *leaves, steps=3, is_leaf=True, **fields):
    dead = (parameter(1), parameter(2))
    for _ in range(steps):
        story.tell(loss)
        story.backward(*leaves, is_leaf=is_leaf, line=19)
        story.stepped(**({"without_gradient": dead} | fields))
    return story


def test_loss_wrapped_in_a_new_tensor(tape):
    value = tape.linear(tape.outside(8, 4), 1, 2)
    tape.op("item", value, line=12, outputs=False)
    new = tape.op("new", shape=(), line=12)
    story = cut_steps(Story(LossCutFromParameters).built(), tape.loss(new, is_leaf=True))
    assert story.told == [("GRD101", "error", 12)]
    assert story.findings[0].count == 2
    assert story.findings[0].step == 1
    assert story.findings[0].related[0]["line"] == 19


def test_loss_read_as_a_number_that_leaves_no_link(tape):
    value = tape.linear(tape.outside(8, 4), 1, 2)
    tape.op("item", value, line=12, outputs=False)
    story = cut_steps(Story(LossCutFromParameters).built(), tape.loss(tape.outside(), is_leaf=True))
    assert story.told == [("GRD101", "error", 12)]


def test_loss_of_an_argmax_declared_a_leaf(tape):
    choice = tape.op("argmax", tape.linear(tape.outside(8, 4), 1, 2), line=13)
    floats = tape.op("cast", choice, line=13)
    leaf = parameter(9, registered=False, owners=())
    loss = tape.loss(tape.op("mean", floats, line=15), leaves=(leaf,), leaf_producers=(floats.producer,))
    story = cut_steps(Story(LossCutFromParameters).built(), loss, leaf, is_leaf=False)
    assert story.told == [("GRD101", "error", 13)]
    assert "argmax" in story.findings[0].label


def test_cut_loss_without_a_trace():
    story = Story(LossCutFromParameters).built()
    for _ in range(2):
        story.backward(is_leaf=True, line=19).stepped(without_gradient=(parameter(1),))
    assert story.told == [("GRD101", "error", 19)]


def test_an_image_that_is_optimized_by_hand(tape):
    image = parameter(9, registered=False, owners=())
    loss = tape.loss(tape.op("mean", tape.outside(8, 4, requires_grad=True)), leaves=(image,), leaf_producers=(-1,))
    assert cut_steps(Story(LossCutFromParameters).built(), loss, image, is_leaf=False).told == []


@pytest.mark.parametrize(
    "healthy",
    [
        lambda story, loss: story.backward(parameter(1)),
        lambda story, loss: story.backward(parameter(9, registered=False)),  # an optimizer owns it
        lambda story, loss: story.stepped(parameter(1)),
    ],
)
def test_a_run_that_reached_parameters_before(tape, healthy):
    loss = tape.loss(tape.op("new", shape=()), is_leaf=True)
    story = Story(LossCutFromParameters).built()
    healthy(story, loss)
    assert cut_steps(story, loss).told == []


def test_a_constant_that_stands_in_once(tape):
    loss = tape.loss(tape.op("new", shape=()), is_leaf=True)
    story = cut_steps(Story(LossCutFromParameters).built(), loss, steps=1)
    story.backward(parameter(1)).stepped(parameter(1))
    assert cut_steps(story, loss).told == []
    assert story.armed == ["GRD101"]


def test_gradients_made_by_other_means(tape):
    loss = tape.loss(tape.op("new", shape=()), is_leaf=True)
    assert cut_steps(Story(LossCutFromParameters).built(), loss, with_gradient=(parameter(1),)).told == []


# ---- GRD102 parameters-cut-from-loss ----


def partly(story, loss, *, dead=(1, 2), alive=(3,), steps=4, status="completed", **fields):
    living = tuple(parameter(number) for number in alive)
    for _ in range(steps):
        story.tell(loss).backward(*living)
        story.stepped(*living, without_gradient=tuple(parameter(number, **fields) for number in dead))
    return story.ended(status)


def backbone(tape, *, cut):
    gradients = cut != "no_grad"
    h = tape.linear(tape.outside(8, 4), 1, 4, line=14, gradients=gradients)
    h = tape.linear(tape.op("relu", h, line=14, gradients=gradients), 2, 4, line=14, gradients=gradients)
    if cut == "detach":
        tape.op("detach", h, line=14)  # autograd keeps this for itself
        h = tape.op("detach", h, line=15)
    return tape.loss(tape.op("mean", tape.linear(h, 3, 2, line=16), shape=(), line=17))


@pytest.mark.parametrize(("cut", "line"), [("no_grad", 14), ("detach", 15)])
def test_a_backbone_that_is_cut_off(tape, cut, line):
    story = partly(Story(ParametersCutFromLoss), backbone(tape, cut=cut))
    assert story.told == [("GRD102", "warning", line)]
    assert story.findings[0].message == "2 parameters of the optimizer never receive gradient: `layer.1`, `layer.2`"
    assert story.findings[0].evidence["count"] == 2


def test_a_result_that_came_back_through_numpy(tape):
    h = tape.linear(tape.outside(8, 4), 1, 4, line=13)
    tape.op("detach", h, line=14)
    loss = tape.loss(tape.op("mean", tape.linear(tape.outside(8, 4), 3, 2, line=15), shape=()))
    assert partly(Story(ParametersCutFromLoss), loss, dead=(1,)).told == [("GRD102", "warning", 14)]


@pytest.mark.parametrize("fields", [{"loaded": True}, {"changed": True}, {"registered": False}])
def test_parts_that_are_frozen_on_purpose(tape, fields):
    assert partly(Story(ParametersCutFromLoss), backbone(tape, cut="no_grad"), **fields).told == []


@pytest.mark.parametrize(
    ("changed", "spoken"),
    [
        (False, True),  # looked at in the first steps only, but it never moved
        (True, False),  # a warm-up: let free later
        (None, False),  # the model is gone, and nobody looked late enough
    ],
)
def test_what_became_of_it_when_nobody_looked(tape, changed, spoken):
    story = partly(Story(ParametersCutFromLoss), backbone(tape, cut="no_grad"), status="raised")
    story.step = 60
    story.ended(parameters=tuple(parameter(number, changed=changed) for number in (1, 2)))
    assert bool(story.findings) is spoken


def test_a_head_that_is_computed_and_only_shown(tape):
    h = tape.linear(tape.outside(8, 4), 3, 4)
    shown = tape.linear(h, 1, 2, line=14)
    tape.op("detach", shown, line=15)
    loss = tape.loss(tape.op("sub", tape.op("mean", h), tape.outside(8, 4)))
    assert partly(Story(ParametersCutFromLoss), loss, dead=(1,)).told == []


def test_a_head_that_nothing_uses(tape):
    loss = tape.loss(tape.op("mean", tape.linear(tape.outside(8, 4), 3, 4)))
    story = partly(Story(ParametersCutFromLoss), loss)
    assert story.told == []
    assert story.armed == ["GRD102"]


def test_stop_gradient_on_one_of_two_ways(tape):
    z = tape.linear(tape.outside(8, 4), 1, 4)
    loss = tape.loss(tape.op("mul", tape.linear(z, 3, 4), tape.op("detach", z, line=15)))
    assert partly(Story(ParametersCutFromLoss), loss, dead=(), alive=(1, 3)).told == []


@pytest.mark.parametrize(("steps", "status"), [(2, "completed"), (4, "raised"), (4, "interrupted")])
def test_a_run_too_short_to_tell(tape, steps, status):
    assert partly(Story(ParametersCutFromLoss), backbone(tape, cut="no_grad"), steps=steps, status=status).told == []


def test_gradient_in_another_phase(tape):
    story = Story(ParametersCutFromLoss)
    story.tell(backbone(tape, cut="no_grad"))
    story.backward(parameter(1), parameter(2))
    assert partly(story, backbone(tape, cut="no_grad")).told == []


def test_where_nothing_is_alive_it_is_the_loss_that_is_cut(tape):
    assert partly(Story(ParametersCutFromLoss), backbone(tape, cut="no_grad"), alive=()).told == []


def test_the_cut_loss_explains_the_cut_parameters(tape):
    story = Story(LossCutFromParameters, ParametersCutFromLoss).built()
    loss = backbone(tape, cut="detach")
    cut_steps(story, tape.loss(tape.op("new", shape=(), line=12), is_leaf=True))
    partly(story, loss)
    assert [(finding.code, finding.caused_by is None) for finding in story.findings] == [("GRD101", True), ("GRD102", False)]


# ---- NUM101 non-finite-gradient ----

NONFINITE = Stat(Reduction.NONFINITE_SHARE, Of.GRADIENT)


def measured(*bad, of=2, step=5, stat=NONFINITE):
    named = {f"parameter:{number}": parameter(number) for number in range(1, of + 1)}
    values = {name: float(int(name.partition(":")[2]) in bad) for name in named}
    return Measured(step=step, stat=stat, values=values, parameters=named, optimizer=OPTIMIZER, backward=at(30))


def rooted(tape, name="sqrt", line=15, **settings):
    """Parameter 1 lies behind the operation, parameter 2 does not."""
    root = tape.op(name, tape.linear(tape.outside(8, 4), 1, 4), line=line, **settings)
    return tape.op("mean", tape.linear(root, 2, 2, line=16), shape=(), line=17)


def test_the_one_operation_that_can_have_made_it(tape):
    story = Story(NonfiniteGradient).tell(tape.loss(rooted(tape)), measured(1))
    assert story.told == [("NUM101", "error", 15)]
    told = story.findings[0]
    assert told.message == "the gradient of `layer.1` is not finite, and the optimizer is about to use it"
    assert told.label == "the derivative of `sqrt` is unbounded"
    assert told.step == 5
    assert told.related[0]["line"] == 30


@pytest.mark.parametrize(
    ("name", "settings", "line"),
    [
        ("pow", {"exponent": 0.5}, 15),
        ("pow", {"arguments": (0.5,)}, 15),
        ("pow", {"exponent": 2}, 30),
        ("pow", {"arguments": (2,)}, 30),
        ("pow", {}, 30),
        ("norm", {}, 15),
        ("norm", {"order": 1}, 30),
        ("div", {}, 30),
        ("relu", {}, 30),
    ],
)
def test_what_counts_as_singular(tape, name, settings, line):
    assert Story(NonfiniteGradient).tell(tape.loss(rooted(tape, name, **settings)), measured(1)).told[0][2] == line


def test_a_division_by_what_is_learned(tape):
    h = tape.linear(tape.outside(8, 4), 1, 4)
    ratio = tape.op("div", h, tape.op("sum", h), line=15)
    assert Story(NonfiniteGradient).tell(tape.loss(tape.op("mean", ratio)), measured(1, of=1)).told == [("NUM101", "error", 15)]


def test_two_candidates_are_named_beside_the_backward(tape):
    first = tape.op("sqrt", tape.linear(tape.outside(8, 4), 1, 4), line=15)
    second = tape.op("log", first, line=16)
    story = Story(NonfiniteGradient).tell(tape.loss(tape.op("mean", second)), measured(1))
    assert story.told == [("NUM101", "error", 30)]
    assert [place["line"] for place in story.findings[0].related] == [15, 16]


def test_a_candidate_before_a_sound_parameter_is_left_out(tape):
    inner = tape.op("sqrt", tape.linear(tape.outside(8, 4), 1, 4), line=15)
    outer = tape.op("log", tape.linear(inner, 2, 4), line=16)
    story = Story(NonfiniteGradient).tell(tape.loss(tape.op("mean", outer)), measured(1))
    assert story.told == [("NUM101", "error", 15)]


def test_seen_late_when_all_is_broken(tape):
    story = Story(NonfiniteGradient).tell(tape.loss(rooted(tape)), measured(step=3), measured(1, 2, step=9))
    assert story.told == [("NUM101", "error", 15)]
    assert "the last look before step 9 was at step 3" in story.findings[0].proof_note


def test_no_candidate_and_no_trace(tape):
    story = Story(NonfiniteGradient).tell(measured(2))
    assert story.told == [("NUM101", "error", 30)]
    assert "batch" in story.findings[0].help


def test_first_non_finite_value_of_the_forward(tape):
    scores = tape.linear(tape.outside(8, 4), 1, 4)
    masked = tape.op("masked_fill", scores, line=12, nonfinite=0.5)
    weights = tape.op("softmax", masked, line=13, nonfinite=0.0)
    broken = tape.op("exp", weights, line=14, nonfinite=0.02)
    total = tape.op("mean", broken, shape=(), line=15, nonfinite=1.0)
    story = Story(NonfiniteGradient).tell(tape.loss(total, step=5), measured(1, step=5))
    assert story.told == [("NUM101", "error", 14)]
    assert story.findings[0].label.startswith("2%")
    later = Story(NonfiniteGradient).tell(tape.loss(total, step=4), measured(1, step=5))
    assert later.told == [("NUM101", "error", 30)]


def test_only_the_first_step_is_told(tape):
    story = Story(NonfiniteGradient).tell(tape.loss(rooted(tape)), *(measured(1, step=step) for step in range(4)))
    assert [finding.count for finding in story.findings] == [1]


def test_finite_gradients_and_other_statistics():
    story = Story(NonfiniteGradient).tell(measured(), measured(1, stat=Stat(Reduction.NORM, Of.GRADIENT)))
    assert story.told == []
    assert story.armed == ["NUM101"]


def test_a_gradient_scaler_looks_itself():
    assert Story(NonfiniteGradient).backward(parameter(1), scaled=True).tell(measured(1)).told == []
    assert Story(NonfiniteGradient).stepped(parameter(1), through="scaler").tell(measured(1)).told == []


def test_many_parameters_are_counted():
    assert "`layer.1`, `layer.2`, `layer.3` and 6 more" in Story(NonfiniteGradient).tell(measured(*range(1, 10), of=9)).findings[0].message


# ---- GRD103 dead-units ----

ZEROS = Stat(Reduction.ZERO_SHARE, Of.GRADIENT)


def zeros(shares, step):
    shapes = {1: (64, 20), 2: (64,), 3: (5, 64), 4: (5,)}
    named = {f"parameter:{number}": parameter(number, shape=shapes[number]) for number in shares}
    values = {f"parameter:{number}": share for number, share in shares.items()}
    return Measured(step=step, stat=ZEROS, values=values, parameters=named, optimizer=OPTIMIZER)


DEAD = {1: 1.0, 2: 1.0, 3: 1.0, 4: 0.0}


def dying(shares, steps=range(12)):
    return Story(DeadUnits).tell(*(zeros(shares, step) for step in steps))


def test_all_weights_are_dead():
    story = dying(DEAD)
    assert story.told == [("GRD103", "error", 101)]
    assert story.findings[0].step == 8
    assert "`layer.4`" in story.findings[0].proof_note


@pytest.mark.parametrize(
    "shares",
    [
        DEAD | {3: 0.99},  # a branch that starts at zero
        DEAD | {4: 1.0},  # a satisfied hinge: nothing has gradient
        {1: 1.0, 2: 1.0},  # a single layer
    ],
)
def test_something_lives(shares):
    assert dying(shares).told == []


def test_alive_after_some_steps():
    story = dying(DEAD, range(8))
    assert story.tell(zeros(DEAD | {1: 0.5}, 8), *(zeros(DEAD, step) for step in range(9, 12))).told == []


def test_a_part_that_was_not_looked_at():
    story = Story(DeadUnits).backward(*(parameter(number, shape=(4, 4)) for number in (1, 3, 7)))
    assert story.tell(*(zeros(DEAD, step) for step in range(12))).told == []
