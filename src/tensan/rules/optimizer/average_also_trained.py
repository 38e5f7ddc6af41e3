"""OPT122: parameters that follow others as a running average are trained by the optimizer as well."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.training import AveragesCompared
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence, listed

#: Steps between which the parameters must have been moved like this.
_LEAST_STEPS = 2


class AverageAlsoTrained(Rule):
    """
    ## What it does

    Finds parameters that the program moves, step by step, a part of the way towards others, and that get a gradient and are stepped by
    the optimizer that trains these others, too.

    ## Why is this bad?

    A target network or a teacher is to change slowly, and only by what the model has learned. Where its forward runs with gradients
    and the optimizer holds it, it is trained towards its own student: both can agree on a constant, and the representation collapses.

    ## Example

    ```python
    optimizer = torch.optim.Adam(model.parameters())  # model.target is part of it
    loss = distance(model.online(a), model.target(b))
    ```

    ## Use instead

    ```python
    model.target.requires_grad_(False)
    optimizer = torch.optim.Adam(parameter for parameter in model.parameters() if parameter.requires_grad)
    with torch.no_grad():
        wanted = model.target(b)
    loss = distance(model.online(a), wanted)
    ```

    ## Known problems

    Small parameters are looked at, at the first few steps. Averages that several models make of each other pass, and so do copies.
    """

    code = "OPT122"
    name = "average-also-trained"
    category = Category.SUSPICIOUS
    law = 2
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._evidence: dict[str, Evidence[AveragesCompared]] = {}

    def on_averages_compared(self, event: AveragesCompared) -> Iterator[Finding]:
        self.armed = self.armed or event.num_compared > 1
        evidence = self._evidence.setdefault(event.optimizer.id, Evidence(_LEAST_STEPS))
        if not event.averages:
            evidence.interrupt()
            return
        for seen in evidence.add(event):
            yield self._finding(seen)

    def _finding(self, event: AveragesCompared) -> Finding:
        names = listed(parameter.name for parameter in event.averages)
        is_one = len(event.averages) == 1
        optimizer = event.optimizer
        return self.finding(
            f"{names} {'follows another parameter as its' if is_one else 'follow other parameters as their'} running average, "
            f"and {optimizer.kind} trains {'it' if is_one else 'them'} too",
            at=optimizer.made if optimizer.made is not None else event.site,
            event=event,
            label="holds both the average and what it is made of",
            evidence={
                "averages": [parameter.name for parameter in event.averages[:4]],
                "made of": [parameter.name for parameter in event.averaged[:4]],
                "share": float(f"{event.share:.2g}"),
            },
            related=[("the average is moved here", event.site)],
            proof_note=f"between its steps they went {event.share:.2g} of the way towards the others, and all had a gradient",
            help="run what is averaged under `torch.no_grad()`, and leave it out of the optimizer: `requires_grad_(False)`",
            subjects=[parameter.id for parameter in event.averages],
        )
