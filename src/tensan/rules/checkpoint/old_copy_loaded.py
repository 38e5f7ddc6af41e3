"""CKP121: a network is brought up to date with a copy that is as old as it is itself."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.state import StateLoaded
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence, counted, line_of

_LEAST_LOADS = 3


class OldCopyLoaded(Rule):
    """
    ## What it does

    Finds loads in the training loop that bring nothing: the state is a copy of another network's that was taken once, before that
    network was trained further, and the network that it is loaded into is just like it already.

    ## Why is this bad?

    A target network or a teacher that should follow the one being trained stays what it was. Values are then learned from a network
    that knows nothing, for the whole run, and no number tells.

    ## Example

    ```python
    weights = copy.deepcopy(online.state_dict())
    for step in range(10_000):
        ...
        if step % 100 == 0:
            target.load_state_dict(weights)
    ```

    ## Use instead

    ```python
            target.load_state_dict(online.state_dict())
    ```

    ## Known problems

    Networks are told apart by a few of their weights. Speaks at the third load that brings nothing.
    """

    code = "CKP121"
    name = "old-copy-loaded"
    category = Category.CORRECTNESS
    law = 12
    effect = "wrong-state"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._places: dict[object, Evidence[StateLoaded]] = {}
        self._steps: dict[object, int] = {}

    def on_state_loaded(self, event: StateLoaded) -> Iterator[Finding]:
        self.armed = self.armed or event.num_tensors > 0
        place = line_of(event.site)
        evidence = self._places.setdefault(place, Evidence(_LEAST_LOADS))
        if event.copied_step is None:
            evidence.interrupt()
        elif self._steps.get(place) != event.step:  # only what follows training could have brought something new
            self._steps[place] = event.step
            for seen in evidence.add(event):
                yield self._finding(seen)

    def _finding(self, event: StateLoaded) -> Finding:
        assert event.copied_step is not None
        age = event.step - event.copied_step
        return self.finding(
            f"a copy that is {counted(age, 'step')} old is loaded, which brings nothing: the network is like it already",
            at=event.site,
            event=event,
            label="the copy is not taken anew",
            evidence={"tensors": event.num_tensors, "steps since": age},
            related=[("the copy was taken here", event.copied)],
            proof_note="its weights are those that the network has, and those that another one had when the copy was taken; "
            "that one has changed since",
            help="take the state where it is loaded: `target.load_state_dict(online.state_dict())`",
            subjects=[event.module],
        )
