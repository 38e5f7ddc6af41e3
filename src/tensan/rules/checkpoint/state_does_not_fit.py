"""A state that was loaded into a model that it does not fit, which ended the program."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Raised, RunEnd
from tensan.core.findings import Finding
from tensan.core.rule import Rule
from tensan.rules.crashes import explained


class StateDoesNotFit(Rule):
    """
    ## What it does
    Explains an uncaught error of `load_state_dict`: which entry differs first, which layer it belongs to and where that was built.

    ## Why is this bad?
    The error lists every entry. The reason is mostly one: a head with another number of classes, a prefix that a wrapper has put before
    each name.

    ## Example
    ```python
    model = Net(num_classes=100)
    model.load_state_dict(torch.load("ten_classes.pt"))
    ```

    ## Use instead
    ```python
    model = Net(num_classes=10)
    ```

    ## Known problems
    Where the head is meant to be new, its entries are left out of the state, and `strict=False` is given.
    """

    code = "CKP201"
    name = "state-does-not-fit"

    def on_run_end(self, end: RunEnd) -> None:
        self.armed = True  # it listens to the end of every program

    def on_raised(self, raised: Raised) -> Iterator[Finding]:
        if raised.problem == "state":
            yield from explained(
                self,
                raised,
                f"the state does not fit the model: {raised.operation}",
                proof_note="names and shapes of the state and of the model were compared",
            )
