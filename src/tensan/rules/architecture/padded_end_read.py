"""ARC106: a prediction is read from a recurrent layer where short sequences have long turned into padding."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.layers import PaddedEndRead as Read
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule

#: Sequences of a batch, and those among them that must be padded.
_LEAST_ROWS, _PADDED_ROWS = 8, 0.5
#: Share of the steps of the padded sequences that must be padding, on average.
_PADDING = 0.15


class PaddedEndRead(Rule):
    """
    ## What it does

    Finds recurrent layers that run over sequences padded at their end, and whose state after the last step, `out[:, -1]` or `h_n`, is all
    that a prediction is made from.

    ## Why is this bad?

    For all but the longest sequence of a batch that state has been through padding since its own end. What was heard fades with each
    padded step, short sequences suffer most, and the prediction for a sample changes with the longest sample beside it.

    ## Example

    ```python
    out, _ = self.rnn(x)
    return self.head(out[:, -1])
    ```

    ## Use instead

    ```python
    out, _ = self.rnn(x)
    return self.head(out[torch.arange(len(lengths)), lengths - 1])
    ```

    or pack the sequences: `pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)`, and read `h_n`.

    ## Known problems

    Speaks only where the padding can be told for certain: rows of ids that end in an id that stands nowhere else, or rows of numbers that
    end in one and the same filler from the very step on that lengths in the batch give. Layers that run both ways, and states that a
    decoder or an attention takes over, pass.
    """

    code = "ARC106"
    name = "padded-end-read"
    category = Category.SUSPICIOUS
    law = 6
    effect = "wrong-gradient"

    def on_padded_end_read(self, event: Read) -> Iterator[Finding]:
        self.armed = True
        rows = len(event.lengths)
        padded = [length for length in event.lengths if length < event.length]
        if rows < _LEAST_ROWS or len(padded) < _PADDED_ROWS * rows or event.length < 1:
            return
        share = 1 - sum(padded) / (len(padded) * event.length)
        if share < _PADDING:
            return
        kind = event.layer.kind
        yield self.finding(
            f"the prediction is made from {event.what} of a `{kind}`, which for most samples lies in the padding behind their end",
            at=event.site,
            event=event,
            label=f"reads step {event.length} of every sequence; the shortest has {min(padded)}",
            evidence={"padded": len(padded), "batch": rows, "length": event.length, "padding": round(share, 3)},
            related=[(f"the `{kind}` is made here", event.layer.made)] if event.layer.made is not None else (),
            proof_note=f"{len(padded)} of {rows} sequences end before that step, and {100 * share:.0f} % of their steps are padding",
            help="read each sequence at its own last step, `out[torch.arange(len(lengths)), lengths - 1]`, or pack the sequences",
            subjects={event.layer.id},
        )
