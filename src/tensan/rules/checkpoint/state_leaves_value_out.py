"""CKP120: a running value that a model computes with is no part of what is saved."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.state import StateLeavesOut
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import line_of


class StateLeavesValueOut(Rule):
    """
    ## What it does

    Finds tensors that a module keeps as plain attributes, moves while it trains (a running mean, a scale, a codebook's counts) and
    computes with in its forward, while its state is saved without them.

    ## Why is this bad?

    `state_dict()` holds parameters and buffers, nothing else. The file loads without an error, with all names matching, and the model
    that was loaded computes with the value that the constructor gave. Such attributes do not move with `model.to(device)` either.

    ## Example

    ```python
    class Whiten(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.mean = torch.zeros(width)

        def forward(self, x):
            if self.training:
                self.mean = 0.9 * self.mean + 0.1 * x.mean(0).detach()
            return x - self.mean
    ```

    ## Use instead

    ```python
            self.register_buffer("mean", torch.zeros(width))
    ```

    ## Known problems

    Only values that are moved by sums, products and interpolations of what they were before are followed: what a layer computes anew,
    such as the state of a recurrent network, is left in peace. So is what is saved beside the state in the same file.
    """

    code = "CKP120"
    name = "state-leaves-value-out"
    category = Category.CORRECTNESS
    law = 12
    effect = "wrong-state"

    def on_state_leaves_out(self, event: StateLeavesOut) -> Iterator[Finding]:
        self.armed = True
        if not event.name:
            return
        attribute = event.name.rpartition(".")[2]
        apart = line_of(event.made) != line_of(event.site)
        yield self.finding(
            f"`{event.name}` is no part of what is saved: it is a plain attribute of {event.kind}, and training has changed it",
            at=event.made or event.site,
            event=event,
            label="neither a parameter nor a buffer",
            evidence={"attribute": event.name, "kind": event.kind},
            related=[("the state is saved here, without it", event.site)] if event.made is not None and apart else (),
            proof_note="the forward computes with it, training has changed it since it began, and nothing in what is saved holds it",
            help=f"make it a buffer, which is saved and moved along: `self.register_buffer({attribute!r}, ...)`",
            subjects=[event.module],
        )
