"""An optimizer that was given no parameters, which ended the program."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Raised, RunEnd
from tensan.core.findings import Finding
from tensan.core.rule import Rule
from tensan.rules.crashes import explained


class NothingToOptimize(Rule):
    """
    ## What it does
    Explains an uncaught error of an empty parameter list: which layers the module does not know.

    ## Why is this bad?
    Layers in a plain list or dict are not registered: `parameters()` does not yield them, `to()` does not move them, `state_dict()` does
    not save them.

    ## Example
    ```python
    self.layers = [nn.Linear(8, 8) for _ in range(3)]
    optimizer = Adam(model.parameters())
    ```

    ## Use instead
    ```python
    self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
    ```

    ## Known problems
    Where the layers belong to a module inside the model, it is not searched for.
    """

    code = "OPT201"
    name = "nothing-to-optimize"

    def on_run_end(self, end: RunEnd) -> None:
        self.armed = True  # it listens to the end of every program

    def on_raised(self, raised: Raised) -> Iterator[Finding]:
        if raised.problem == "no-parameters":
            yield from explained(self, raised, raised.operation, proof_note="the iterable that it was given yields nothing")
