"""DAT109: the end token is masked together with the padding, so a model never learns to stop."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.targets import TokenTargets
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule

_LEAST_ENDS = 4


class EndTokenNeverLearned(Rule):
    """
    ## What it does

    Finds language models whose loss passes over every end-of-text token, because padding has the same id and is masked.

    ## Why is this bad?

    The model sees the end token only where it is not asked for it. It never learns to stop: generated text goes on until it is
    cut off.

    ## Example

    ```python
    tokenizer.pad_token = tokenizer.eos_token
    labels[labels == tokenizer.pad_token_id] = -100
    ```

    ## Use instead

    ```python
    labels[attention_mask == 0] = -100              # by place, not by id
    ```

    ## Known problems

    The end token is recognised by its name: a variable or an attribute with "eos" in it, or an entry of a vocabulary such as `<eos>`.
    Where prompts are passed over too, answers must differ in length, and each of them must be followed by that token.
    """

    code = "DAT109"
    name = "end-token-never-learned"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-data"

    def on_token_targets(self, event: TokenTargets) -> Iterator[Finding]:
        self.armed = self.armed or event.at_shift[1] == 1
        if event.end_token is None or event.ends < _LEAST_ENDS or event.ends_supervised:
            return
        yield self.finding(
            f"the end token {event.end_token} is masked as if it were padding: the model is never asked for it",
            at=event.masked or event.site,
            event=event,
            label=f"passes over all {event.ends} ends of text",
            evidence={"end token": event.end_token, "ends": event.ends, "asked for": 0},
            related=[("the loss that passes over them", event.site)] if event.masked is not None else (),
            proof_note=(
                f"the only token that is passed over, prompts aside, is `{event.end_name}` = {event.end_token}; "
                f"it ends {event.ends} texts of this batch and is a target of none"
            ),
            help="mask padding by its place (lengths, or the attention mask), or give padding an id of its own",
        )
