"""The closed vocabularies: statistics, events and their handlers, types, operations."""

import msgspec
import pytest

from tensan.core import operations
from tensan.core.events.base import Event, event_types, handler_name
from tensan.core.events.things import Operation, Parameter, Value, typed
from tensan.core.events.training import Loss
from tensan.core.operations import ancestors, broadcast_grows_both, depends_on, through_layout
from tensan.core.stats import Of, Reduction, Stat


def test_a_statistic_reads_well_and_compares():
    assert str(Stat(Reduction.NORM, Of.GRADIENT)) == "norm(gradient)"
    assert str(Stat(Reduction.ROW_SUMS, Of.OUTPUT, (1,))) == "row_sums(output) over (1,)"
    assert len({Stat(Reduction.NORM, Of.GRADIENT), Stat(Reduction.NORM, Of.GRADIENT), Stat(Reduction.NORM, Of.UPDATE)}) == 2


@pytest.mark.parametrize(
    ("kind", "name"), [("Loss", "on_loss"), ("OptimizerStep", "on_optimizer_step"), ("ZeroGrad", "on_zero_grad"), ("RunEnd", "on_run_end")]
)
def test_handler_names(kind, name):
    assert {each.__name__: handler_name(each) for each in event_types()}[kind] == name


def test_every_event_is_frozen_and_listens_under_its_own_name():
    kinds = list(event_types())
    assert len(kinds) >= 20
    assert len({handler_name(kind) for kind in kinds}) == len(kinds)
    assert all(kind.__struct_config__.frozen and kind.__doc__ for kind in kinds)


def test_events_of_third_parties_are_found():
    class Probe(Event, frozen=True, kw_only=True):
        """Found by subclassing."""

    class Deeper(Probe, frozen=True, kw_only=True):
        """Found below another."""

    assert {Probe, Deeper} <= set(event_types())


def test_events_cannot_be_changed():
    with pytest.raises(AttributeError):
        Loss(value=Value(shape=(), dtype="float32")).step = 3


@pytest.mark.parametrize(
    ("dtype", "shape", "text"),
    [("float32", (64, 1), "f32[64, 1]"), ("int64", (), "i64[]"), ("bfloat16", (3,), "bf16[3]"), ("float8_e5m2", (2,), "float8_e5m2[2]")],
)
def test_types_are_printed_short(dtype, shape, text):
    assert typed(dtype, shape) == text
    assert str(Value(shape=shape, dtype=dtype)) == text
    assert str(Parameter(id="parameter:1", name="w", shape=shape, dtype=dtype)) == f"`w` {text}"


@pytest.mark.parametrize(
    ("left", "right", "both"),
    [
        ((64, 1), (64,), True),
        ((64,), (64, 1), True),
        ((4, 1), (1, 5), True),
        ((2, 1, 3), (4, 1), True),
        ((64, 1), (64, 1), False),
        ((64, 3), (64, 1), False),
        ((64, 3), (3,), False),
        ((1,), (64, 1), False),
        ((), (3, 4), False),
        ((1, 1), (1,), False),
    ],
)
def test_growing_both_ways(left, right, both):
    assert broadcast_grows_both(left, right) is both
    assert broadcast_grows_both(right, left) is both


def trace():
    """0 parameter -> transpose, 1 batch x 0 -> matmul, 2 view of 1, 3 unrelated, 4 = 2 + 3."""

    def value(producer=-1, subject=None):
        return Value(shape=(2,), dtype="float32", producer=producer, subject=subject)

    def op(index, name, *inputs):
        return Operation(index=index, name=name, inputs=inputs, outputs=(value(index),))

    return (
        op(0, "transpose", value(subject="parameter:1")),
        op(1, "matmul", value(subject="batch"), value(0)),
        op(2, "view", value(1)),
        op(3, "new"),
        op(4, "add", value(2), value(3)),
    )


def test_walking_back():
    operations_ = trace()
    assert list(ancestors(operations_, [4])) == [4, 2, 3, 1, 0]
    assert list(ancestors(operations_, [-1])) == []
    assert through_layout(operations_, 2) == 1
    assert through_layout(operations_, 4) == 4
    assert through_layout(operations_, 0) == -1
    assert through_layout(operations_, 4, also=frozenset({"add"})) == 1
    assert depends_on(operations_, 4, "parameter")
    assert depends_on(operations_, 4, "batch")
    assert not depends_on(operations_, 3, "parameter")


def test_the_sets_of_operations_agree():
    for words in (operations.LAYOUT, operations.POINTWISE, operations.LOSS):
        assert not words & operations.ELEMENTWISE
    assert operations.PAIRED_LOSS <= operations.LOSS
    assert not operations.LAYOUT & operations.CUTTING


def test_things_survive_json():
    parameter = Parameter(id="parameter:1", name="w", shape=(2, 3), dtype="float32")
    assert msgspec.json.decode(msgspec.json.encode(parameter))["shape"] == [2, 3]
