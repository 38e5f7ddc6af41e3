"""The taxonomy: what can go wrong in a deep-learning program, in words that no framework owns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import ClassVar

from tensan.core.errors import TensanError


class Layer(StrEnum):
    """The part of the stack that failed."""

    HARDWARE = "hardware"
    GRAPH = "graph"
    NUMERIC = "numeric"
    DATA = "data"
    DISTRIBUTED = "distributed"
    SERVING = "serving"


class Phase(StrEnum):
    """What the program was doing."""

    BUILD = "build"
    TRACE = "trace"
    RUN = "run"
    BACKWARD = "backward"
    STEP = "step"
    SERVE = "serve"


class Fault(TensanError):
    """Something that went wrong in the user's program, not in Tensan; base of the taxonomy.

    Attributes:
        code: never used again.
        layer: the part of the stack that failed.
        phase: what the program does when this is raised, where neither the message nor the traceback tells.
        recoverable: whether the process can go on once it has caught this: its memory, its device and its peers are whole.
        retryable: whether the same call, unchanged, may succeed the next time.
        hint: the first thing to try.
    """

    code: ClassVar[str] = "ERR000"
    layer: ClassVar[Layer] = Layer.GRAPH
    phase: ClassVar[Phase] = Phase.RUN
    recoverable: ClassVar[bool] = True
    retryable: ClassVar[bool] = False
    hint: ClassVar[str] = ""

    @classmethod
    def slug(cls) -> str:
        """The name in kebab case, as its page is called."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def page(cls) -> str:
        """Where its page is, from the root of the documentation."""
        return f"errors/{cls.slug()}.md"


class DeviceError(Fault):
    """A device is missing, is not the one that was meant, or failed.

    Two tensors on different devices meet, a device does not exist, a build has no support for it, or its driver reports an error that is
    none of the three below.
    """

    code = "ERR100"
    layer = Layer.HARDWARE
    hint = "print the device of the model and of each input where they meet, and check that the build supports that device"


class OutOfMemory(DeviceError):
    """The device, or the host, has no room for what was asked.

    The process is whole after it: what failed is one allocation. The same call with the same sizes fails again, unless something else lets
    go of its memory first; a smaller micro-batch with accumulated gradients computes the same update.
    """

    code = "ERR101"
    hint = "halve the micro-batch and accumulate gradients over two of them, or free what is kept alive between steps"


class LaunchFailure(DeviceError):
    """A kernel died on the device, for example by reading memory that is not its own.

    CUDA reports such errors late: at the next call that waits for the device, which is rarely the one that failed. From then on every call
    to the device fails in this process.
    """

    code = "ERR102"
    recoverable = False
    hint = "run once with CUDA_LAUNCH_BLOCKING=1 for the guilty line; the process must be started again"


class DeviceAssert(DeviceError):
    """A check inside a kernel failed; nearly always an index or a label out of range.

    As with a launch failure the line is not to be trusted and the process cannot go on. The same step on the CPU raises an ordinary error
    with the value that was out of range.
    """

    code = "ERR103"
    recoverable = False
    hint = "run the same step on the CPU: it names the index that is out of range; the process must be started again"


class GraphError(Fault):
    """A program or model cannot be made into, or run as, a graph of operations.

    A model file that is no valid graph, an operation that does not exist for this type, layout or device, a layer that was not built.
    """

    code = "ERR200"
    phase = Phase.BUILD
    hint = "look up whether this operation exists for the type, layout, device and version at hand"


class TracingError(GraphError):
    """Tracing needs a value, a shape or a side effect that is only there when the program really runs.

    Compilers and exporters run the Python code once on symbols. What leaves the graph (`.item()`, `float(x)`, `.numpy()`), sizes that
    depend on values, and state that changes while tracing cannot be recorded.
    """

    code = "ERR201"
    phase = Phase.TRACE
    hint = "keep values inside the graph: no `.item()`, `float()` or NumPy in traced code; make sizes static arguments"


