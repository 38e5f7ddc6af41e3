"""Dropout that does not follow the mode of its model, and drops values in evaluation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tensan.core.events.evaluation import EvaluationDraws
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Operation
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place, resolved
from tensan.rules.traces import line_of

_MEANT = re.compile(r"\btraining\s*=\s*True\b")


class DropoutInEvalMode(Rule):
    """
    ## What it does
    Finds dropout that still drops values when the model is evaluated in eval mode: `F.dropout` without `training=`, a `dropout_p` of
    attention that is a constant, `nn.Dropout` made in `forward` or kept in a plain list.

    ## Why is this bad?
    `model.eval()` does not reach it. Every evaluation, and every prediction in production, is made by a network with a random part
    missing: worse than it should be, and different each time.

    ## Example
    ```python
    x = F.dropout(x, 0.5)
    y = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1)
    ```

    ## Use instead
    ```python
    x = F.dropout(x, 0.5, training=self.training)
    y = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1 if self.training else 0.0)
    ```

    ## Known problems
    Silent where `training=True` is written out, and where the same input goes through several times, as in Monte Carlo dropout.
    """

    code = "MOD105"
    name = "dropout-in-eval-mode"
    category = Category.CORRECTNESS
    law = 4
    effect = "wrong-mode"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._found: dict[tuple[str, object], tuple[EvaluationDraws, Operation]] = {}
        self._meant: set[str] = set()

    def on_evaluation_draws(self, event: EvaluationDraws) -> None:
        self.armed = True
        if event.repeated:
            self._meant.add(event.module)
        for draw in event.draws:
            if not _is_written_out(draw.site):
                self._found.setdefault((event.module, line_of(draw.site)), (event, draw))

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end, when it is known whether inputs went through several times."""
        for evaluation, draw in self._found.values():
            if evaluation.module not in self._meant:
                yield self._finding(evaluation, draw)

    def _finding(self, event: EvaluationDraws, draw: Operation) -> Finding:
        place = draw.site if draw.site is not None else event.site
        in_attention = "attention" in _source(place)
        help_text = "pass `training=self.training` to `F.dropout`, or make the `nn.Dropout` in `__init__` as an attribute of the model"
        if in_attention:
            help_text = "pass `dropout_p=p if self.training else 0.0`"
        return self.finding(
            f"{'attention' if in_attention else 'dropout'} still drops values in eval mode: it does not follow the model's mode",
            at=place,
            event=event,
            label="draws a new mask in evaluation too",
            evidence={"dropped from": str(draw.inputs[0]) if draw.inputs else "?", "model": event.kind},
            related=[(f"`{event.kind}` is evaluated here", event.site)] if line_of(event.site) != line_of(place) else (),
            proof_note=f"every module of `{event.kind}` was in eval mode, and a random mask was drawn and multiplied with",
            help=help_text,
            subjects=[event.module],
        )


def _is_written_out(place: Place) -> bool:
    return _MEANT.search(_source(place)) is not None


def _source(place: Place) -> str:
    """Returns the source line of a place; a call over several lines shows its first."""
    location = resolved(place)
    return location.source if location is not None else ""
