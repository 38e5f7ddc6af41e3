"""OPT118: gradients are clipped to a limit of zero, which throws them all away."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.asks import Change, fix
from tensan.core.events.training import Clip, OptimizerBuilt
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import line_of

#: A schedule of limits may start at zero.
_IN_A_ROW = 3


class ClipToZero(Rule):
    """
    ## What it does

    Finds clipping to a limit of zero of all that an optimizer owns, while there are gradients.

    ## Why is this bad?

    Some libraries take a limit of 0 for "do not clip". PyTorch takes it at its word: every gradient becomes zero, and nothing is learned.

    ## Example

    ```python
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=config.clip)  # clip: 0
    ```

    ## Use instead

    ```python
    if config.clip > 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=config.clip)
    ```

    ## Known problems

    Where a part of the parameters is clipped to zero nothing is said: it may be meant to stand still for a while.
    """

    code = "OPT118"
    name = "clip-to-zero"
    category = Category.CORRECTNESS
    law = 15
    explains = frozenset({"no-gradient", "no-update"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._in_a_row: dict[Place | tuple[str, int], int] = {}
        self._owned: dict[str, int] = {}

    def on_optimizer_built(self, event: OptimizerBuilt) -> None:
        self._owned[event.optimizer.id] = event.optimizer.num_parameters

    def on_clip(self, clip: Clip) -> Iterator[Finding]:
        owned = sum(self._owned.get(optimizer, 0) for optimizer in clip.optimizers)
        if not clip.num_gradients or clip.num_parameters < owned:
            return
        self.armed = True  # the program does clip: from here on the rule could speak
        line = line_of(clip.site)
        self._in_a_row[line] = self._in_a_row.get(line, 0) + 1 if clip.limit == 0 else 0
        if self._in_a_row[line] >= _IN_A_ROW:
            yield self.finding(
                "gradients are clipped to 0: nothing is left of them",
                at=clip.site,
                event=clip,
                label="the limit is 0",
                evidence={"limit": clip.limit, "gradients": clip.num_gradients},
                proof_note=f"the limit was 0 {self._in_a_row[line]} times in a row, while {clip.num_gradients} parameters had a gradient",
                help="leave the call out where nothing is to be clipped, or give the norm that is allowed, such as 1.0",
                subjects=clip.optimizers,
                fix=fix(Change.DROP, "clip"),
            )
