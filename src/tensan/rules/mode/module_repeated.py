"""MOD113: a list of layers holds one layer several times."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.layers import ModuleRepeated
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule


class OneModuleRepeated(Rule):
    """
    ## What it does

    Finds containers that were filled by multiplying a list, so that all of their layers are one layer: `[nn.Linear(8, 8)] * 6`.

    ## Why is this bad?

    Multiplying a list repeats the reference, not the layer. The network has the parameters of one layer, and all its depth
    is the same function over and over.

    ## Example

    ```python
    self.layers = nn.ModuleList([nn.Linear(64, 64)] * 6)
    ```

    ## Use instead

    ```python
    self.layers = nn.ModuleList([nn.Linear(64, 64) for _ in range(6)])
    ```

    ## Known problems

    Layers that are shared in any other way than by multiplying a list that makes one are taken to be shared on purpose.
    """

    code = "MOD113"
    name = "module-repeated"
    category = Category.SUSPICIOUS
    law = 15

    def on_loss(self, event: Loss) -> None:
        self.armed = self.armed or bool(event.leaves)

    def on_module_repeated(self, event: ModuleRepeated) -> Iterator[Finding]:
        if not event.multiplied:
            return
        first = event.parameters[0]
        yield self.finding(
            f"{len(event.names)} layers of {event.container} are one {event.module}: multiplying a list repeats the reference",
            at=event.site,
            event=event,
            label=f"{len(event.names)} names for one layer",
            evidence={"layers": len(event.names), "parameters": [parameter.name for parameter in event.parameters[:4]]},
            related=[(f"{first} was made here, once", event.made)],
            proof_note=f"the {len(event.names)} entries are one object, with one set of parameters that is trained",
            help=f"make each its own: `nn.{event.container}([{event.module}(...) for _ in range({len(event.names)})])`",
            subjects=[parameter.id for parameter in event.parameters],
        )
