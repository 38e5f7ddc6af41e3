"""GRD105: a recurrent layer is called step after step, and the state that it returns is detached each time before it is given back."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.layers import StateFedBack
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule

#: Recorded steps in which this must have been so, and times in each that the state was handed on.
_ENOUGH = 2
_LEAST = 3


class StateCutEachStep(Rule):
    """
    ## What it does

    Finds recurrent layers and cells that are called step after step within one loss, while the state that they return is detached
    before each next call.

    ## Why is this bad?

    No gradient flows through time. The layer is trained as if its state were an input that somebody else provides: it never learns what
    to write into it, so that it remembers nothing on purpose. The loss falls by what the last moment alone tells.

    ## Example

    ```python
    h = x.new_zeros(len(x), 32)
    for t in range(x.size(1)):
        h = self.cell(x[:, t], h.detach())
    loss = criterion(self.head(h), y)
    ```

    ## Use instead

    ```python
    h = x.new_zeros(len(x), 32)
    for t in range(x.size(1)):
        h = self.cell(x[:, t], h)
    loss = criterion(self.head(h), y)
    ```

    Truncated backpropagation detaches the state too, but once for each backward.

    ## Known problems

    Layers of `torch.nn` alone are looked at, where each call is given one moment. A training that gives up gradient through time on
    purpose, such as one with eligibility traces, looks the same.
    """

    code = "GRD105"
    name = "state-cut-each-step"
    category = Category.SUSPICIOUS
    law = 7
    effect = "no-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._cut: dict[str, int] = {}
        self._whole: set[str] = set()

    def on_state_fed_back(self, event: StateFedBack) -> Iterator[Finding]:
        self.armed = self.armed or event.num_handed_on >= _LEAST
        if event.num_cut < event.num_handed_on:
            self._whole.add(event.layer)  # gradient does flow through time, if only within a part of the sequence
        if event.layer in self._whole or event.num_cut < _LEAST:
            return
        self._cut[event.layer] = self._cut.get(event.layer, 0) + 1
        if self._cut[event.layer] == _ENOUGH:
            yield self._finding(event)

    def _finding(self, event: StateFedBack) -> Finding:
        at = event.cut_at or event.site
        return self.finding(
            f"the state of the {event.kind} is detached at every step: no gradient flows through time",
            at=at,
            event=event,
            label="cuts the state off from all moments before",
            evidence={"layer": event.kind, "handed on": event.num_handed_on, "cut off": event.num_cut},
            related=[("the state is given back here", event.site)] if event.cut_at is not None else [],
            proof_note=f"within one loss the state was given back {event.num_handed_on} times, and no gradient could come back by it",
            help="hand the state on as it is; detach it once after each backward where the sequence is too long for one",
            subjects=[event.layer],
        )
