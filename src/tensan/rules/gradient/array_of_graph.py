"""A tensor that belongs to the graph of a step and was to become an array, which ended the program."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Raised, RunEnd
from tensan.core.findings import Finding
from tensan.core.rule import Rule
from tensan.rules.crashes import explained


class ArrayOfGraph(Rule):
    """
    ## What it does
    Explains an uncaught error of `numpy()`: which tensor it was and where it was made.

    ## Why is this bad?
    An array has no graph, so the framework refuses rather than lose the gradient in silence.

    ## Example
    ```python
    history.append(prediction.numpy())
    ```

    ## Use instead
    ```python
    history.append(prediction.detach().numpy())
    ```

    ## Known problems
    None.
    """

    code = "GRD205"
    name = "array-of-graph"

    def on_run_end(self, end: RunEnd) -> None:
        self.armed = True  # it listens to the end of every program

    def on_raised(self, raised: Raised) -> Iterator[Finding]:
        if raised.problem == "array-of-graph":
            yield from explained(self, raised, raised.operation, proof_note="the tensor requires gradient")
