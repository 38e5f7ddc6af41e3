"""NUM160: much of the gradient is too small for float16 and becomes zero, because nothing scales the loss."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.training import GradientNarrowed
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule

#: Share of the gradient's size that must be lost, and on how many recorded steps.
_LOST, _LEAST_STEPS = 0.1, 2


class GradientLostInHalf(Rule):
    """
    ## What it does

    Finds training in float16 in which a good part of the gradient is so small that it becomes zero where the backward goes over from
    float32 to float16.

    ## Why is this bad?

    Below 0.00000003 float16 knows nothing but zero. The mean over many tokens and classes makes gradients as small as that: those of the
    wrong classes are gone first, so that the model learns to raise the right one and never to lower the others. No error is raised.

    ## Example

    ```python
    with torch.autocast("cuda", dtype=torch.float16):
        loss = criterion(model(x), y)
    loss.backward()
    ```

    ## Use instead

    ```python
    scaler = torch.amp.GradScaler("cuda")
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    ```

    or `dtype=torch.bfloat16`, which reaches as far down as float32 does.

    ## Known problems

    What is lost further on inside of the model, between two operations in float16, is not seen.
    """

    code = "NUM160"
    name = "gradient-lost-in-half"
    category = Category.SUSPICIOUS
    law = 9
    explains = frozenset({"wrong-gradient", "no-update"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._steps = 0

    def on_gradient_narrowed(self, event: GradientNarrowed) -> Iterator[Finding]:
        self.armed = True
        if event.lost < _LOST:
            return
        self._steps += 1
        if self._steps >= _LEAST_STEPS:
            yield self.finding(
                f"{event.lost:.0%} of the gradient is too small for float16 and becomes zero",
                at=event.site,
                event=event,
                label="of a loss whose scale is too small" if event.scaled else "of a loss that nothing scales",
                evidence={"lost": round(event.lost, 4), "scaled": event.scaled},
                proof=Proof.STATISTIC,
                proof_note="where the backward goes over from float32 to float16, that share of the gradient's size turns to zero",
                help="find out why the scaler had to lower its scale so far"
                if event.scaled
                else "scale the loss by `torch.amp.GradScaler`, or use bfloat16, which needs no scaling",
            )
