"""A mask that was applied to a copy which nobody uses."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.recorded import StepRecorded
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule


class MaskDiscarded(Rule):
    """
    ## What it does
    Finds `masked_fill` in a model's forward whose result is thrown away: it returns a new tensor, and the one it was called on stays
    as it is.

    ## Why is this bad?
    The program reads as if a mask were applied, and none is: attention looks at padding or at the future.

    ## Example
    ```python
    scores.masked_fill(mask, float("-inf"))
    weights = scores.softmax(-1)
    ```

    ## Use instead
    ```python
    scores = scores.masked_fill(mask, float("-inf"))
    weights = scores.softmax(-1)
    ```

    ## Known problems
    Speaks where no operation of the step has used the result and its memory was free again before the backward.
    """

    code = "ARC103"
    name = "mask-discarded"
    category = Category.CORRECTNESS
    law = 15
    effect = "no-effect"
    explains = frozenset({"unmasked"})

    def on_step_recorded(self, recorded: StepRecorded) -> Iterator[Finding]:
        operations = recorded.loss.operations[: recorded.forward_end]
        # A copy: `masked_fill_` writes in place and is never thrown away.
        self.armed = self.armed or any(operation.name == "masked_fill" and not operation.settings.get("writes") for operation in operations)
        for index in recorded.discarded:
            operation = recorded.loss.operations[index]
            if operation.name != "masked_fill" or operation.site is None:
                continue
            yield self.finding(
                "the result of `masked_fill` is thrown away, so nothing is masked",
                at=operation.site,
                event=recorded,
                label="returns a masked copy, which nobody uses",
                evidence={"masked": str(operation.outputs[0]) if operation.outputs else ""},
                proof_note="no operation of the step has used it, and its memory was free again before the backward",
                help="assign it (`scores = scores.masked_fill(...)`) or write in place with `masked_fill_`",
                subjects={"*"},
            )
