"""Whatever a step is made of, no rule fails at it: operations without a result, scalars, empty arrays, names in any order."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tensan.core import plugins
from tensan.core.events.recorded import Given, StepRecorded, Tokens
from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss

RULES = [rule for rule in plugins.all_rules() if hasattr(rule, "on_loss") or hasattr(rule, "on_step_recorded")]
NAMES = [
    *("view", "transpose", "slice", "unsqueeze", "squeeze", "copy", "cast", "expand", "concatenate", "stack", "index", "embedding", "new"),
    *("add", "sub", "mul", "div", "pow", "where", "masked_fill", "compare", "matmul", "softmax", "log_softmax", "attention", "recurrent"),
    *("sum", "mean", "norm", "max", "logsumexp", "relu", "sigmoid", "tanh", "exp", "log", "clamp", "dropout", "detach", "item", "argmax"),
    *(
        "mse_loss",
        "nll_loss",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
        "kl_div",
        "convolution",
        "batch_norm",
        "aten::odd",
    ),
]
SHAPES = st.lists(st.sampled_from([0, 1, 2, 4, 4, 6]), max_size=4).map(tuple)
ARGUMENTS = st.lists(st.sampled_from([0, 1, -1, 2, None, 0.5, (0, 1), [-1, 4], True]), max_size=4).map(tuple)


@st.composite
def steps(draw):
    operations = []
    for index in range(draw(st.integers(1, 10))):
        made = [value for operation in operations for value in operation.outputs]
        outside = st.builds(
            Value,
            shape=SHAPES,
            dtype=st.sampled_from(["float32", "int64", "bool"]),
            subject=st.sampled_from([None, "batch", "parameter:1"]),
            requires_grad=st.booleans(),
        )
        name = draw(st.sampled_from(NAMES))
        given_to = st.sampled_from(made) if made and draw(st.booleans()) else outside
        inputs = draw(st.lists(given_to, min_size=name != "new", max_size=3))
        results = draw(st.lists(SHAPES, max_size=2))
        operations.append(
            Operation(
                index=index,
                name=name,
                inputs=tuple(inputs),
                outputs=tuple(Value(shape=shape, dtype="float32", producer=index, requires_grad=draw(st.booleans())) for shape in results),
                settings={"arguments": draw(ARGUMENTS), "aten": f"aten::{name}", "writes": draw(st.booleans()), "layer": None},
            )
        )
    last = len(operations) - 1
    value = Value(shape=(), dtype="float32", producer=draw(st.integers(-1, last)), requires_grad=True)
    length = draw(st.sampled_from([1, 2, 4]))
    return StepRecorded(
        loss=Loss(value=value, operations=tuple(operations)),
        given=(Given(subject="input:0", shape=(4, length), dtype="float32", axis=draw(st.sampled_from([None, 0, 1])), independent=True),),
        tokens=(Tokens(operation=draw(st.integers(0, last)), length=length, batch=4, padding=draw(st.integers(0, 3)), rows=2, filler=0),),
        outputs=(last,),
        forward_end=draw(st.integers(0, last + 1)),
        discarded=(draw(st.integers(0, last)),),
        batch=draw(st.sampled_from([0, 1, 4])),
    )


@settings(max_examples=25, deadline=None, derandomize=True)
@given(several=st.lists(steps(), min_size=1, max_size=3))
def test_no_rule_fails(several):
    for kind in RULES:
        rule = kind()
        for recorded in several:
            for method, event in (("on_loss", recorded.loss), ("on_step_recorded", recorded)):
                heard = getattr(rule, method, None)
                list(heard(event) or ()) if heard is not None else None
