"""OPT117: weight decay is added to gradients that Adam then divides by their size."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.training import OptimizerBuilt, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule

#: Divide so that the strength of the decay no longer depends on what was asked for.
_KINDS = frozenset({"Adam", "NAdam", "RAdam", "Adamax"})


class DecayThroughAdaptiveStep(Rule):
    """
    ## What it does

    Finds Adam and its relatives with a weight decay that is added to the gradient.

    ## Why is this bad?

    Adam divides the sum by its size, the decay included: weights with large gradients are hardly decayed, weights with small
    ones far more than was asked for. AdamW decays the weights themselves.

    ## Example

    ```python
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-2)
    ```

    ## Use instead

    ```python
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
    ```

    ## Known problems

    A matter of taste in part: many published results were had this way.
    """

    code = "OPT117"
    name = "decay-through-adaptive-step"
    category = Category.PEDANTIC
    law = 1

    def on_optimizer_built(self, event: OptimizerBuilt) -> None:
        self.armed = self.armed or event.optimizer.kind in _KINDS

    def on_optimizer_step(self, event: OptimizerStep) -> Iterator[Finding]:
        optimizer = event.optimizer
        if optimizer.kind not in _KINDS:
            return
        self.armed = True
        if optimizer.coupled:
            yield self.finding(
                f"{optimizer.kind} divides its weight decay of {optimizer.decay:g} by the size of the gradients",
                at=optimizer.made,
                event=event,
                label="adds the decay to the gradient",
                evidence={"weight decay": optimizer.decay},
                proof_note=f"its groups have a weight decay, and {optimizer.kind} is not told to decouple it",
                help="pass `decoupled_weight_decay=True`" if optimizer.kind in ("NAdam", "RAdam") else "use AdamW",
                subjects=[optimizer.id],
            )
