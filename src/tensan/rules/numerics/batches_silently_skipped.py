"""NUM121: many batches hold NaN, and the training loop leaves them out without a word."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.numerics import BatchesSkipped
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule

#: Batches that must have been left out, and their share of all.
_LEAST_SKIPPED = 4
_LEAST_SHARE = 0.2


class BatchesSilentlySkipped(Rule):
    """
    ## What it does

    Finds training loops that leave out a batch where the loss is NaN, and say nothing, while a fifth of all batches or more are left out
    because their inputs hold NaN.

    ## Why is this bad?

    The check was meant for a rare accident. One missing value makes the loss of its whole batch NaN: where a few in a hundred rows have
    one, hardly a batch is left to learn from. The losses that are shown are those of the rest and look fine.

    ## Example

    ```python
    loss = loss_fn(model(x), y)
    if torch.isnan(loss):
        continue
    ```

    ## Use instead

    Fill in what is missing, or leave out these rows, before batches are made; then raise where a loss is not finite.

    ```python
    x_train = torch.where(x_train.isnan(), x_train.nanmean(0), x_train)
    ```

    ## Known problems

    Where the program prints, logs or counts what it leaves out, nothing is said. Inputs on an accelerator are not read.
    """

    code = "NUM121"
    name = "batches-silently-skipped"
    category = Category.SUSPICIOUS
    law = 14
    effect = "no-update"

    def on_batches_skipped(self, event: BatchesSkipped) -> Iterator[Finding]:
        self.armed = True
        skipped, seen = event.num_skipped, event.num_skipped + event.num_learned
        if (
            event.skipped_at is None
            or not event.silent
            or not event.num_learned
            or skipped < _LEAST_SKIPPED
            or skipped < _LEAST_SHARE * seen
        ):
            return
        where = f" in column {event.columns[0]}" if len(event.columns) == 1 else ""
        yield self.finding(
            f"{skipped} of {seen} batches are left out without a word: their inputs hold NaN{where}, and so does the loss",
            at=event.skipped_at,
            event=event,
            label=f"leaves out {skipped / seen:.0%} of the batches that were looked at",
            evidence={"left out": skipped, "of": seen, "columns with NaN": list(event.columns)},
            related=[("the model is given NaN here", event.site)],
            proof=Proof.STATISTIC,
            proof_note=f"{skipped} times the input and the output of the model held NaN and no backward followed, and "
            f"{event.num_learned} times one did",
            help="fill in what is missing, or leave out its rows, before batches are made",
        )
