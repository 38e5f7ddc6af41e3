"""A write in place to a value that the backward needs, or to a parameter whose gradient is recorded, which ended the program."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Raised, RunEnd
from tensan.core.findings import Finding
from tensan.core.rule import Rule
from tensan.rules.crashes import explained


class ValueOverwritten(Rule):
    """
    ## What it does
    Explains an uncaught error of a write in place: what was overwritten, and by which line.

    ## Why is this bad?
    The error is raised by the backward, far from the line that wrote.

    ## Example
    ```python
    weight = torch.sigmoid(self.gate(x))
    weight += 1                             # sigmoid needs its result for the backward
    ```

    ## Use instead
    ```python
    weight = weight + 1
    ```

    ## Known problems
    The line that wrote is named where it is the only one that writes into a result of that operation.
    """

    code = "GRD202"
    name = "value-overwritten"

    def on_run_end(self, end: RunEnd) -> None:
        self.armed = True  # it listens to the end of every program

    def on_raised(self, raised: Raised) -> Iterator[Finding]:
        if raised.problem == "overwritten":
            yield from explained(self, raised, raised.operation, proof_note="the framework counts the writes to what it has saved")
