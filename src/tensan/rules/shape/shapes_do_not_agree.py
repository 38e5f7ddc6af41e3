"""An operation that was given arrays whose shapes do not fit together, which ended the program."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Raised, RunEnd
from tensan.core.findings import Finding
from tensan.core.rule import Rule
from tensan.rules.crashes import explained


class ShapesDoNotAgree(Rule):
    """
    ## What it does
    Explains an uncaught error of shapes: which arrays met, who made each, and the nearest edits that make them agree.

    ## Why is this bad?
    The error names two sizes, deep inside the framework. What it does not say is which line of the program made each of them, and that is
    where one of them has to change.

    ## Example
    ```python
    self.fc1 = nn.Linear(16 * 5 * 5, 120)   # made for 32x32 images after two unpadded convolutions
    x = self.fc1(torch.flatten(x, 1))       # is 16 * 8 * 8
    ```

    ## Use instead
    ```python
    self.fc1 = nn.Linear(16 * 8 * 8, 120)
    ```

    ## Known problems
    An edit is offered where the operation was seen to run with it, on empty tensors of the same shapes. Whether it is what was meant, only
    the author knows: the nearest comes first.
    """

    code = "SHP201"
    name = "shapes-do-not-agree"

    def on_run_end(self, end: RunEnd) -> None:
        self.armed = True  # it listens to the end of every program

    def on_raised(self, raised: Raised) -> Iterator[Finding]:
        if raised.problem == "shape":
            yield from explained(self, raised, f"{raised.operation}: the shapes do not agree")
