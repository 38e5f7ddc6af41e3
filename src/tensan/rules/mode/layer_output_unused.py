"""MOD114: a layer runs in each step, and what it gives is read by nothing."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.layers import OutputUnread
from tensan.core.events.run import RunEnd
from tensan.core.events.training import Backward, Loss
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import counted, line_of, listed

#: Recorded steps in which it must have been so.
_LEAST_STEPS = 2


class LayerOutputUnused(Rule):
    """
    ## What it does

    Finds layers with trainable parameters that run in the forward, with gradients on, and whose result is given a name that no
    statement reads.

    ## Why is this bad?

    The layer costs time and is never trained, and the model lacks what the layer was to bring in: a condition, a second branch, a
    block of a stack that the next line passes over. The shapes fit without it, so nothing else is amiss.

    ## Example

    ```python
    def forward(self, x, time):
        h = self.first(x)
        e = self.embed(time)
        return self.last(F.silu(h))
    ```

    ## Use instead

    ```python
    def forward(self, x, time):
        h = self.first(x)
        e = self.embed(time)
        return self.last(F.silu(h + e))
    ```

    ## Known problems

    Results that are returned and then not used pass, as those of auxiliary heads, and so do names that begin with an underscore. Who
    keeps such a line on purpose can leave the layer out of the optimizer.
    """

    code = "MOD114"
    name = "layer-output-unused"
    category = Category.SUSPICIOUS
    law = 2
    effect = "no-gradient"
    explains = frozenset({"no-gradient", "no-update"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._unread: dict[object, list[OutputUnread]] = {}
        self._reached: set[str] = set()

    def on_loss(self, loss: Loss) -> None:
        self._reached.update(leaf.id for leaf in loss.leaves)
        self.armed = self.armed or any(operation.settings.get("layer") is not None for operation in loss.operations)

    def on_backward(self, backward: Backward) -> None:
        self._reached.update(leaf.id for leaf in backward.leaves)

    def on_output_unread(self, event: OutputUnread) -> None:
        self.armed = True
        self._unread.setdefault(line_of(event.site), []).append(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        for events in self._unread.values():
            parameters = {parameter.id: parameter for seen in events for parameter in seen.parameters}
            steps = {seen.step for seen in events}
            if len(steps) < _LEAST_STEPS or not self._reached or not self._reached.isdisjoint(parameters):
                continue
            yield self._finding(events, list(parameters), len(steps))

    def _finding(self, events: list[OutputUnread], parameters: list[str], steps: int) -> Finding:
        event = events[0]
        layers = listed(dict.fromkeys(seen.layer or seen.kind for seen in events))
        names = listed(event.names)
        made = next((parameter.made for parameter in event.parameters if parameter.made is not None), None)
        return self.finding(
            f"what {layers} {'give' if len({seen.layer for seen in events}) > 1 else 'gives'} is read by nothing",
            at=event.site,
            event=event,
            label=f"goes into {names}, which no statement reads from here on",
            evidence={
                "kind": event.kind,
                "names": list(event.names[:4]),
                "parameters": len(parameters),
                "operations": event.num_operations,
            },
            related=[(f"`{event.layer or event.kind}` was made here", made)],
            proof_note=f"in {counted(steps, 'recorded step')} nothing on the way to the loss used it, its memory was free again before the "
            "backward, and no backward that was looked at reached its parameters",
            help=f"use {names} where it was meant to go in, or take the layer out",
            subjects=parameters,
        )
