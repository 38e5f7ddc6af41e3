"""MOD111: a method is named in a statement of its own, without the parentheses that would call it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.events.source import Discarded
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.folding import EVERYTHING
from tensan.core.rule import Rule

#: What follows where one of these was meant to run and did not.
_EFFECTS = {
    "eval": {"wrong-mode"},
    "train": {"wrong-mode"},
    "zero_grad": {"wrong-gradient", "wrong-scale"},
    "step": {"no-update", "wrong-rate", "wrong-gradient"},
    "backward": {"no-gradient", "no-update"},
}


class MethodNeverCalled(Rule):
    """
    ## What it does

    Finds statements such as `model.eval` or `optimizer.zero_grad`, which name a method and do not call it.

    ## Why is this bad?

    Python looks the method up and throws it away: the model stays in train mode, the gradients stay. No error is raised.

    ## Example

    ```python
    optimizer.zero_grad
    loss.backward()
    ```

    ## Use instead

    ```python
    optimizer.zero_grad()
    loss.backward()
    ```

    ## Known problems

    Only statements of the functions that are running at a backward, a step or the start of an evaluation are looked at, and
    only where they surely run.
    """

    code = "MOD111"
    name = "method-never-called"
    category = Category.CORRECTNESS
    law = 15

    def on_loss(self, event: Loss) -> None:
        self.armed = True

    def on_discarded(self, event: Discarded) -> Iterator[Finding]:
        if event.kind != "uncalled":
            return
        self.armed = True
        finding = self.finding(
            f"`{event.call}` names a method and does not call it",
            at=event.site,
            event=event,
            label="does nothing without parentheses",
            evidence={"method": event.name, "of": event.of},
            proof_note=f"the statement ran, and to name `{event.name}`, a method of {event.of}, does not run it",
            help=f"call it: `{event.call}()`",
            subjects=[EVERYTHING],
        )
        yield msgspec.structs.replace(finding, explains=frozenset(_EFFECTS.get(event.name, ())))
