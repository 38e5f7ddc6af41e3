"""DAT131: the trainer takes a column out of each batch that the program reads there."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import ColumnsDropped
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import listed


class ColumnDroppedByTrainer(Rule):
    """
    ## What it does

    Finds columns of a data set that the Trainer of Transformers takes out of each batch, because the model's `forward` does not name them,
    while the program's loss, model or collator asks for them with `get` or `in`.

    ## Why is this bad?

    The program goes on with what it takes where there is nothing: every sample weighs the same, a mask hides nothing. It says so at a level
    of logging that is not shown.

    ## Example

    ```python
    class WeightedTrainer(Trainer):
        def compute_loss(self, model, inputs, **kwargs):
            weights = inputs.pop("weights", None)  # `forward` has no argument `weights`
    ```

    ## Use instead

    ```python
    arguments = TrainingArguments(..., remove_unused_columns=False)
    ```

    ## Known problems

    The columns are read off the data set's `__getitem__`, or off the first item of a list; those of `datasets` are not seen.
    """

    code = "DAT131"
    name = "column-dropped-by-trainer"
    category = Category.CORRECTNESS
    preview = True  # the zoo is PyTorch alone: there is no trainer in it
    law = 15
    effect = "wrong-data"

    def on_columns_dropped(self, event: ColumnsDropped) -> Iterator[Finding]:
        self.armed = True
        if event.read and event.reader is not None:
            yield self.finding(
                f"the Trainer takes the column `{event.read}` out of each batch, and it is asked for here",
                at=event.reader,
                event=event,
                label="there is never one",
                evidence={"column": event.read, "dropped": list(event.columns)},
                related=[("the batches come from here", event.site)],
                proof_note=f"`{event.model}.forward` names no such argument; {listed(event.columns)}: what it does not name is taken out",
                help=f"set `remove_unused_columns=False`, or name an argument `{event.read}` in `forward`",
            )
