"""LOS120: a loss is given its targets as the prediction, and the prediction as targets."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.things import Operation, Spread, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import through_layout
from tensan.core.rule import Rule
from tensan.rules.loss._shared import TOLERANCE

_BINARY = frozenset({"binary_cross_entropy", "binary_cross_entropy_with_logits"})


class ArgumentsExchanged(Rule):
    """
    ## What it does

    Finds losses whose first argument, the prediction, is labels that no gradient flows into, while their second one, the target, is what
    the model computed.

    ## Why is this bad?

    Cross-entropies and `kl_div` are not symmetric. With the arguments exchanged they are straight lines in the model's output: the
    gradient does not shrink as the prediction gets better, and has no lower bound where the output has none. PyTorch computes it
    without an error, and the loss goes down.

    ## Example

    ```python
    loss = F.binary_cross_entropy_with_logits(y, model(x))
    ```

    ## Use instead

    ```python
    loss = F.binary_cross_entropy_with_logits(model(x), y)
    ```

    ## Known problems

    Only labels of 0 and 1 are known for labels: of two distributions each may be the target. Losses that are symmetric, such as
    `mse_loss`, may be given either way round.
    """

    code = "LOS120"
    name = "arguments-exchanged"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-gradient"

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        for index, spreads in loss.spreads.items():
            operation = loss.operations[index]
            met = _met(loss, operation, spreads)
            if met is None:
                continue
            self.armed = True
            called, given, taken, spread = met
            exchanged = taken.requires_grad and not given.requires_grad
            if exchanged and spread is not None and _cannot_be(called, spread):
                yield self._finding(loss, operation, called, given, taken, spread)

    def _finding(self, loss: Loss, operation: Operation, called: str, given: Value, taken: Value, spread: Spread) -> Finding:
        what = "labels of 0 and 1" if called != "kl_div" else f"probabilities up to {spread.maximum:.3g}, where logarithms of them belong"
        return self.finding(
            f"`{called}` is given its target first and the prediction second",
            at=operation.site,
            event=loss,
            label=f"{given} are {what}; {taken} comes from the model",
            evidence={"first": str(given), "second": str(taken), "from": spread.minimum, "to": spread.maximum},
            proof_note=f"no gradient flows into the first argument, the prediction, which holds {what}; it flows into the targets",
            help=f"exchange the arguments: `{called}(prediction, target)`",
        )


def _met(loss: Loss, operation: Operation, spreads: tuple[Spread | None, Spread | None]) -> tuple[str, Value, Value, Spread | None] | None:
    """Returns the name of a loss, its first and its second argument, and what the values of the first are like."""
    if len(operation.inputs) < 2:
        return None
    first, second = operation.inputs[:2]
    if operation.name in _BINARY:
        return operation.name, first, second, spreads[0]
    if operation.name != "mul" or operation.site is None:
        return None
    # Of cross_entropy and kl_div, targets are multiplied with logarithms in the middle of the call.
    around = [other for other in loss.operations[max(0, operation.index - 3) : operation.index + 4] if other.site == operation.site]
    if any(other.settings.get("aten") == "aten::xlogy" for other in around):
        return "kl_div", second, first, spreads[1]
    maker = through_layout(loss.operations, first.producer)
    softmax = loss.operations[maker] if maker >= 0 else None
    if softmax is not None and softmax.name == "log_softmax" and softmax.site == operation.site:
        return "cross_entropy", softmax.inputs[0], second, loss.spreads.get(softmax.index, (None, None))[0]
    return None


def _cannot_be(called: str, spread: Spread) -> bool:
    """Tells whether values are no prediction: labels, or for `kl_div` probabilities in the place of logarithms."""
    if called == "kl_div":
        return spread.minimum >= 0 and spread.maximum > TOLERANCE
    return spread.fractional == 0 and spread.minimum == 0 and spread.maximum == 1
