"""ARC107: a recurrent layer goes on from the state of the batch before, while the loader draws its batches in random order."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.layers import StateCarried
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence, name_given

_LEAST_STEPS = 2


class StateCarriedAcrossShuffle(Rule):
    """
    ## What it does

    Finds recurrent layers that begin each batch with the state in which they ended the batch before, while the loader draws its batches in
    random order.

    ## Why is this bad?

    A state is carried on so that the layer remembers what came before in the same series. In random order the batch before is some other
    stretch of the data: the layer is given the memory of what has nothing to do with its input, and learns to ignore its state. Where the
    same model is evaluated in order, it does not make use of what it could know.

    ## Example

    ```python
    loader = DataLoader(windows, batch_size=None, shuffle=True)
    for x, y in loader:
        logits, h = model(x, h.detach() if h is not None else None)
    ```

    ## Use instead

    ```python
    loader = DataLoader(windows, batch_size=None, shuffle=False)
    ```

    Or, where the order is to be random, begin each batch without a state.

    ## Known problems

    Batches that the program puts in random order itself are not seen.
    """

    code = "ARC107"
    name = "state-carried-across-shuffle"
    category = Category.SUSPICIOUS
    law = 7
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._evidence: dict[str, Evidence[StateCarried]] = {}

    def on_state_carried(self, event: StateCarried) -> Iterator[Finding]:
        self.armed = True
        if not event.is_carried or event.loader is None or event.loader.order != "random":
            return
        evidence = self._evidence.setdefault(event.layer, Evidence(_LEAST_STEPS))
        for seen in evidence.add(event):
            yield self._finding(seen)

    def _finding(self, event: StateCarried) -> Finding:
        loader = event.loader
        made = loader.made if loader is not None else None
        name = name_given(made, "the loader")
        return self.finding(
            f"the {event.kind} goes on from the state of the batch before, and the loader draws its batches in random order",
            at=made or event.site,
            event=event,
            label=f"`{name}` shuffles: the batch before is another stretch of the data" if name != "the loader" else "shuffles",
            evidence={"layer": event.kind, "order": "random"},
            related=[("the state is given here", event.site)] if made is not None else [],
            proof_note="the first state in a batch is, value by value, the last one of the batch before, which the loader drew at random",
            help="let the loader keep the order (`shuffle=False`) where states are carried on, or begin each batch without a state",
            subjects=[loader.id] if loader is not None else [],
        )
