"""GRD120: all units of a layer are copies of each other, and stay so."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.things import Parameter
from tensan.core.events.training import UnitsAlike
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.traces import line_of


class UnitsAllAlike(Rule):
    """
    ## What it does

    Finds layers that were filled with one constant, so that all their units compute the same, get the same gradient and stay the same.

    ## Why is this bad?

    A layer of 256 such units can do what one unit can. The loss falls a little and stops, and no size of the layer helps.

    ## Example

    ```python
    nn.init.constant_(layer.weight, 0.1)
    ```

    ## Use instead

    ```python
    nn.init.xavier_uniform_(layer.weight)
    ```

    ## Known problems

    Units that differ in anything, a bias or the weights that use them, come apart by themselves and are not told.
    """

    code = "GRD120"
    name = "units-all-alike"
    category = Category.CORRECTNESS
    law = 15
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._before: dict[str, set[str]] = {}

    def on_units_alike(self, event: UnitsAlike) -> Iterator[Finding]:
        self.armed = True
        alike = self._before.setdefault(event.optimizer, {parameter.id for parameter in event.parameters})
        if not event.looked_again:
            return
        told = dict[object, list[Parameter]]()
        for parameter in event.parameters:
            if parameter.id in alike:
                told.setdefault(line_of(parameter.written or parameter.made), []).append(parameter)
        for parameters in told.values():
            yield self._finding(event, parameters)

    def _finding(self, event: UnitsAlike, parameters: list[Parameter]) -> Finding:
        first = parameters[0]
        more = f" and {len(parameters) - 1} more" if len(parameters) > 1 else ""
        return self.finding(
            f"all {first.shape[0]} units of `{first.name}`{more} are copies of each other, and stay so",
            at=first.written or first.made,
            event=event,
            label="fills each of them with the same" if first.written is not None else "made here",
            evidence={"parameters": [parameter.name for parameter in parameters[:10]], "units": first.shape[0]},
            related=[("the layer was made here", first.made)] if first.written is not None else (),
            proof_note=f"after {event.step} steps their weights are equal but for rounding, and so are their gradients, which are not zero",
            help="fill the weights with random numbers, as the layer does by itself",
            subjects={parameter.id for parameter in parameters},
        )
