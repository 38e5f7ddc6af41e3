"""Targets with values that their loss is not defined on, and that it takes without an error."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.things import Operation, Spread
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import ancestors
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.loss._shared import TOLERANCE, Comparison, comparisons
from tensan.rules.optimizer._shared import Evidence

#: Masks that were scaled smoothly overshoot by so much, and are meant.
_OVERSHOOT = 0.1
#: What is left of a 1 that is divided by 255, as masks of 0 and 255 are to be.
_DIVIDED = 1 / 255
#: Steps at which labels of 0 and 1 are seen and none of -1.
_LEAST_STEPS = 2


class TargetOutsideLoss(Rule):
    """
    ## What it does
    Finds targets that lie outside what their loss is defined on: masks of 0 and 255 or labels of -1 and 1 in binary cross-entropy, masks
    of 0 and 1 that were divided by 255 all the same, raw scores as class probabilities of cross-entropy, 0 and 1 in the soft margin loss,
    in `cosine_embedding_loss` and in `hinge_embedding_loss`, log-probabilities in `kl_div` without `log_target` and probabilities with it.

    ## Why is this bad?
    The formula goes on where it means nothing. With a target of 255 binary cross-entropy has no lower bound: the loss falls below
    zero and every output grows for ever. With a target of 0 the soft margin loss is constant: the negative samples teach nothing; so it is
    with pairs of embeddings that are labelled 0 and 1 where -1 and 1 are meant.

    ## Example
    ```python
    mask = torch.from_numpy(np.array(Image.open(path))).float()     # 0 and 255
    loss = F.binary_cross_entropy_with_logits(model(x), mask)
    ```

    ## Use instead
    ```python
    mask = torch.from_numpy(np.array(Image.open(path)) > 0).float()
    loss = F.binary_cross_entropy_with_logits(model(x), mask)
    ```

    ## Known problems
    Losses that are weighted value by value, or not reduced, pass: the strange values may mark what is left out afterwards.
    """

    code = "LOS105"
    name = "target-outside-loss"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._one_sided: dict[Place, Evidence[tuple[Loss, Operation, Spread]]] = {}

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        yield from self._judge_signs(loss)
        for comparison in comparisons(loss):
            spread = loss.spreads[comparison.operation.index][comparison.given]
            if spread is None or not comparison.one_call:
                continue
            told = _told(comparison, spread)
            if told is None:
                continue
            self.armed = True
            domain, is_outside, help_text = told
            if is_outside:
                yield self._finding(loss, comparison, spread, domain, help_text)

    def _judge_signs(self, loss: Loss) -> Iterator[Finding]:
        """Judges losses that do one thing for labels of 1 and another for labels of -1, and nothing else for any other."""
        for operation in _compared_with_signs(loss):
            spread = loss.spreads[operation.index][0]
            evidence = self._one_sided.setdefault(operation.site, Evidence(_LEAST_STEPS))
            if spread is None:
                continue
            self.armed = True
            if spread.minimum < 0:
                evidence.refute()  # zeros beside both signs may be pairs that do not count
            elif spread.minimum == 0 and spread.maximum == 1 and spread.fractional == 0:
                for seen in evidence.add((loss, operation, spread)):
                    yield self._signs_finding(*seen)

    def _signs_finding(self, loss: Loss, operation: Operation, spread: Spread) -> Finding:
        return self.finding(
            "labels of 0 and 1 are given to a loss of -1 and 1: a 0 is neither",
            at=operation.site,
            event=loss,
            label=f"{operation.inputs[0]} of 0 and 1",
            evidence={"smallest": spread.minimum, "largest": spread.maximum},
            proof_note="of two steps and more no label was -1, and some were 0",
            help="use `2 * labels - 1` for labels of 0 and 1",
        )

    def _finding(self, loss: Loss, comparison: Comparison, spread: Spread, domain: str, help_text: str) -> Finding:
        called = "kl_div" if comparison.loss == "kl_div_of_logs" else comparison.loss
        values = f"{_number(spread.minimum)} to {_number(spread.maximum)}"
        return self.finding(
            f"targets of `{called}` reach from {values}, and it is defined on {domain}",
            at=comparison.operation.site,
            event=loss,
            label=f"{comparison.target} from {values}",
            evidence={"smallest": spread.minimum, "largest": spread.maximum},
            proof_note=f"the smallest target of this batch is {_number(spread.minimum)}, the largest {_number(spread.maximum)}",
            help=help_text,
        )


def _told(comparison: Comparison, spread: Spread) -> tuple[str, bool, str] | None:
    """Returns what the loss is defined on, whether the targets lie outside, and what to do; None where the loss says nothing of it."""
    least, most = spread.minimum, spread.maximum
    match comparison.loss:
        case "binary_cross_entropy_with_logits" | "binary_cross_entropy":
            if _is_weighed(comparison.operation):
                return None
            whole = spread.fractional == 0
            help_text = "scale the targets to values between 0 and 1"
            if most > 1 + _OVERSHOOT and least >= 0:
                help_text = "divide the targets by 255, or use `(targets > 0).float()`" if most == 255 else help_text
                if whole and most < 255:
                    help_text = "use `cross_entropy` where the targets are class indices, or scale them to values between 0 and 1"
            elif least == -1 and most <= 1 and whole:
                help_text = "use `(targets + 1) / 2`, or a margin loss, for labels of -1 and 1"
            divided = least == 0 and abs(most - _DIVIDED) < 1e-8
            if divided:
                help_text = "leave the division by 255 out: the targets are 0 and 1 before it"
            return (
                "0 to 1" if not divided else "1 for all that is there",
                least < -_OVERSHOOT or most > 1 + _OVERSHOOT or divided,
                help_text,
            )
        case "cross_entropy":
            return (
                "probabilities, one for each class",
                least < -TOLERANCE,
                "apply a softmax to scores before they are targets: `scores.softmax(dim=1)`",
            )
        case "soft_margin_loss":
            return "-1 and 1", least == 0 and most == 1 and spread.fractional == 0, "use `2 * targets - 1` for labels of 0 and 1"
        case "kl_div":
            return "probabilities, its targets being logarithms only with `log_target=True`", least < -TOLERANCE, "pass `log_target=True`"
        case "kl_div_of_logs":
            return (
                "log-probabilities with `log_target=True`",
                most > TOLERANCE,
                "leave `log_target=True` out: the targets are probabilities",
            )
        case _:
            return None


def _compared_with_signs(loss: Loss) -> list[Operation]:
    """Returns comparisons of labels with 1 beside which, in the same line, the same labels are compared with -1."""
    found: dict[tuple[object, int, object], dict[object, Operation]] = {}
    for index in sorted(ancestors(loss.operations, [loss.value.producer]) & loss.spreads.keys()):
        operation = loss.operations[index]
        if operation.name == "compare" and operation.site is not None:
            key = operation.site, operation.inputs[0].producer, operation.inputs[0].shape
            found.setdefault(key, {})[operation.settings.get("arguments")] = operation
    return [each[(1,)] for each in found.values() if (1,) in each and (-1,) in each]


def _is_weighed(operation: Operation) -> bool:
    """Tells whether values are weighed one by one, or left for the program to weigh and reduce."""
    arguments = operation.settings.get("arguments", ())
    assert isinstance(arguments, tuple), arguments
    numbers = [item for item in arguments if isinstance(item, int) and not isinstance(item, bool)]
    not_reduced = bool(numbers) and numbers[-1] == 0
    return not_reduced or any(value.shape == operation.inputs[0].shape for value in operation.inputs[2:])


def _number(value: float) -> str:
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e6 else f"{value:.3g}"
