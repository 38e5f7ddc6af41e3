"""A backward from a loss that is several numbers, which ended the program."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Raised, RunEnd
from tensan.core.findings import Finding
from tensan.core.rule import Rule
from tensan.rules.crashes import explained


class LossNotAScalar(Rule):
    """
    ## What it does
    Explains an uncaught error of a loss that was not reduced: where it was made.

    ## Why is this bad?
    A gradient is that of one number. A loss with `reduction="none"` that is weighted by hand still has to be averaged.

    ## Example
    ```python
    loss = criterion(net(x), y) * weights   # one number per sample
    loss.backward()
    ```

    ## Use instead
    ```python
    loss.mean().backward()
    ```

    ## Known problems
    Whether the mean is meant or the sum, only the author knows.
    """

    code = "GRD204"
    name = "loss-not-a-scalar"

    def on_run_end(self, end: RunEnd) -> None:
        self.armed = True  # it listens to the end of every program

    def on_raised(self, raised: Raised) -> Iterator[Finding]:
        if raised.problem == "not-scalar":
            yield from explained(self, raised, raised.operation, proof_note="the loss has more than one element")
