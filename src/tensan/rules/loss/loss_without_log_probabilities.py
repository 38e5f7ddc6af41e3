"""Raw outputs or probabilities given to a loss that is defined on log-probabilities."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.things import Operation, Spread
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.loss._shared import TOLERANCE, Comparison, comparisons, layer_name, place_of, raw_from, source
from tensan.rules.traces import line_of

_LOSSES = {"nll_loss": "`nll_loss`", "ctc_loss": "`ctc_loss`", "kl_div": "`kl_div`", "kl_div_of_logs": "`kl_div`"}
#: Take the classes along one axis: there e to the values sums to one.
_ONE_OF_SEVERAL = frozenset({"nll_loss", "ctc_loss"})
_PROBABILITIES = frozenset({"softmax", "sigmoid"})


class LossWithoutLogProbabilities(Rule):
    """
    ## What it does
    Finds `nll_loss`, `ctc_loss` and `kl_div` whose input is no logarithm of probabilities: the raw outputs of a layer, or probabilities.

    ## Why is this bad?
    These losses only pick and weigh what they are given: they apply no softmax and no logarithm. On raw outputs the loss has no lower
    bound and falls below zero by making one output ever larger; on probabilities its gradient is that of accuracy, tiny where the
    model is sure and wrong.

    ## Example
    ```python
    loss = F.nll_loss(model(x), y)             # the model ends in a linear layer
    ```

    ## Use instead
    ```python
    loss = F.cross_entropy(model(x), y)        # or nll_loss of F.log_softmax(model(x), dim=1)
    ```

    ## Known problems
    An input that came through any logarithm on its way is taken to be meant, and so is one of which e to the values sums to no more
    than one.
    """

    code = "LOS102"
    name = "loss-without-log-probabilities"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-gradient"

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        for comparison in comparisons(loss):
            if comparison.loss not in _LOSSES:
                continue
            self.armed = True
            spread = loss.spreads[comparison.operation.index][comparison.taken]
            maker = _maker(loss, comparison)
            if maker is not None and spread is not None and _is_impossible(comparison, spread):
                yield self._finding(loss, comparison, maker, spread)

    def _finding(self, loss: Loss, comparison: Comparison, maker: Operation, spread: Spread) -> Finding:
        taker, called = comparison.operation, _LOSSES[comparison.loss]
        by = f"a {maker.name}" if maker.name in _PROBABILITIES else layer_name(maker)
        kind = "probabilities" if maker.name in _PROBABILITIES else "raw outputs"
        apart = line_of(place_of(maker, taker)) != line_of(taker.site)
        at_sites = (taker.site, [(f"{comparison.prediction}, made by {by}", place_of(maker, taker))] if apart else [])
        if comparison.loss == "ctc_loss":
            help_text = "give it `outputs.log_softmax(-1)`: it applies no softmax itself"
        elif comparison.loss == "nll_loss":
            help_text = "use `cross_entropy`, which takes raw outputs, or give it `log_softmax(outputs, dim=1)`"
            if maker.name in _PROBABILITIES:
                help_text = "give `cross_entropy` what the softmax was given, or use `log_softmax` in its place"
            if maker.name == "sigmoid":
                help_text = "use `binary_cross_entropy` on the result of a sigmoid, or `cross_entropy` on what it was given"
        else:
            help_text = "give `log_softmax(outputs, dim=-1)` as the first argument; the targets are the second"
        return self.finding(
            f"{called} expects log-probabilities and gets {kind}",
            at=at_sites[0] if at_sites[0] is not None else place_of(maker, taker),
            event=loss,
            label=f"{comparison.prediction} made by {by}",
            evidence={"made by": maker.name, "values from": round(spread.minimum, 4), "to": round(spread.maximum, 4)},
            related=at_sites[1],
            proof_note=_proof(comparison, spread),
            help=help_text,
        )


def _maker(loss: Loss, comparison: Comparison) -> Operation | None:
    """Returns what made the input, where that cannot have been log-probabilities."""
    nearest = source(loss.operations, comparison.prediction)
    if nearest is not None and nearest.name in _PROBABILITIES:
        return nearest
    return raw_from(loss.operations, comparison.prediction)


def _is_impossible(comparison: Comparison, spread: Spread) -> bool:
    """Tells whether values cannot be logarithms of probabilities."""
    if comparison.loss not in _ONE_OF_SEVERAL:
        return spread.maximum > TOLERANCE
    return _sum_over_classes(comparison, spread) > 1 + TOLERANCE


def _sum_over_classes(comparison: Comparison, spread: Spread) -> float:
    rank = len(comparison.prediction.shape)
    axis = rank - 1 if comparison.loss == "ctc_loss" else min(1, rank - 1)
    return spread.exponential_sums[axis][1] if axis < len(spread.exponential_sums) else 0.0


def _proof(comparison: Comparison, spread: Spread) -> str:
    between = f"its values lie between {spread.minimum:.3g} and {spread.maximum:.3g}"
    if comparison.loss not in _ONE_OF_SEVERAL:
        return f"{between}; a log-probability is never above 0"
    most = _sum_over_classes(comparison, spread)
    return f"{between}, and e to the values of one sample sums to {most:.3g}; that of log-probabilities sums to 1"
