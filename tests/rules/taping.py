"""Recorded steps made by hand: each call adds an operation and gives back its value, as an adapter would tell it."""

from rules.making import at

from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.operations import CUTTING


class Tape:
    """A trace under construction. `line` of an operation is its place; operations of one line and column share it."""

    def __init__(self):
        self.operations = []

    def outside(self, *shape, subject=None, requires_grad=False, dtype="float32"):
        return Value(shape=shape, dtype=dtype, subject=subject, requires_grad=requires_grad)

    def parameter(self, number, *shape):
        return self.outside(*shape, subject=f"parameter:{number}", requires_grad=True)

    def op(self, name, *inputs, shape=None, line=1, gradients=True, nonfinite=None, dtype=None, outputs=True, **settings):
        flows = gradients and name not in CUTTING and any(value.requires_grad for value in inputs)
        index = len(self.operations)
        made = Value(
            shape=inputs[0].shape if shape is None else shape,
            dtype=dtype or (inputs[0].dtype if inputs else "float32"),
            producer=index,
            requires_grad=flows,
            nonfinite=nonfinite,
        )
        self.operations.append(
            Operation(
                index=index,
                name=name,
                inputs=inputs,
                outputs=(made,) if outputs else (),
                site=at(line),
                gradients=gradients,
                settings=settings,
            )
        )
        return made

    def linear(self, value, number, width, *, line=10, gradients=True):
        """A layer: the weight is transposed, as frameworks do, then multiplied."""
        weight = self.op("transpose", self.parameter(number, width, value.shape[-1]), line=line, gradients=gradients)
        return self.op("matmul", value, weight, shape=(*value.shape[:-1], width), line=line, gradients=gradients)

    def loss(self, value, *, step=0, **fields):
        return Loss(step=step, site=at(30), value=value, operations=tuple(self.operations), **fields)
