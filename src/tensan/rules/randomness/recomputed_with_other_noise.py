"""RNG160: a checkpointed part is computed again in the backward with another dropout mask than in the forward."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Checkpointed
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule


class RecomputedWithOtherNoise(Rule):
    """
    ## What it does

    Finds activation checkpointing with `preserve_rng_state=False` around a part that draws random numbers, as dropout does.

    ## Why is this bad?

    The part is computed again in the backward, and draws a new mask there. The gradients are those of a network that never ran: units
    that were dropped get gradient, units that made the loss get none. Training goes on, worse and without an error.

    ## Example

    ```python
    x = checkpoint(block, x, use_reentrant=False, preserve_rng_state=False)   # block has dropout
    ```

    ## Use instead

    ```python
    x = checkpoint(block, x, use_reentrant=False)
    ```

    ## Known problems

    Only the global generators are looked at, of the CPU and of the current GPU.
    """

    code = "RNG160"
    name = "recomputed-with-other-noise"
    category = Category.CORRECTNESS
    law = 4
    explains = frozenset({"wrong-gradient"})

    def on_checkpointed(self, event: Checkpointed) -> Iterator[Finding]:
        self.armed = True
        if event.redrawn:
            what = f"`{event.name}`" if event.name else "the checkpointed part"
            yield self.finding(
                f"{what} is computed again in the backward with other random numbers than in the forward",
                at=event.site,
                event=event,
                label="its gradients are those of another dropout mask",
                evidence={"part": event.name},
                proof_note="it drew random numbers both times, and the generator stood elsewhere the second time",
                help="leave `preserve_rng_state=False` out: the state of the generators is then put back before it is computed again",
            )
