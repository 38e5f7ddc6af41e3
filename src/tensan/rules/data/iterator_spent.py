"""DAT122: each epoch goes on with one and the same iterator, which has nothing left after the first."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import IteratorSpent
from tensan.core.events.run import RunEnd
from tensan.core.events.training import Backward
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule


class SpentIterator(Rule):
    """
    ## What it does

    Finds a loop that goes, in each pass of a loop around it, over one and the same iterator: a `zip`, an `enumerate`, a generator or
    `iter(loader)` that was made before the outer loop began.

    ## Why is this bad?

    An iterator can be gone through once. All epochs but the first run no step at all, and the program ends without an error, only early.

    ## Example

    ```python
    batches = zip(inputs.split(32), targets.split(32))
    for epoch in range(100):
        for x, y in batches:
            train(x, y)
    ```

    ## Use instead

    ```python
    for epoch in range(100):
        for x, y in zip(inputs.split(32), targets.split(32)):
            train(x, y)
    ```

    ## Known problems

    A loop that can be left early, by `break`, `return` or `raise`, may mean to go on with the rest, and passes.
    """

    code = "DAT122"
    name = "iterator-spent"
    category = Category.CORRECTNESS
    law = 15
    effect = "no-update"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._spent: list[IteratorSpent] = []

    def on_backward(self, event: Backward) -> None:
        self.armed = True

    def on_iterator_spent(self, event: IteratorSpent) -> None:
        self._spent.append(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        if event.status != "completed":
            return
        for spent in self._spent:
            passes = f"{spent.passes - 1} of {spent.passes} passes" if spent.passes is not None else "every pass but the first"
            yield self.finding(
                f"`{spent.name}` is spent after the first pass: {passes} of the loop around it train on nothing",
                at=spent.site,
                event=spent,
                label="an iterator, which can be gone through once",
                evidence={"iterator": spent.name, "passes": spent.passes},
                related=[("the loop that goes round again", spent.repeated), ("the iterator was made here", spent.bound)],
                proof_note="it was made before the outer loop, which never makes it anew, and the inner loop never leaves it early",
                help=f"make `{spent.name}` anew in each pass, or loop over what can begin again: a loader or a list",
            )
