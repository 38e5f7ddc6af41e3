"""Targets that the model's last activation can never give."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.things import Operation, Spread
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import depends_on, through_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.loss._shared import Comparison, comparisons, place_of
from tensan.rules.optimizer._shared import Evidence
from tensan.rules.traces import line_of

_LEAST_STEPS = 2
#: Share of the targets that must be out of reach, and how far, in units of their own root mean square.
_LEAST_SHARE = 0.1
_FAR = 0.5
#: Root mean square from which on targets are too wide for a tanh; that of standardised ones is 1.
_WIDE = 0.85
_REGRESSIONS = frozenset({"mse_loss", "smooth_l1_loss", "huber_loss", "difference"})
_NEVER_NEGATIVE = {"aten::relu": "a relu", "aten::relu_": "a relu", "aten::softplus": "a softplus", "aten::exp": "an exponential"}
_UNIT = {"sigmoid": "a sigmoid", "softmax": "a softmax"}
_SIZES = frozenset({"abs", "pow", "square", "norm", "huber"})


class TargetOutOfReach(Rule):
    """
    ## What it does
    Finds a regression whose targets lie outside the range of the model's last activation: negative targets after a relu, targets
    beyond 0 and 1 after a sigmoid, beyond -1 and 1 after tanh. In binary cross-entropy with logits: a relu or tanh before the logits.

    ## Why is this bad?
    No weights can ever give such targets. The loss stops at a floor, and where a relu gives zero its gradient is zero too. Often the
    targets were standardised, or the activation was copied from the hidden layers.

    ## Example
    ```python
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1), nn.ReLU())
    loss = F.mse_loss(model(x), (y - y.mean()) / y.std())
    ```

    ## Use instead
    ```python
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    loss = F.mse_loss(model(x), (y - y.mean()) / y.std())
    ```

    ## Known problems
    Speaks where a tenth of the targets or more is out of reach, and some by far; measurements that scatter around what can be
    reached pass. Targets that a model makes pass as well.
    """

    code = "LOS106"
    name = "target-out-of-reach"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen: dict[Place, Evidence[tuple[Loss, Comparison, Operation, Spread, str]]] = {}

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        for comparison in comparisons(loss):
            index = through_layout(loss.operations, comparison.prediction.producer)
            spread = loss.spreads[comparison.operation.index][comparison.given]
            if index < 0 or spread is None or not _is_judged(loss, comparison):
                continue
            self.armed = True
            maker = loss.operations[index]
            limits = _limits(comparison, maker, spread)
            evidence = self._seen.setdefault(comparison.operation.site, Evidence(_LEAST_STEPS))
            if limits is None:
                evidence.interrupt()
                continue
            for seen in evidence.add((loss, comparison, maker, spread, limits)):
                yield self._finding(*seen)

    def _finding(self, loss: Loss, comparison: Comparison, maker: Operation, spread: Spread, limits: str) -> Finding:
        taker = comparison.operation
        apart = line_of(place_of(maker, taker)) != line_of(taker.site)
        logits = comparison.loss == "binary_cross_entropy_with_logits"
        return self.finding(
            f"the targets are out of the model's reach: {limits}",
            at=place_of(maker, taker),
            event=loss,
            label="bounds the output",
            evidence={"made by": maker.name, "smallest target": spread.minimum, "largest target": spread.maximum},
            related=[("compared with the targets here", taker.site)] if apart else (),
            proof_note=(
                f"targets reach from {spread.minimum:.3g} to {spread.maximum:.3g}, and no weights give the part outside "
                f"through `{maker.name}`, the last operation before the loss"
            ),
            help=f"leave `{maker.name}` out: the loss takes raw outputs"
            if logits
            else f"leave `{maker.name}` out before the loss, or bring the targets into its range",
        )


def _is_judged(loss: Loss, comparison: Comparison) -> bool:
    """Tells whether a comparison is one of a prediction with data."""
    if comparison.target.requires_grad or depends_on(loss.operations, comparison.target.producer, "parameter"):
        return False
    if comparison.loss == "binary_cross_entropy_with_logits":
        return True
    return comparison.loss in _REGRESSIONS and (comparison.loss != "difference" or _is_measured(loss, comparison))


def _is_measured(loss: Loss, comparison: Comparison) -> bool:
    """Tells whether the size of a difference is what is made small."""
    index = comparison.operation.index
    users = [operation for operation in loss.operations[index + 1 :] if any(value.producer == index for value in operation.inputs)]
    return any(user.name in _SIZES or (user.name == "mul" and [value.producer for value in user.inputs] == [index] * 2) for user in users)


def _scatters_above_zero(spread: Spread) -> bool:
    """Tells whether targets may be measurements, with noise, of something that is never negative: standardised ones have a mean of 0."""
    raised = spread.mean > 0.3 * spread.root_mean_square
    return raised and spread.below_zero < 0.6 and -spread.minimum < 0.8 * spread.maximum


def _scatters_in_unit(spread: Spread) -> bool:
    """Tells whether targets may be measurements, with noise, of something between 0 and 1."""
    return 0.15 < spread.mean < 0.85 and spread.minimum > -1 and spread.maximum < 2


def _limits(comparison: Comparison, maker: Operation, spread: Spread) -> str | None:
    """Returns, in words, why targets are out of reach; None where they are not."""
    aten = str(maker.settings.get("aten"))
    far = _FAR * spread.root_mean_square
    if comparison.loss == "binary_cross_entropy_with_logits":
        if aten in _NEVER_NEGATIVE and spread.minimum < 0.25:
            return f"logits of {_NEVER_NEGATIVE[aten]} are never below 0, so no probability is below one half"
        if maker.name == "tanh" and spread.minimum < 0.25 and spread.maximum > 0.75:
            return "logits of a tanh lie between -1 and 1, so all probabilities lie between 0.27 and 0.73"
        return None
    below = f"{spread.below_zero:.0%} of the targets are below 0"
    if aten in _NEVER_NEGATIVE and spread.below_zero >= _LEAST_SHARE and spread.minimum < -far and not _scatters_above_zero(spread):
        return f"{below}, and {_NEVER_NEGATIVE[aten]} never is"
    beyond = spread.minimum < -far or spread.maximum > 1 + far
    if maker.name in _UNIT and spread.below_zero + spread.above_one >= _LEAST_SHARE and beyond and not _scatters_in_unit(spread):
        return f"{spread.below_zero + spread.above_one:.0%} of the targets are not between 0 and 1, as {_UNIT[maker.name]} is"
    outside = spread.below_minus_one + spread.above_one
    wide = spread.root_mean_square >= _WIDE
    if maker.name == "tanh" and wide and outside >= _LEAST_SHARE and max(-spread.minimum, spread.maximum) > 1 + _FAR:
        return f"{outside:.0%} of the targets are not between -1 and 1, as a tanh is"
    return None
