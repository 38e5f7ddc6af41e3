"""A backward through a graph that an earlier backward has freed, which ended the program."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Raised, RunEnd
from tensan.core.findings import Finding
from tensan.core.rule import Rule
from tensan.rules.crashes import explained


class GraphUsedTwice(Rule):
    """
    ## What it does
    Explains an uncaught error of a second backward: what carries the graph of an earlier step into this one.

    ## Why is this bad?
    A state that is kept from step to step keeps the graph it came from. The usual remedy, `retain_graph=True`, makes each step go back
    through all steps before it.

    ## Example
    ```python
    logits, hidden = rnn(x, hidden)
    loss.backward()
    ```

    ## Use instead
    ```python
    hidden = hidden.detach()                # after the backward
    ```

    ## Known problems
    What carries the graph is found among the variables of the failing function, not in attributes of objects.
    """

    code = "GRD201"
    name = "graph-used-twice"

    def on_run_end(self, end: RunEnd) -> None:
        self.armed = True  # it listens to the end of every program

    def on_raised(self, raised: Raised) -> Iterator[Finding]:
        if raised.problem == "graph-freed":
            yield from explained(self, raised, raised.operation, proof_note="the graph of this loss was walked")
