"""CKP103: a network is synchronised with itself: the target is the online network, not a copy."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.state import StateLoaded
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence, counted, line_of, name_given

_LEAST_LOADS = 2


class StateLoadedIntoItself(Rule):
    """
    ## What it does

    Finds calls that load a model's state, just as it stands, into the very same memory: again and again, or under another name.

    ## Why is this bad?

    Loading a network's own state changes nothing. Where it is meant to bring a target network or a teacher up to date, both
    names stand for one network: the target moves with every step, and is never held still.

    ## Example

    ```python
    target = online
    ...
    target.load_state_dict(online.state_dict())
    ```

    ## Use instead

    ```python
    target = copy.deepcopy(online)
    ...
    target.load_state_dict(online.state_dict())
    ```

    ## Known problems

    A state that was changed in place before it is loaded back is left alone, and so is a single load under one name.
    """

    code = "CKP103"
    name = "state-loaded-into-itself"
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
        evidence = self._places.setdefault(place, Evidence(1 if event.renamed else _LEAST_LOADS))
        if not event.untouched or event.unexpected:
            evidence.interrupt()
            return
        if self._steps.get(place) == event.step:
            return  # only what follows training could have brought something new
        self._steps[place] = event.step
        for seen in evidence.add(event):
            yield self._finding(seen)

    def _finding(self, event: StateLoaded) -> Finding:
        at = event.bound or event.site
        return self.finding(
            "a network's own state is loaded into itself: the two names stand for one network",
            at=at,
            event=event,
            label="makes no copy: what is loaded into it later are its own tensors" if event.bound else "copies every tensor onto itself",
            evidence={"tensors": event.num_tensors, "same module": event.own},
            related=[("every tensor is copied onto itself here", event.site if event.bound else None)],
            proof_note=f"all {counted(event.num_tensors, 'tensor')} are the memory that they are loaded into, and nothing wrote there "
            "since the state was taken",
            help=f"make the second network a copy: `{name_given(event.bound, 'target')} = copy.deepcopy(...)`",
            subjects=[event.module],
        )
