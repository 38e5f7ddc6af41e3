"""Keeps the diagram of a step for each loss of the program: what the first deep step has recorded, drawn once it is paid for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec

from tensan.core.condense import Key, Part, condense
from tensan.core.diagram import DIAGRAM
from tensan.core.events.recorded import Layer
from tensan.core.events.run import Raised
from tensan.core.events.things import Value
from tensan.core.events.training import Loss
from tensan.core.findings import text
from tensan.core.sites import Site, resolved

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder
    from tensan.adapters.torch.trace import Trace

#: Losses of a program that have a diagram, and operations of a step beyond which there is none.
MOST_DIAGRAMS, MOST_OPERATIONS = 4, 4_000
#: CPU nanoseconds that an operation takes.
AN_OPERATION = 40_000


class Waiting(msgspec.Struct, frozen=True):
    """A step that is not yet drawn; it holds no tensor."""

    loss: Loss
    parts: dict[Key, Part]
    title: str = ""


class Diagrams:
    """Draws from what a deep step records anyway; nothing of its own is recorded."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.waiting: list[Waiting] = []
        self._losses: set[tuple[str, int] | None] = set()

    def recorded(self, loss: Loss) -> None:
        """A step was recorded as far as its loss: the first one of each loss is kept."""
        place = loss.site.key if isinstance(loss.site, Site) else None
        if self.recorder.watch.run_file is None or place in self._losses or len(self._losses) >= MOST_DIAGRAMS:
            return
        self._losses.add(place)
        if len(loss.operations) <= MOST_OPERATIONS:
            self.waiting.append(Waiting(loss, self._parts(loss)))

    def broken_off(self, trace: Trace, raised: Raised) -> None:
        """An error has ended the program in the middle of a step: what was recorded of it leads up to there, and has no loss."""
        at = resolved(raised.site)
        if self.recorder.watch.run_file is None or at is None or not 0 < len(trace.operations) <= MOST_OPERATIONS:
            return
        nothing = Value(shape=(), dtype="float32", producer=-1)
        loss = Loss(step=raised.step, site=raised.site, value=nothing, operations=tuple(trace.operations))
        self.waiting.append(Waiting(loss, self._parts(loss), title=f"up to the error at {os.path.basename(at.path)}:{at.line}"))

    def _parts(self, loss: Loss) -> dict[Key, Part]:
        layers = (operation.settings.get("layer") for operation in loss.operations)
        roots = {layer.root for layer in layers if isinstance(layer, Layer)}
        return {
            (root, path): _part(module)
            for root, outermost in self.recorder.inventory.living(roots).items()
            for path, module in outermost.named_modules()
        }

    def draw(self) -> None:
        """Draws the step that has waited longest, where the budget allows it."""
        if self.recorder.watch.budget.allows(AN_OPERATION * len(self.waiting[0].loss.operations)):
            self._draw(self.waiting.pop(0))

    def finish(self) -> None:
        """Draws what still waits: the program is over, and waits for nothing."""
        while self.waiting:
            self._draw(self.waiting.pop(0))

    def _draw(self, step: Waiting) -> None:
        run_file, loss = self.recorder.watch.run_file, step.loss
        if run_file is not None:
            at = resolved(loss.site)
            title = text(step.title or f"{os.path.basename(at.path)}:{at.line}") if at is not None else ""
            run_file.append(DIAGRAM, condense(loss.operations, loss=loss.value.producer, parts=step.parts, title=title, step=loss.step))


def _part(module: Any) -> Part:
    kind = type(module)
    shaped = (tensor for tensor in module._parameters.values() if tensor is not None and not hasattr(tensor, "cls_to_become"))
    weights = sum(tensor.numel() for tensor in shaped)
    return Part(kind=kind.__name__, weights=weights, own=kind.__module__.startswith("torch.nn."))
