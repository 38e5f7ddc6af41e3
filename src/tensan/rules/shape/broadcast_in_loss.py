"""A loss that compares every prediction with every target because their ranks differ."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import msgspec

from tensan.core.asks import UNCHANGED, Answer, Ask, Change, Intervention, Measure, fix
from tensan.core.edits import Repair
from tensan.core.events.things import Operation, Shape, Value, typed
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding, Proof
from tensan.core.operations import (
    ELEMENTWISE,
    EXPAND,
    LAYOUT,
    PAIRED_LOSS,
    POINTWISE,
    REDUCTION,
    ancestors,
    broadcast,
    broadcast_grows_both,
)
from tensan.core.provenance import maker
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.repairs import squeezed
from tensan.rules.traces import reaches
from tensan.rules.wording import operands

#: What may lie between the comparison and the loss; a contraction or a softmax there means that all pairs are wanted.
_TAIL = ELEMENTWISE | POINTWISE | REDUCTION | LAYOUT | EXPAND | PAIRED_LOSS | {"concatenate"}
_VERBS = {"mul": ("multiplies", "by", "products"), "div": ("divides", "by", "quotients")}


class Suspicion(msgspec.Struct, frozen=True, kw_only=True):
    """An operation that grows both of its operands: what the rule remembers while it waits for an answer.

    Attributes:
        left, right: the operands as the program passed them; grown is the shape they become, meant the number of values in each.
        given: the operand without gradient, as `operation:INDEX:POSITION`.
        begin: the first operation that must be played again for an answer.
    """

    loss: Loss
    operation: Operation
    left: Value
    right: Value
    grown: Shape
    meant: int
    given: str
    begin: int


class BroadcastInLoss(Rule):
    """
    ## What it does
    Finds an elementwise operation on the way to the loss whose two operands, one predicted and one given, differ in rank
    and repeat each other: `[64, 1]` and `[64]` become `[64, 64]`.

    ## Why is this bad?
    Every prediction is compared with every target. The loss falls, but only until the model predicts the mean of the batch; no
    error is raised, and the shape of the loss is the right one again after the mean. Sample weights of shape `[64]` on a loss of
    shape `[64, 1]` cancel out in the same way.

    ## Example
    ```python
    prediction = model(x)                      # [64, 1]
    loss = ((prediction - y) ** 2).mean()      # y is [64]: 4096 differences
    ```

    ## Use instead
    ```python
    prediction = model(x).squeeze(1)           # [64]
    loss = ((prediction - y) ** 2).mean()      # 64 differences
    ```

    ## Known problems
    Pairwise terms are taken for meant, and pass, where both sides have one rank (`a[:, None] - b[None, :]`, `a - a.T`), where
    the column was made by hand between the forward and the loss (`a[:, None] - b`, `keepdim=True`), or where both sides
    receive gradient. A single-output prediction `[8, 1]` that meets a fixed row of exactly 8 thresholds in a batch of 8 is
    accused wrongly.
    """

    code = "SHP101"
    name = "broadcast-in-loss"
    category = Category.CORRECTNESS
    law = 5
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._proofs: dict[Place, tuple[Proof, str]] = {}

    def on_loss(self, loss: Loss) -> Iterator[Finding | Ask]:
        operations, goal = loss.operations, loss.value.producer
        for index in sorted(ancestors(operations, [goal])):
            operation = operations[index]
            pair = _pair(operation)
            if pair is None:
                continue
            self.armed = True
            suspicion = _suspicion(loss, operation, *pair)
            if suspicion is None or not reaches(operations, index, goal, through=_TAIL):
                continue
            known = self._proofs.get(operation.site)
            if known is not None:
                yield self._told(suspicion, *known)
            else:
                yield _question(suspicion)

    def on_answer(self, answer: Answer) -> Iterator[Finding]:
        suspicion = answer.ask.note
        assert isinstance(suspicion, Suspicion), suspicion
        left, right = suspicion.left, suspicion.right
        if answer.value is not None and answer.value < UNCHANGED:
            what = "predictions are not matched with their targets" if suspicion.operation.name not in _VERBS else "samples are not matched"
            proof = Proof.INTERVENTION, f"permuting the side without gradient leaves the gradient unchanged ({answer.value:.0e}): {what}"
        else:
            proof = Proof.LAW, f"rank {len(left.shape)} meets rank {len(right.shape)}, and each side is repeated along an axis of the other"
        if len(left.shape) == len(right.shape) and proof[0] is Proof.LAW:
            proof = Proof.LAW, "a loss of paired values gets two shapes that are each repeated along an axis of the other"
        self._proofs[suspicion.operation.site] = proof
        yield self._told(suspicion, *proof)

    def _told(self, suspicion: Suspicion, proof: Proof, proof_note: str) -> Finding:
        operation, left, right = suspicion.operation, suspicion.left, suspicion.right
        verb, joint, things = _VERBS.get(operation.name, ("compares", "with", "differences"))
        predicted = left if left.requires_grad else right
        names = operands(operation.site)
        called: dict[str, str] = dict(zip(("left", "right"), names, strict=True)) if names else {}
        predicted_name = called.get("left" if predicted is left else "right")
        made_by, made_at = maker(suspicion.loss, predicted)
        return self.finding(
            f"loss {verb} {left} {joint} {right}, which broadcasts to {typed(predicted.dtype, suspicion.grown)}",
            at=operation.site,
            event=suspicion.loss,
            label=f"{prod(suspicion.grown)} {things} where {suspicion.meant} were meant",
            evidence={"left": str(left), "right": str(right), "result": typed(predicted.dtype, suspicion.grown)},
            related=[(f"{_quoted(predicted_name, 'the prediction')} is {predicted}, made by {made_by}", made_at)],
            proof=proof,
            proof_note=proof_note,
            help=_help(left, right, called),
            repairs=_repairs(operation.site, left, right) if called else (),
            fix=fix(Change.SQUEEZE, "operation", operation=operation),
        )


def _pair(operation: Operation) -> tuple[int, int] | None:
    """Positions of the two operands, where one of them receives gradient and the other does not."""
    if operation.name not in ELEMENTWISE | PAIRED_LOSS or len(operation.inputs) < 2:
        return None
    first, second = (1, 2) if operation.name == "where" and len(operation.inputs) == 3 else (0, 1)
    if operation.inputs[first].requires_grad == operation.inputs[second].requires_grad:
        return None
    return first, second


def _suspicion(loss: Loss, operation: Operation, first: int, second: int) -> Suspicion | None:
    (left, *left_place), (right, *right_place) = _before_expansion(loss, operation, first), _before_expansion(loss, operation, second)
    meant = _without_ones(left.shape)
    if not broadcast_grows_both(left.shape, right.shape) or meant != _without_ones(right.shape):
        return None
    if any((value.subject or "").startswith("parameter") for value in (left, right)):
        return None  # a bias, or a table of positions
    # Losses of paired values expand both sides themselves before they subtract; a plain subtraction leaves that to the kernel.
    paired = operation.name in PAIRED_LOSS or (left is not operation.inputs[first] and right is not operation.inputs[second])
    same_rank = len(left.shape) == len(right.shape)
    by_hand = any(_column_by_hand(loss, value) for value in (left, right))
    if same_rank and (not paired or by_hand):
        return None
    if by_hand and not paired:
        return None
    index, position = right_place if left.requires_grad else left_place
    return Suspicion(
        loss=loss,
        operation=operation,
        left=left,
        right=right,
        grown=broadcast(left.shape, right.shape),
        meant=prod(meant),
        given=f"operation:{index}:{position}",
        begin=min(left_place[0], right_place[0]),
    )


def _question(suspicion: Suspicion) -> Ask:
    return Ask(
        intervention=Intervention(change=Change.PERMUTE, subject=suspicion.given, settings={"begin": suspicion.begin}),
        measure=Measure.GRADIENT,
        step=suspicion.loss.step,
        note=suspicion,
    )


def _before_expansion(loss: Loss, operation: Operation, position: int) -> tuple[Value, int, int]:
    """Returns what the program itself passed, and the operation and position that took it.

    An expansion at the operation's own place was made by the loss, not by the program.
    """
    value, taker = operation.inputs[position], operation.index
    while value.producer >= 0:
        producer = loss.operations[value.producer]
        if producer.name not in EXPAND or producer.site != operation.site or not producer.inputs:
            break
        value, taker, position = producer.inputs[0], producer.index, 0
    return value, taker, position


def _column_by_hand(loss: Loss, value: Value) -> bool:
    """Tells whether the axis of length one was written by the program between forward and loss, so that pairs are meant."""
    while value.producer >= 0:
        operation = loss.operations[value.producer]
        if operation.name not in POINTWISE | ELEMENTWISE | LAYOUT | EXPAND | REDUCTION or not operation.inputs:
            return False
        same = [given for given in operation.inputs if given.shape == value.shape]
        if same and operation.name not in EXPAND | REDUCTION:
            value = next((given for given in same if given.requires_grad), same[0])
            continue
        source = operation.inputs[0].shape
        if operation.name in EXPAND or operation.name in ("unsqueeze", "transpose"):
            return True
        if operation.name in REDUCTION:
            return len(source) == len(value.shape) and prod(source) > prod(value.shape)
        return operation.name in LAYOUT and len(source) < len(value.shape)
    return False


def _without_ones(shape: Shape) -> Shape:
    return tuple(size for size in shape if size != 1)


def _quoted(name: str | None, otherwise: str) -> str:
    return f"`{name}`" if name else otherwise


def _help(left: Value, right: Value, called: dict[str, str]) -> str:
    """Names the two ways to give both sides one shape, in the program's own words where they are known."""
    long, short = (left, right) if len(left.shape) > len(right.shape) else (right, left)
    if len(long.shape) == len(short.shape):
        return "give both sides one shape, axis by axis"
    long_name = called.get("left" if long is left else "right", f"the {long} side")
    short_name = called.get("left" if short is left else "right", f"the {short} side")
    if len(long.shape) - len(short.shape) != 1:
        return f"give both sides one shape: reshape {long_name} to {list(short.shape)}"
    axis = next(position for position in reversed(range(len(long.shape))) if long.shape[position] == 1)
    if called:
        return f"give both sides one shape: `{_callable(long_name)}.squeeze({axis})` or `{_callable(short_name)}.unsqueeze({axis})`"
    return f"give both sides one shape: `.squeeze({axis})` on {long_name} or `.unsqueeze({axis})` on {short_name}"


def _repairs(site: Place, left: Value, right: Value) -> tuple[Repair, ...]:
    long, short = (left, right) if len(left.shape) > len(right.shape) else (right, left)
    if len(long.shape) - len(short.shape) != 1:
        return ()
    axis = next(position for position in reversed(range(len(long.shape))) if long.shape[position] == 1)
    return squeezed(site, axis, second=long is right)


def _callable(text: str) -> str:
    """Puts an operand in brackets where an attribute would bind to its last part only."""
    simple = text.replace("_", "").replace(".", "").isalnum() or text.endswith((")", "]"))
    return text if simple else f"({text})"
