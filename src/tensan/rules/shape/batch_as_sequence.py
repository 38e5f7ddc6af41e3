"""Attention that runs along the batch because the sequence it was given has length one."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.asks import Answer, Ask
from tensan.core.events.recorded import StepRecorded
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.rules.shape.samples_mixed import Question, attends_over_single, can_mix, origin_of, question


class BatchAsSequence(Rule):
    """
    ## What it does
    Finds an attention layer without `batch_first=True` that is given `[batch, 1, features]` or `[batch, features]`: it takes the batch for
    a sequence, and each sample attends to the others.

    ## Why is this bad?
    Predictions depend on which samples happen to be in one batch, so training looks better or worse than it is, and one sample alone is
    predicted by another function than the one that was trained.

    ## Example
    ```python
    self.encoder = nn.TransformerEncoderLayer(64, 4)
    h = self.encoder(x.unsqueeze(1))           # [batch, 1, 64] is read as [sequence, batch, 64]
    ```

    ## Use instead
    ```python
    self.encoder = nn.TransformerEncoderLayer(64, 4, batch_first=True)
    h = self.encoder(x.unsqueeze(1))
    ```

    ## Known problems
    A model that attends to the other samples on purpose is built in the same way, so this is a warning; silence it there. Only
    batches of samples drawn at random are looked at.
    """

    code = "SHP103"
    name = "batch-as-sequence"
    category = Category.SUSPICIOUS
    law = 6

    def on_step_recorded(self, recorded: StepRecorded) -> Iterator[Ask]:
        if can_mix(recorded):
            yield question(recorded)

    def on_answer(self, answer: Answer) -> Iterator[Finding]:
        asked = answer.ask.note
        assert isinstance(asked, Question)
        if answer.value is None:
            return
        self.armed = True
        layer = attends_over_single(asked.recorded, answer)
        root = origin_of(asked.recorded, answer)
        if layer is None or root is None or answer.details.get("routed"):
            return
        yield self.finding(
            "attention takes the batch for its sequence: each sample attends to the others",
            at=layer.made or root.site,
            event=asked.recorded,
            label=f"batch_first={layer.batch_first}",
            evidence={"batch": asked.recorded.batch, "samples moved": answer.details.get("others")},
            related=[("called here", root.site)],
            proof=Proof.INTERVENTION,
            proof_note=f"replacing sample 1 changes the output of {answer.details.get('others')} other samples",
            help="make the layer with batch_first=True; where samples are meant to attend to each other, silence this",
        )
