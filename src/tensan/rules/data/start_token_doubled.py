"""DAT160: every sequence begins with its start token twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tensan.core.events.data import EpochStart
from tensan.core.events.targets import TokenTargets
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place

#: Batches and sequences that must begin like this, without one that does not.
_LEAST_BATCHES, _LEAST_ROWS = 2, 8


class StartTokenDoubled(Rule):
    """
    ## What it does

    Finds language models whose every sequence begins with the same token twice, while it stands nowhere else and the loss asks for
    the second one.

    ## Why is this bad?

    A template or the program writes the start token, and the tokenizer adds one more. The model learns that a start is followed by
    a start, and never sees a text begin as it will when it is used with one. Nothing fails; quality is lost.

    ## Example

    ```python
    text = tokenizer.apply_chat_template(messages, tokenize=False)   # begins with the start token
    ids = tokenizer(text).input_ids                                  # and this adds another
    ```

    ## Use instead

    ```python
    ids = tokenizer(text, add_special_tokens=False).input_ids
    ```

    ## Known problems

    Silent where the beginning of each sequence is masked, as prompts are: two of the same may then be padding on the left. A language
    in which each text does begin with the same two signs, which stand nowhere else, looks the same.
    """

    code = "DAT160"
    name = "start-token-doubled"
    category = Category.SUSPICIOUS
    law = 8
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._batches: Counter[int] = Counter()
        self._rows: Counter[int] = Counter()
        self._others = False
        self._loader: Place = None

    def on_epoch_start(self, event: EpochStart) -> None:
        self._loader = event.loader.made

    def on_token_targets(self, event: TokenTargets) -> Iterator[Finding]:
        if event.at_shift[1] < 1:
            return
        self.armed = True
        start = event.doubled_start
        if start is None:
            self._others = True
            return
        self._batches[start] += 1
        self._rows[start] += event.batch
        if self._others or self._batches[start] < _LEAST_BATCHES or self._rows[start] < _LEAST_ROWS:
            return
        yield self.finding(
            f"every sequence begins with the token {start} twice",
            at=event.site,
            event=event,
            label="asks for a start token after the start token",
            evidence={"token": start, "sequences": self._rows[start]},
            related=[("the batches come from here", self._loader)],
            proof=Proof.STATISTIC,
            proof_note=f"all {self._rows[start]} sequences that were looked at begin with it twice, and it stands nowhere else",
            help="add the start token once: `add_special_tokens=False` where the text already has it",
        )
