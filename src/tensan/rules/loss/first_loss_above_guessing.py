"""LOS160: an untrained classifier is sure of itself, so that its first loss is far above that of guessing."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

from tensan.core.events.things import Operation
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding, Proof
from tensan.core.operations import through_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.loss._shared import comparisons

#: How many times the cost of guessing the first loss must be, and how far above it.
_TIMES, _ABOVE = 2.0, 2.0
_MEAN = 1


class FirstLossAboveGuessing(Rule):
    """
    ## What it does

    Finds classifiers and language models whose cross-entropy before any training is more than twice the logarithm of the number of
    classes, which is what guessing costs.

    ## Why is this bad?

    A model that knows nothing should say so. One whose first outputs are large is sure and wrong: its weights are initialised too large,
    as they are where an embedding's normal values of size one are tied to the output layer. The first part of the training is spent on
    unlearning, and often ends in a worse place.

    ## Example

    ```python
    self.head.weight = self.embedding.weight           # nn.Embedding begins with N(0, 1)
    ```

    ## Use instead

    ```python
    nn.init.normal_(self.embedding.weight, std=0.02)
    self.head.weight = self.embedding.weight
    ```

    ## Known problems

    A model whose weights were set in a way that is not seen as loading looks untrained.
    """

    code = "LOS160"
    name = "first-loss-above-guessing"
    category = Category.SUSPICIOUS
    law = 8
    preview = True
    effect = "wrong-scale"

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        if loss.step > 0 or any(leaf.loaded for leaf in loss.leaves):
            return
        several = [found for found in comparisons(loss) if found.loss == "nll_loss" and _is_mean(found.operation)]
        value = loss.results.get(several[0].operation.index) if len(several) == 1 else None
        if value is None or len(several[0].prediction.shape) < 2:
            return
        comparison, classes = several[0], several[0].prediction.shape[1]
        self.armed = True
        guess = log(max(classes, 2))
        if value > _TIMES * guess and value > guess + _ABOVE:
            yield self.finding(
                f"the untrained model begins with a cross-entropy of {value:.3g}, where guessing costs {guess:.3g}",
                at=comparison.operation.site,
                event=loss,
                label=f"{classes} classes: guessing costs the logarithm of that",
                evidence={"first loss": value, "guessing": guess, "classes": classes},
                related=[("the layer that the predictions come from was made here", _made(loss, comparison.operation))],
                proof=Proof.HINT,
                proof_note=f"no weight was loaded and no step was made, and the loss is {value / guess:.3g} times that of knowing nothing",
                help="initialise what makes the predictions with smaller values, with a standard deviation of 0.02 for example",
                subjects=[leaf.id for leaf in loss.leaves],
            )


def _is_mean(operation: Operation) -> bool:
    arguments = operation.settings.get("arguments", ())
    return isinstance(arguments, tuple) and len(arguments) >= 2 and arguments[-2] == _MEAN


def _made(loss: Loss, operation: Operation) -> Place:
    """Returns where the layer was made whose output goes into a loss."""
    leaves = {leaf.id: leaf for leaf in loss.leaves}
    index = through_layout(loss.operations, operation.inputs[0].producer, also=frozenset({"log_softmax"}))
    behind = [value.subject for value in loss.operations[index].inputs if value.subject in leaves] if index >= 0 else []
    return leaves[behind[0]].made if behind and behind[0] is not None else None
