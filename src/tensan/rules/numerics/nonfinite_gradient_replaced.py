"""NUM120: NaN or Inf in gradients is replaced by numbers before the step, so that nothing hears of it."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.training import GradientsReplaced
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence, listed

#: Steps of an optimizer in which it must have been seen: a guard against one odd batch may be meant.
_LEAST_STEPS = 3


class NonfiniteGradientReplaced(Rule):
    """
    ## What it does

    Finds gradients that hold NaN or Inf after the backward and finite numbers when the optimizer steps, on step after step: `nan_to_num`,
    a mask or a clamp has taken their place.

    ## Why is this bad?

    What makes them is still there. A NaN in the gradient of an output reaches every weight below it, so that with zeros in its place
    these weights are no longer trained at all, while the loss stays finite. An Inf that is clamped becomes the largest step of all. And a
    gradient scaler that looks afterwards finds no overflow, and never lowers its scale.

    ## Example

    ```python
    loss.backward()
    for p in model.parameters():
        p.grad = torch.nan_to_num(p.grad)
    optimizer.step()
    ```

    ## Use instead

    Mend the operation: without the replacement [non-finite-gradient](non-finite-gradient.md) names it. Where a bad batch may come once
    in a while, leave that step out: `if norm.isfinite(): optimizer.step()`.

    ## Known problems

    What a hook on a tensor replaces is not seen, nor what happens on steps that are not looked at.
    """

    code = "NUM120"
    name = "non-finite-gradient-replaced"
    category = Category.SUSPICIOUS
    law = 14
    effect = "wrong-gradient"
    explains = frozenset({"no-update", "no-gradient"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen: dict[str, Evidence[GradientsReplaced]] = {}

    def on_gradients_replaced(self, event: GradientsReplaced) -> Iterator[Finding]:
        self.armed = True
        if event.parameters:
            for seen in self._seen.setdefault(event.optimizer, Evidence(_LEAST_STEPS)).add(event):
                yield self._finding(seen)

    def _finding(self, event: GradientsReplaced) -> Finding:
        names = [parameter.name for parameter in event.parameters]
        return self.finding(
            f"NaN or Inf in the gradients of {listed(names)} is replaced before the step",
            at=event.site or event.backward,
            event=event,
            label="puts numbers in its place" if event.site is not None else "not finite after this, and finite when the optimizer steps",
            evidence={"parameters": names[:10], "scaled": event.scaled},
            related=[("not finite after this", event.backward)] if event.site is not None else (),
            proof_note="after the backward these gradients held NaN or Inf, when the optimizer stepped they were finite"
            + ("; the scaler saw no overflow" if event.scaled else ""),
            help="leave the replacement out to be told which operation makes them, and mend that; or skip the step",
            subjects={parameter.id for parameter in event.parameters},
        )
