"""DAT108: a language model is asked for the token after next, because its targets are shifted in two places."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.targets import TokenTargets
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule

_LEAST_DISTINCT = 0.3


class TargetsShiftedTwice(Rule):
    """
    ## What it does

    Finds language models whose targets are the tokens two places further on: the data was shifted by one already, and the loss
    shifts it once more.

    ## Why is this bad?

    The model learns to skip a token. The loss goes down, more slowly and to a worse end, and generated text is garbled since
    each token is taken for the next one.

    ## Example

    ```python
    x, y = tokens[:-1], tokens[1:]                  # in the dataset
    loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), y[:, 1:].flatten())
    ```

    ## Use instead

    ```python
    x, y = tokens[:-1], tokens[1:]
    loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
    ```

    ## Known problems

    Heads that predict several tokens at once have such a target beside one that is one place on; those are not told.
    """

    code = "DAT108"
    name = "targets-shifted-twice"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-data"

    def on_token_targets(self, event: TokenTargets) -> Iterator[Finding]:
        self.armed = True
        here, next_one, after = event.at_shift
        clear = event.distinct >= _LEAST_DISTINCT and max(here, next_one) < 0.9 and event.supervised > 0
        if after == 1 and clear and event.num_targets < event.length and not event.others_shifted:
            yield self.finding(
                "the language model is asked for the token after next: its targets are shifted twice",
                at=event.site,
                event=event,
                label="each target is the input two positions on",
                evidence={"length": event.length, "equal after two": after, "equal after one": next_one},
                proof_note=(
                    f"all targets equal the input two positions on, {next_one:.0%} the one after; "
                    f"{event.length} tokens went in and {event.num_targets} are compared, so the loss shifts what was shifted before"
                ),
                help="shift in one place: give the loss what the data has, or let the data give inputs and targets alike",
            )
