"""MOD108: an averaged copy of a model is evaluated with batch norm statistics that never followed its weights."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.evaluation import CopyEvaluated
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import listed

#: Batches that the trained model must be ahead.
_LEAST_BATCHES = 5


class StatisticsLeftBehind(Rule):
    """
    ## What it does

    Finds copies of a model, such as an average of its weights, that are evaluated in eval mode while the running statistics of their batch
    norms are still those of the moment they were made: the weights were moved on, the buffers were not.

    ## Why is this bad?

    `parameters()` does not hold the running mean and variance, which are buffers. In eval mode the copy normalises trained activations with
    statistics of an untrained network: what comes out may be no better than chance, though the average itself is fine.

    ## Example

    ```python
    for average, live in zip(ema.parameters(), model.parameters()):
        average.lerp_(live, 0.01)
    ```

    ## Use instead

    ```python
    for average, live in zip(ema.parameters(), model.parameters()):
        average.lerp_(live, 0.01)
    for average, live in zip(ema.buffers(), model.buffers()):
        average.copy_(live)
    ```

    or `torch.optim.swa_utils.AveragedModel(model, use_buffers=True)`, or `update_bn` before it is evaluated.

    ## Known problems

    A copy whose layers are new and whose scale and shift were moved is told at once; another only where it was put into a mode or evaluated
    before. Copies on a graphics card are not looked at.
    """

    code = "MOD108"
    name = "statistics-left-behind"
    category = Category.CORRECTNESS
    law = 4
    effect = "wrong-state"

    def on_copy_evaluated(self, event: CopyEvaluated) -> Iterator[Finding]:
        self.armed = True
        if not event.left or event.left * 2 < min(event.layers, 8) or event.batches - event.own_batches < _LEAST_BATCHES:
            return
        own = "1 batch" if event.own_batches == 1 else f"{event.own_batches} batches"
        yield self.finding(
            f"the copy of `{event.live}` is evaluated with running statistics that were never updated, though its weights were",
            at=event.averaged if event.averaged is not None else event.site,
            event=event,
            label="moves the parameters alone"
            if event.averaged is not None
            else f"statistics of {own}, where the live ones are of {event.batches}",
            evidence={"layers": event.layers, "left behind": event.left, "model": event.kind},
            related=[("the copy is evaluated here", event.site)] if event.averaged is not None else (),
            proof_note=f"scale or shift of {listed(event.names)} were moved, running mean and variance are those of {own}; "
            f"in the model that is trained they are of {event.batches}",
            help="copy the buffers too wherever the weights are averaged, or run `update_bn` before evaluating",
            subjects={event.module},
        )
