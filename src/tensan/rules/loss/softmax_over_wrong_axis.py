"""A softmax over another axis than the one that holds the classes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tensan.core.asks import Change, fix
from tensan.core.events.things import Operation, Spread
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import ancestors
from tensan.core.rule import Rule
from tensan.rules.loss._shared import Comparison, about_one, comparisons, passes, place_of, softmax_axis, source
from tensan.rules.repairs import over_axis
from tensan.rules.traces import line_of


class SoftmaxOverWrongAxis(Rule):
    """
    ## What it does
    Finds a softmax or log-softmax on its way into the loss that was taken over one axis, while the loss or its targets have the
    classes on another: most often over the batch, `dim=0`.

    ## Why is this bad?
    Each class's scores are normalised over the samples of the batch. The samples compete with each other, the probabilities of one
    sample do not sum to one, and what is learned depends on who shares a batch; with a batch of one the prediction is a constant.

    ## Example
    ```python
    loss = F.nll_loss(F.log_softmax(model(x), dim=0), y)
    ```

    ## Use instead
    ```python
    loss = F.nll_loss(F.log_softmax(model(x), dim=1), y)
    ```

    ## Known problems
    Where the loss is written out by hand with class indices (`log_p[range(n), y]`), nothing says which axis holds the classes.
    """

    code = "LOS104"
    name = "softmax-over-wrong-axis"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-gradient"
    explains = frozenset({"wrong-gradient"})

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        for comparison in comparisons(loss):
            maker = source(loss.operations, comparison.prediction, also=frozenset({"log"}))
            if maker is None or maker.name not in ("softmax", "log_softmax") or not maker.inputs[0].requires_grad:
                continue
            taken, given = (loss.spreads[comparison.operation.index][position] for position in (comparison.taken, comparison.given))
            if taken is None or passes(loss.operations, comparison.prediction, maker, "slice"):
                continue
            if comparison.loss != "nll_loss":
                wrong = _by_targets(comparison, maker, given)
                maker = _over_samples(loss, comparison) or maker
            elif _gives_logarithms(loss, comparison, maker):
                wrong = _by_class_index(comparison, taken)
            else:
                continue  # probabilities without a logarithm are another mistake
            self.armed = True
            if wrong is not None:
                yield self._finding(loss, comparison.operation, maker, wrong)
        for taker, maker in _picks(loss):
            self.armed = True
            picked = _picked_along(taker)
            if picked is not None and picked != softmax_axis(maker):
                proof = f"one log-probability of each sample is picked along axis {picked}, over which they do not sum to 1"
                yield self._finding(loss, taker, maker, proof)

    def _finding(self, loss: Loss, taker: Operation, maker: Operation, proof_note: str) -> Finding:
        axis = softmax_axis(maker)
        apart = line_of(place_of(maker, taker)) != line_of(taker.site)
        over = f"axis {axis}" if axis is not None else "an axis"
        return self.finding(
            f"{maker.name} is taken over {over} of {maker.inputs[0]}, which does not hold the classes",
            at=place_of(maker, taker),
            event=loss,
            label="samples compete here, not classes" if axis == 0 else f"normalises over {over}",
            evidence={"input": str(maker.inputs[0]), "axis": axis if axis is not None else "?"},
            related=[("the loss has the classes on another axis", taker.site)] if apart else (),
            proof_note=proof_note,
            help=f"take the {maker.name} over the axis of the classes, `dim=1` for [batch, classes], `dim=-1` where they come last",
            repairs=over_axis(place_of(maker, taker), 1 - axis, maker.name) if axis in (0, 1) and len(maker.inputs[0].shape) == 2 else (),
            fix=fix(Change.REPLACE, "operation", operation=maker, axis=1 - axis)
            if axis in (0, 1) and len(maker.inputs[0].shape) == 2
            else None,
        )


def _over_samples(loss: Loss, comparison: Comparison) -> Operation | None:
    """Returns the softmax that made the targets, where it was taken over the samples: of two that do not fit, it is the wrong one."""
    made = source(loss.operations, comparison.target, also=frozenset({"log"}))
    over_samples = made is not None and made.name in ("softmax", "log_softmax") and len(made.inputs[0].shape) == 2
    return made if over_samples and made is not None and softmax_axis(made) == 0 else None


def _picks(loss: Loss) -> Iterator[tuple[Operation, Operation]]:
    """Yields where a loss that is written out picks from log-probabilities, one axis of which are the samples."""
    operations = loss.operations
    for index in sorted(ancestors(operations, [loss.value.producer])):
        taker = operations[index]
        if taker.settings.get("aten") not in ("aten::gather", "aten::index") or not taker.inputs or taker.inputs[0].producer < 0:
            continue
        maker = operations[taker.inputs[0].producer]
        shape = taker.inputs[0].shape
        if maker.name == "log_softmax" and maker.inputs[0].requires_grad and len(shape) == 2 and shape[0] != shape[1] and min(shape) > 1:
            yield taker, maker


def _picked_along(taker: Operation) -> int | None:
    """Returns the axis along which one entry of each row or column is picked; None where more or fewer are."""
    shape, indices = taker.inputs[0].shape, [value.shape for value in taker.inputs[1:]]
    if taker.settings.get("aten") == "aten::gather":
        arguments = taker.settings.get("arguments", ())
        axis = arguments[0] if isinstance(arguments, tuple) and arguments else None
        single = isinstance(axis, int) and len(indices) == 1 and len(indices[0]) == 2 and indices[0][axis] == 1
        return axis % 2 if single and isinstance(axis, int) and indices[0][1 - axis % 2] == shape[1 - axis % 2] else None
    if len(indices) != 2 or indices[0] != indices[1] or len(indices[0]) != 1:
        return None
    return 1 if indices[0][0] == shape[0] else 0 if indices[0][0] == shape[1] else None


def _gives_logarithms(loss: Loss, comparison: Comparison, maker: Operation) -> bool:
    if passes(loss.operations, comparison.prediction, maker, "clamp"):
        return False  # its sums need not be one
    return maker.name == "log_softmax" or passes(loss.operations, comparison.prediction, maker, "log")


def _by_class_index(comparison: Comparison, taken: Spread) -> str | None:
    """Compares with the axis that `nll_loss` picks from."""
    axis = min(1, len(comparison.prediction.shape) - 1)
    if axis >= len(taken.exponential_sums) or len(comparison.prediction.shape) < 2:
        return None
    sums = taken.exponential_sums[axis]
    if not all(map(math.isfinite, sums)) or about_one(sums, dtype=comparison.prediction.dtype):
        return None
    return (
        f"`nll_loss` picks along axis {axis}, where the probabilities of a sample sum to {sums[0]:.3g} at least and {sums[1]:.3g} at most"
    )


def _by_targets(comparison: Comparison, maker: Operation, given: Spread | None) -> str | None:
    """Compares with the axis along which the targets are probabilities."""
    axis = softmax_axis(maker)
    if given is None or axis is None or maker.outputs[0].shape != comparison.target.shape or given.minimum < 0:
        return None
    if axis >= len(given.sums) or about_one(given.sums[axis]):
        return None
    others = [other for other, sums in enumerate(given.sums) if about_one(sums) and comparison.target.shape[other] > 1]
    if not others or min(given.sums[axis]) == max(given.sums[axis]):
        return None
    least, most = given.sums[axis]
    if not math.isfinite(least) or not math.isfinite(most):
        return None
    return (
        f"the targets sum to 1 over axis {others[0]}, and to values between {least:.3g} and {most:.3g} over axis {axis}, "
        f"which the {maker.name} was taken over"
    )
