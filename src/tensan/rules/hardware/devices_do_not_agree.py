"""An operation that was given arrays on different devices, which ended the program."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Raised, RunEnd
from tensan.core.findings import Finding
from tensan.core.rule import Rule
from tensan.rules.crashes import explained


class DevicesDoNotAgree(Rule):
    """
    ## What it does
    Explains an uncaught error of devices: which array lies where, who made each, and what to move.

    ## Why is this bad?
    The error names two devices, not the two arrays, nor the line that made the one that was forgotten.

    ## Example
    ```python
    model.to(device)
    out = model(batch)                      # still on the CPU
    ```

    ## Use instead
    ```python
    out = model(batch.to(device))
    ```

    ## Known problems
    The edit moves an array in the failing line. A tensor that a module keeps is better registered as a buffer, so that it moves with it.
    """

    code = "HDW201"
    name = "devices-do-not-agree"

    def on_run_end(self, end: RunEnd) -> None:
        self.armed = True  # it listens to the end of every program

    def on_raised(self, raised: Raised) -> Iterator[Finding]:
        if raised.problem == "device":
            yield from explained(
                self,
                raised,
                f"{raised.operation}: the operands are on different devices",
                proof_note="the operands are on different devices, which no operation takes",
            )
