"""Recorded steps written down by hand: operations in modules, as an adapter tells them."""

from tensan.core.condense import Part
from tensan.core.events.recorded import Layer
from tensan.core.events.things import Operation, Value
from tensan.core.sites import Location

SCRIPT = "/x/train.py"


class Recorded:
    """A step that grows operation by operation; `call` returns the value that comes of each."""

    def __init__(self):
        self.operations, self.parts = [], {("m", ""): Part(kind="Net")}

    def given(self, *shape, subject=None):
        return Value(shape=shape, dtype="float32", subject=subject)

    def call(self, name, *inputs, shape, path=None, kind="", weights=0, line=1, column=1, gradient=True):
        index = len(self.operations)
        output = Value(shape=shape, dtype="float32", producer=index, requires_grad=gradient)
        layer = None
        if path is not None:
            layer = Layer(id=f"m{path}", kind=kind, name=path, root="m")
            self.parts.setdefault(("m", path), Part(kind=kind or "Block", weights=weights, own=bool(kind)))
            for number in range(path.count(".")):
                above = ".".join(path.split(".")[: number + 1])
                self.parts.setdefault(("m", above), Part(kind="ModuleList" if number == 0 else "Block"))
        given = tuple(inputs) + ((Value(shape=(4, 4), dtype="float32", subject="parameter:1", requires_grad=True),) if weights else ())
        site = Location(path=SCRIPT, line=line, column=column, end_column=column + 3)
        self.operations.append(Operation(index=index, name=name, inputs=given, outputs=(output,), site=site, settings={"layer": layer}))
        return output


def blocks(count, *, alike=True):
    """A net of blocks with a way around each, and its loss."""
    step = Recorded()
    x = step.call("matmul", step.given(8, 4, subject="batch"), shape=(8, 4), path="stem", kind="Linear", weights=16, line=2)
    for number in range(count):
        width = 4 if alike else 4 + number
        h = step.call("matmul", x, shape=(8, width), path=f"blocks.{number}.fc", kind="Linear", weights=16, line=10)
        h = step.call("relu", h, shape=(8, width), path=f"blocks.{number}", line=11)
        x = step.call("add", x, h, shape=(8, width), path=f"blocks.{number}", line=12)
    y = step.call("matmul", x, shape=(8, 1), path="head", kind="Linear", weights=4, line=20)
    step.call("mse_loss", y, step.given(8), shape=(), line=30, column=5)
    return step
