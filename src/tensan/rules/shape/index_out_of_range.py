"""Labels or ids that reach beyond the classes or rows they pick from, which ended the program."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Raised, RunEnd
from tensan.core.findings import Finding
from tensan.core.rule import Rule
from tensan.rules.crashes import explained


class IndexOutOfRange(Rule):
    """
    ## What it does
    Explains an uncaught error of indices: which labels or ids they were, how far they reach, and which layer is too small.

    ## Why is this bad?
    Classes that are counted from one, a vocabulary that has grown since the embedding was sized, a filler of -1: on a GPU the error
    comes later, from another line, and leaves the device unusable.

    ## Example
    ```python
    digits = torch.randint(1, 11, (n,))     # 1 to 10
    loss = cross_entropy(logits, digits)    # 10 classes: 0 to 9
    ```

    ## Use instead
    ```python
    loss = cross_entropy(logits, digits - 1)
    ```

    ## Known problems
    Errors of a device, which are told long after the operation, are not explained: run on the CPU once.
    """

    code = "SHP203"
    name = "index-out-of-range"

    def on_run_end(self, end: RunEnd) -> None:
        self.armed = True  # it listens to the end of every program

    def on_raised(self, raised: Raised) -> Iterator[Finding]:
        if raised.problem == "index":
            yield from explained(self, raised, f"{raised.operation}: an index is out of range")
