"""Axes that meet others, or are taken for others, although their sizes agree."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.meanings import Conflict, Follower


class AxesExchanged(Rule):
    """
    ## What it does
    Follows what axes mean through a recorded step, and finds the operation where two meanings meet although their sizes agree: a mask
    `[B, S]` laid along queries and keys where B is S, channels last in a convolution, time in the place of heads.

    What axes mean the program declares, with `tensan.axes(mask, "B S")` or a contract, where the layout is known. The rest follows from
    what operations take their axes for: a convolution `[batch, channels, ...]`, a recurrent layer or attention by its `batch_first`, an
    embedding its features last.

    ## Why is this bad?
    Sizes are all that a framework compares. Where two of them are equal, by chance or because tests use small round numbers, values of
    different samples, steps or channels are combined without an error, and the model learns something else.

    ## Example
    ```python
    mask = tensan.axes(mask, "B S")
    scores = (q @ k.transpose(-2, -1)).masked_fill(mask, float("-inf"))   # [B, H, T, S] with [B, S]
    ```

    ## Use instead
    ```python
    scores = (q @ k.transpose(-2, -1)).masked_fill(mask[:, None, None, :], float("-inf"))
    ```

    ## Known problems
    An axis is followed through layout, arithmetic, products, reductions, convolutions, attention and embeddings. What was cut across,
    picked by an index or made by a linear layer is an axis of which nothing is known, and nothing is said of it. A layout is never
    converted, only proposed.
    """

    code = "SHP105"
    name = "axes-exchanged"
    category = Category.SUSPICIOUS
    law = 6
    effect = "scrambled"
    explains = frozenset({"unmasked"})

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        follower = Follower(loss.operations)
        first = next(follower.conflicts(), None)
        self.armed = self.armed or follower.compared
        if first is not None:
            # What comes behind it follows from it.
            yield self._finding(loss, first)

    def _finding(self, loss: Loss, found: Conflict) -> Finding:
        operation = found.operation
        name = operation.name.replace("_", " ")
        message = {
            "meets": f"{found.left} meets {found.right}: {found.first} with {found.second}",
            "takes": f"{found.left} is taken for {found.right}: {found.first} where {found.second} is meant",
            "merges": f"{found.left} is merged in the place of the {found.right}: {found.first} becomes {found.second}",
        }[found.what]
        return self.finding(
            message,
            at=operation.site,
            event=loss,
            label=f"`{name}` with {found.left} in the place of {found.right}",
            evidence={"operation": name, "first": found.first, "second": found.second},
            related=[("said here", found.related)] if found.related is not None and found.related != operation.site else (),
            proof_note=found.note,
            help=found.help,
            subjects={"*"},
        )
