"""NUM140: a gradient scaler is at work, and nothing in the step is computed in half precision."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import RunEnd
from tensan.core.events.training import Backward, Loss
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule

_HALF = frozenset({"float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"})
#: Steps that were recorded, none of them with a value in half precision.
_LEAST_STEPS = 2


class ScalerWithoutHalf(Rule):
    """
    ## What it does

    Finds losses that are multiplied by a gradient scaler although the whole step, from the model's inputs to the loss, is computed in
    single precision.

    ## Why is this bad?

    The scaler is there for half precision. That there is none means that `autocast` is missing, is switched off, names another kind
    of device, or is left before the model runs: the program takes the time and the memory that it was to save.

    ## Example

    ```python
    output = model(x)
    with torch.autocast("cuda"):
        loss = criterion(output, y)
    scaler.scale(loss).backward()
    ```

    ## Use instead

    ```python
    with torch.autocast("cuda"):
        loss = criterion(model(x), y)
    scaler.scale(loss).backward()
    ```

    ## Known problems

    A scaler that is not enabled does nothing, and nothing is said about it. Programs that begin in single precision and go over to half
    later may be told, since only the first steps are recorded for certain.
    """

    code = "NUM140"
    name = "scaler-without-half"
    category = Category.SUSPICIOUS
    law = 15
    preview = True
    effect = "no-effect"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._recorded: tuple[int, bool] | None = None
        self._single: list[Backward] = []
        self._half = False

    def on_loss(self, loss: Loss) -> None:
        half = any(value.dtype in _HALF for operation in loss.operations for value in (*operation.inputs, *operation.outputs))
        self._recorded = (loss.step, half) if loss.value.producer >= 0 and loss.leaves else None

    def on_backward(self, event: Backward) -> None:
        recorded, self._recorded = self._recorded, None
        if not event.scaled or recorded is None or recorded[0] != event.step:
            return
        self.armed = True
        if recorded[1]:
            self._half = True
        else:
            self._single.append(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        if self._half or len(self._single) < _LEAST_STEPS:
            return
        first = self._single[0]
        yield self.finding(
            "the loss is scaled for half precision, and nothing is computed in half precision",
            at=first.site,
            event=first,
            label="a scaled loss, computed in float32 from end to end",
            evidence={"steps": len(self._single)},
            proof_note=f"in {len(self._single)} recorded steps no operation has taken or given a value of half precision",
            help="run the model inside `torch.autocast(device_type=...)` of the device that it is on, or leave the scaler out",
        )
