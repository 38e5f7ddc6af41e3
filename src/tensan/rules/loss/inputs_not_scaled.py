"""Raw inputs, such as pixels from 0 to 255, in the first layer, with a loss that starts far above guessing."""

from __future__ import annotations

from collections.abc import Iterator
from math import log, prod

from tensan.core.events.data import EpochStart
from tensan.core.events.things import Operation, Spread
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding, Proof
from tensan.core.operations import ancestors
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.loss._shared import Comparison, comparisons
from tensan.rules.traces import line_of

#: Root mean square of inputs that were scaled by nobody, and how many times the cost of guessing the loss must be.
_LARGE = 10.0
_ABOVE_GUESSING = 4.0
_REGRESSIONS = frozenset({"mse_loss"})


class InputsNotScaled(Rule):
    """
    ## What it does
    Finds models whose first layer gets inputs of a large scale, pixels from 0 to 255 say, and whose loss at the first step is many times
    what guessing would cost.

    ## Why is this bad?
    Weights are initialised for inputs around one. With inputs a hundred times as large so are the outputs: the model begins sure and
    wrong, the first gradients are huge, and much of the training undoes what they did. Units often die on the way.

    ## Example
    ```python
    x = torch.from_numpy(images).float()       # 0 to 255
    ```

    ## Use instead
    ```python
    x = torch.from_numpy(images).float() / 255
    x = (x - mean) / std
    ```

    ## Known problems
    Silent where the first layers make up for the scale, as a batch normalisation does: then the loss starts where it should.
    Only losses of which the cost of guessing is known are judged: cross-entropy, binary cross-entropy and mean squared error.
    """

    code = "LOS110"
    name = "inputs-not-scaled"
    category = Category.SUSPICIOUS
    law = 11
    effect = "wrong-data"
    explains = frozenset({"wrong-scale", "no-gradient", "non-finite"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._loader: Place = None

    def on_epoch_start(self, event: EpochStart) -> None:
        self._loader = event.loader.made

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        if loss.step > 0 or any(leaf.loaded for leaf in loss.leaves):
            return
        layer, spread, in_batch = _first_layer(loss)
        several = comparisons(loss)
        if layer is None or spread is None or len(several) != 1:
            return
        comparison = several[0]
        value, guess = loss.results.get(comparison.operation.index), _cost_of_guessing(loss, comparison)
        if value is None or not guess:
            return
        self.armed = True
        if spread.root_mean_square >= _LARGE and value > _ABOVE_GUESSING * guess:
            yield self._finding(loss, layer, spread, comparison, value, guess, in_batch)

    def _finding(
        self, loss: Loss, layer: Operation, spread: Spread, comparison: Comparison, value: float, guess: float, in_batch: bool
    ) -> Finding:
        made = _made(loss, layer)
        place = made if made is not None else layer.site
        source = self._loader if in_batch and self._loader is not None else layer.site
        bytes_ = spread.minimum >= 0 and 128 < spread.maximum <= 255 and spread.fractional < 0.01
        return self.finding(
            f"inputs are not scaled: the first layer gets values from {spread.minimum:.4g} to {spread.maximum:.4g}",
            at=place,
            event=loss,
            label="is initialised for values around one" if made is not None else "takes raw values",
            evidence={"root mean square": round(spread.root_mean_square, 3), "first loss": value, "guessing": guess},
            related=[("they come from here", source)] if line_of(source) != line_of(place) else (),
            proof=Proof.STATISTIC,
            proof_note=f"the loss of the untrained model is {value:.3g}, {value / guess:.3g} times the {guess:.3g} that guessing costs",
            help="divide pixels by 255, then subtract the mean and divide by the standard deviation"
            if bytes_
            else "standardise the inputs: subtract the mean of the training data and divide by its standard deviation",
            subjects=[leaf.id for leaf in loss.leaves],
        )


def _made(loss: Loss, layer: Operation) -> Place:
    """Returns where the layer was made that an operation belongs to."""
    leaves = {leaf.id: leaf for leaf in loss.leaves}
    behind = [value.subject for value in layer.inputs if value.subject in leaves]
    return leaves[behind[0]].made if behind and behind[0] is not None else None


def _first_layer(loss: Loss) -> tuple[Operation | None, Spread | None, bool]:
    """Returns the first layer that data go into and what they are like there, and whether a loader delivered them."""
    for index, spreads in sorted(loss.spreads.items()):
        operation = loss.operations[index]
        if operation.name not in ("matmul", "convolution"):
            continue
        position = 0 if spreads[0] is not None else 1
        given = operation.inputs[position]
        behind = (value for ancestor in ancestors(loss.operations, [given.producer]) for value in loss.operations[ancestor].inputs)
        delivered = given.subject == "batch" or any(value.subject == "batch" for value in behind)
        return operation, spreads[position], delivered
    return None, None, False


def _cost_of_guessing(loss: Loss, comparison: Comparison) -> float | None:
    """Returns what the loss is where the model knows nothing but the number of classes; None where that is not known."""
    prediction = comparison.prediction
    if comparison.loss == "nll_loss" and len(prediction.shape) > 1 and prediction.shape[1] > 1:
        return log(prediction.shape[1])
    if comparison.loss == "binary_cross_entropy_with_logits":
        return log(2)
    given = loss.spreads[comparison.operation.index][comparison.given]
    if comparison.loss in _REGRESSIONS and given is not None and prod(prediction.shape) > 1:
        return given.root_mean_square**2
    return None
