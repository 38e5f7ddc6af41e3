"""An operation that was given arrays of types that it does not take together, which ended the program."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Raised, RunEnd
from tensan.core.findings import Finding
from tensan.core.rule import Rule
from tensan.rules.crashes import explained


class DtypesDoNotAgree(Rule):
    """
    ## What it does
    Explains an uncaught error of element types: which arrays met, who made each, and the conversion with which the operation runs.

    ## Why is this bad?
    NumPy computes in 64 bits, tables are read as floats, labels come as whatever they were stored as. The error is raised where they meet,
    not where the wrong type came in.

    ## Example
    ```python
    x = torch.from_numpy(features)          # float64
    prediction = model(x)                   # the model is float32
    ```

    ## Use instead
    ```python
    x = torch.from_numpy(features).float()
    ```

    ## Known problems
    The conversion is offered in the failing line. Where the array is used several times, it is better made where the array is.
    """

    code = "SHP202"
    name = "dtypes-do-not-agree"

    def on_run_end(self, end: RunEnd) -> None:
        self.armed = True  # it listens to the end of every program

    def on_raised(self, raised: Raised) -> Iterator[Finding]:
        if raised.problem == "dtype":
            yield from explained(self, raised, f"{raised.operation}: the types do not agree")
