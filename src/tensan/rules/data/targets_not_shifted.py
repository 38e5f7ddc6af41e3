"""DAT107: a language model is asked for the token that it is shown."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.targets import TokenTargets
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule

#: Where neighbours are often equal, a shift cannot be told from none.
_LEAST_DISTINCT = 0.3
_LEAST_SUPERVISED = 0.5


class TargetsNotShifted(Rule):
    """
    ## What it does

    Finds causal language models whose targets are their own inputs, token by token, without a shift.

    ## Why is this bad?

    At each position the model is asked for the very token that it is shown there. It learns to copy: the loss goes to zero
    within minutes, and what it generates is the last token again and again.

    ## Example

    ```python
    logits = model(tokens)
    loss = F.cross_entropy(logits.flatten(0, 1), tokens.flatten())
    ```

    ## Use instead

    ```python
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    ```

    ## Known problems

    Autoencoders are asked for their input too, and rightly: so only models are told that hide later tokens from earlier ones, by a
    causal mask or by a single recurrent pass.
    """

    code = "DAT107"
    name = "targets-not-shifted"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-data"

    def on_token_targets(self, event: TokenTargets) -> Iterator[Finding]:
        self.armed = True
        here, next_one, _ = event.at_shift
        clear = event.distinct >= _LEAST_DISTINCT and event.supervised >= _LEAST_SUPERVISED and next_one < 0.9
        if here == 1 and clear and event.causal and not event.others_shifted:
            yield self.finding(
                "the language model is asked for the token that it is shown: its targets are its inputs, without a shift",
                at=event.site,
                event=event,
                label="each target is the input at the same position",
                evidence={"length": event.length, "equal": here},
                proof_note=(
                    f"all {event.num_targets} targets of a sequence equal its inputs position by position; "
                    f"only {next_one:.0%} are the token after"
                ),
                help="predict the next token: `logits[:, :-1]` against `tokens[:, 1:]`",
            )
