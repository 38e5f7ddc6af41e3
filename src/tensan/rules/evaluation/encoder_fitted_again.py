"""EVL127: the ids that a model is evaluated on were numbered anew, and stand for others than those that it learned."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import IdsCompared
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import listed


class EncoderFittedAgain(Rule):
    """
    ## What it does

    Finds models with embeddings that are evaluated on ids which the data set of the evaluation has numbered for itself, by the same code
    that numbered those of training: each raw id has another number there.

    ## Why is this bad?

    A number stands for a row of the embedding. Numbered anew, a user is scored with the weights of another user, a word with those of
    another word. Nothing complains, since the numbers are small enough, and the evaluation tells that the model has learned nothing.

    ## Example

    ```python
    class Ratings(Dataset):
        def __init__(self, rows):
            index = {user: k for k, user in enumerate(dict.fromkeys(rows.user))}
            self.users = torch.tensor([index[user] for user in rows.user])

    train, test = Ratings(rows[:8000]), Ratings(rows[8000:])
    ```

    ## Use instead

    ```python
    index = {user: k + 1 for k, user in enumerate(dict.fromkeys(rows[:8000].user))}      # 0: not known
    train, test = Ratings(rows[:8000], index), Ratings(rows[8000:], index)
    ```

    ## Known problems

    Looks at two data sets of one class that keep the same columns of ids, of which a loader delivers the one to learn from, where the
    evaluation takes its rows as they are stored. It speaks where both columns are numbered in the order in which the ids first appear,
    though their rows are in no order, or where both keep the maps themselves and these disagree.
    """

    code = "EVL127"
    name = "encoder-fitted-again"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-metric"

    def on_ids_compared(self, event: IdsCompared) -> Iterator[Finding]:
        self.armed = True
        if not event.again:
            return
        called = f"`{event.name}`" if event.name else f"the `{event.kind}` of the evaluation"
        learned, held = event.numbers[0] if event.numbers else (0, 0)
        yield self.finding(
            f"{called} numbers its ids anew: {listed(event.again)} stand for others than those that the model learned",
            at=event.made or event.site,
            event=event,
            label="has its own numbers for the same ids",
            evidence={"columns": list(event.again), "ids in training": learned, "ids in evaluation": held},
            related=[("the model is evaluated on them here", event.site)] if event.made is not None else [],
            proof=Proof.STATISTIC,
            proof_note=f"`{event.again[0]}` is numbered from the first row on in both data sets, each in the order of its own ids",
            help="build the map once, from the rows of training, and hand it to the data set of the evaluation",
        )
