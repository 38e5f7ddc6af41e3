"""MOD131: the padding row of an embedding was filled by an initialisation, and never becomes zero again."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.layers import PaddingRow
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence

_LEAST_STEPS = 2


class PaddingRowOverwritten(Rule):
    """
    ## What it does

    Finds embeddings with a `padding_idx` whose padding row was overwritten by an initialisation of the program's own, while the
    loss depends on what is looked up at padding.

    ## Why is this bad?

    `padding_idx` makes the row zero once, in the constructor, and keeps gradients from it ever after. Values that are put there later
    stay for good: each padded position adds the same random vector, and a sample's output depends on how far it was padded.

    ## Example

    ```python
    self.embedding = nn.Embedding(vocabulary, 64, padding_idx=0)
    nn.init.normal_(self.embedding.weight, std=0.02)
    ```

    ## Use instead

    ```python
    self.embedding = nn.Embedding(vocabulary, 64, padding_idx=0)
    nn.init.normal_(self.embedding.weight, std=0.02)
    with torch.no_grad():
        self.embedding.weight[0].zero_()
    ```

    ## Known problems

    Silent where padding is masked, so that no gradient arrives at it, and for tables that were loaded or made from given vectors.
    """

    code = "MOD131"
    name = "padding-row-overwritten"
    category = Category.CORRECTNESS
    law = 4
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._evidence: dict[str, Evidence[PaddingRow]] = {}

    def on_padding_row(self, event: PaddingRow) -> Iterator[Finding]:
        self.armed = True
        if not event.overwritten:
            return
        for seen in self._evidence.setdefault(event.module, Evidence(_LEAST_STEPS)).add(event):
            yield self._finding(seen)

    def _finding(self, event: PaddingRow) -> Finding:
        name = f"`{event.name}`" if event.name else "the embedding"
        return self.finding(
            f"the padding row of {name} is overwritten by random values, which no gradient ever changes",
            at=event.site,
            event=event,
            label="fills the padding row as well",
            evidence={"padding_idx": event.padding, "padded positions": event.num_positions},
            related=[("the embedding was made here, with a row of zeros for padding", event.made)],
            proof_note=(
                f"row {event.padding} is not zero, {event.num_positions} positions of the batch look it up, "
                "and the loss has a gradient there, so padding takes part in it"
            ),
            help=f"set it to zero afterwards: `with torch.no_grad(): embedding.weight[{event.padding}].zero_()`",
            subjects=[event.module],
        )
