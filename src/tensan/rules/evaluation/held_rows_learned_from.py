"""EVL126: the rows that are evaluated are among those that the loss learns from."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events import HeldRowsLearned
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule


class HeldRowsLearnedFrom(Rule):
    """
    ## What it does

    Finds training on all rows at once, of a graph's nodes or of a table, whose loss is given the targets of every row, while the program
    evaluates on some of these rows, which it calls those of a test or a validation.

    ## Why is this bad?

    The labels that the evaluation compares with were learned from. The accuracy is that of training, and says nothing of other rows.

    ## Example

    ```python
    loss = F.cross_entropy(model(data.x, data.edges), data.y)
    ...
    accuracy = (prediction[data.test_mask] == data.y[data.test_mask]).float().mean()
    ```

    ## Use instead

    ```python
    scores = model(data.x, data.edges)
    loss = F.cross_entropy(scores[data.train_mask], data.y[data.train_mask])
    ```

    ## Known problems

    Rows that are held back are known by the name of their mask or index, such as `test_mask`. Targets that the loss passes over by their
    value are not learned from, and nothing is said; nor where another loss was given a part of some targets before.
    """

    code = "EVL126"
    name = "held-rows-learned-from"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"

    def on_held_rows_learned(self, event: HeldRowsLearned) -> Iterator[Finding]:
        self.armed = True
        held, rows = event.num_held, event.num_rows
        if held:
            yield self.finding(
                f"the loss learns from all {rows} rows, {held} of which are held back by `{event.mask}` to evaluate with",
                at=event.site,
                event=event,
                label=f"is given `{event.targets}` whole",
                evidence={"held": held, "rows": rows},
                related=[("they are held back by this name", event.taken)],
                proof=Proof.LAW,
                proof_note=f"the targets of the loss are `{event.targets}` itself, and `{event.mask}` takes {held} of its rows",
                help="give the loss the rows of training alone: `scores[train_mask], y[train_mask]`",
            )
