"""MOD112: a module or parameter was told to be frozen by an attribute that PyTorch does not read."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.source import UnreadAttribute
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import counted


class AttributeNobodyReads(Rule):
    """
    ## What it does

    Finds switches such as `model.requires_grad = False`, `layer.trainable = False` or `weight.requires_grad_ = True` that are
    set where PyTorch never looks, while the parameters stay as they were.

    ## Why is this bad?

    A module accepts any attribute. Nothing is frozen, and the layers that were to be kept are trained.

    ## Example

    ```python
    model.backbone.requires_grad = False
    ```

    ## Use instead

    ```python
    model.backbone.requires_grad_(False)
    ```

    ## Known problems

    Classes of the program's own that name the attribute in their code are taken to read it.
    """

    code = "MOD112"
    name = "attribute-nobody-reads"
    category = Category.CORRECTNESS
    law = 15

    def on_loss(self, event: Loss) -> None:
        self.armed = self.armed or bool(event.leaves)

    def on_unread_attribute(self, event: UnreadAttribute) -> Iterator[Finding]:
        self.armed = True
        first = event.parameters[0]
        frozen = "frozen" if not event.value else "trained"
        is_now = "get gradient" if not event.value else "need no gradient and stay as they are"
        them = counted(event.num_parameters, "parameter")
        owner = f"module `{event.owner}`" if event.kind == "module" else f"`{event.owner}`"
        subject = f"{them} still {is_now}" if event.num_parameters > 1 else f"{first} is as before"
        yield self.finding(
            f"nobody reads `{event.name} = {event.value}` of {owner}: nothing is {frozen}",
            at=event.site or first.made,
            event=event,
            label=f"sets an attribute, and {subject}",
            evidence={"attribute": event.name, "parameters": [parameter.name for parameter in event.parameters[:8]]},
            proof_note=f"a backward {'reached' if not event.value else 'passed by'} {them} of it after the attribute was set",
            help=f"call the method: `.requires_grad_({event.value})`",
            subjects=[parameter.id for parameter in event.parameters],
        )
