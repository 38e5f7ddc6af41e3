"""A backward from a loss that depends on nothing that requires gradient, which ended the program."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Raised, RunEnd
from tensan.core.findings import Finding
from tensan.core.rule import Rule
from tensan.rules.crashes import explained


class LossWithoutGraph(Rule):
    """
    ## What it does
    Explains an uncaught error of a loss without graph: where the graph ends.

    ## Why is this bad?
    The error names no line. Somewhere between the parameters and the loss a value was taken out of the graph: by `argmax`, `detach`,
    `item`, a tensor made anew.

    ## Example
    ```python
    predicted = logits.argmax(dim=1)
    mse(predicted.float(), y.float()).backward()
    ```

    ## Use instead
    ```python
    cross_entropy(logits, y).backward()
    ```

    ## Known problems
    The place is found among the statements of the failing function.
    """

    code = "GRD203"
    name = "loss-without-graph"

    def on_run_end(self, end: RunEnd) -> None:
        self.armed = True  # it listens to the end of every program

    def on_raised(self, raised: Raised) -> Iterator[Finding]:
        if raised.problem == "no-gradient":
            yield from explained(
                self, raised, raised.operation, proof_note="neither the loss nor anything that it was computed from requires gradient"
            )