class UnsupportedControlFlow(GraphError):
    """Python's `if`, `while` or `for` asks a traced value which way to go.

    While a program is traced its values are not known, so a branch on them cannot be taken. Write the choice as an operation:
    `torch.where` or `torch.cond`, `tf.cond` or `tf.where`, `jax.lax.cond`, `jax.lax.while_loop` or `jnp.where`.
    """

    code = "ERR202"
    phase = Phase.TRACE
    hint = "write the choice as an operation (where, cond, while_loop), or decide it from shapes and static arguments"


class GradientFlowError(Fault):
    """Backward cannot be computed from this graph.

    The graph was freed or overwritten, the loss is no scalar, or an operation on the way has no derivative.
    """

    code = "ERR300"
    layer = Layer.GRAPH
    phase = Phase.BACKWARD
    hint = "call backward once per graph, on a scalar, and write nothing in place that backward still needs"


class DisconnectedGradient(GradientFlowError):
    """No path leads from the loss back to what should be trained.

    Typical causes: `.detach()`, `.item()`, `.numpy()` or a new tensor made of an old one on the way, `no_grad` around the forward, frozen
    parameters, an output that the loss does not use.
    """

    code = "ERR301"
    hint = "follow the loss back: look for detach, item, numpy, no_grad, integer casts, or a parameter the forward does not use"


class ZeroGradient(GradientFlowError):
    """There is a path from the loss to the parameters, and exactly nothing arrives.

    Dead units, a softmax over one element, rounding, a sign, a clamp that is always at its limit. Frameworks do not raise
    this: contracts do.
    """

    code = "ERR302"
    layer = Layer.NUMERIC
    hint = "look for operations that are flat where they are used: round, sign, clamp, dead ReLUs, softmax over one element"


class NonFiniteGradient(GradientFlowError):
    """A gradient is NaN or infinite.

    The forward may be finite: the derivative of a square root, a norm or a power at zero is not, and `where` does not hide it.
    """

    code = "ERR303"
    layer = Layer.NUMERIC
    hint = "keep square roots, norms, logarithms and divisions away from zero before they are computed, not after by `where`"


class ShapeMismatchError(Fault, RuntimeError):
    """Sizes that must agree do not.

    An operation, a layer, a checkpoint or a batch met an array of another shape than it is made for.
    """

    code = "ERR400"
    layer = Layer.DATA
    hint = "print both shapes where they meet, and write down what each axis means"


class NumericError(Fault):
    """A computation has no finite result: NaN, infinity, a singular matrix, a parameter outside of its domain."""

    code = "ERR500"
    layer = Layer.NUMERIC
    hint = "look at the smallest and largest values that go into this operation; keep divisors and logarithms away from zero"


class DataContractError(Fault):
    """Data are not what the program was promised.

    Another type, a value out of range, an index past the end, a missing key or file, a file that is damaged, rows that do not line up.
    """

    code = "ERR600"
    layer = Layer.DATA
    hint = "check type, range and completeness where the data enter the program"


class DistributedError(Fault):
    """Processes that work together have lost each other.

    A peer is gone, a collective was not called everywhere, a rendezvous failed, or the group was never made. What the other processes
    hold is unknown, so the group has to be made anew.
    """

    code = "ERR700"
    layer = Layer.DISTRIBUTED
    recoverable = False
    hint = "find the rank that failed first: the others only tell that it is gone"


class ServingError(Fault):
    """A request to a model, or the loading of one for serving, failed.

    What may be tried again, and who is to blame, follows from the status: a bad argument stays bad, a server that is not there may come
    back.
    """

    code = "ERR800"
    layer = Layer.SERVING
    phase = Phase.SERVE
    hint = "look at the status: mend the request for INVALID_ARGUMENT, wait and try again for UNAVAILABLE"


class ContractViolation(Fault):
    """Something that was promised with `tensan.contract` did not hold.

    An argument or result has another shape, type or range than declared, is not finite, has no gradient; or an exception came out that was
    not declared.
    """

    code = "ERR900"
    layer = Layer.DATA
    hint = "the message names the promise, the value and the place: mend whichever of the two is wrong"


def taxonomy(root: type[Fault] = Fault) -> Iterator[type[Fault]]:
    """Yields a class of the taxonomy and all below it, parents first; classes that were made to translate an exception are left out."""
    yield root
    for below in root.__subclasses__():
        if below.__module__ == __name__:
            yield from taxonomy(below)
