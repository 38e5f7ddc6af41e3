"""Attention that looks at padding although the program marks it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.asks import Answer, Ask, Change, Intervention, Measure
from tensan.core.events.recorded import StepRecorded, Tokens
from tensan.core.events.things import Operation
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.architecture.softmax_not_over_keys import weighings
from tensan.rules.loss._shared import softmax_axis
from tensan.rules.shape.samples_mixed import layer_of, origin_of
from tensan.rules.traces import downstream

#: Relative change of the loss from which on it counts; what a mask keeps out changes it by nothing at all.
_MOVED = 1e-7
#: Operations between scores and softmax, and between softmax and sum.
_NEAR, _NEAR_WEIGHTS = 40, 6
_MASKING = frozenset({"masked_fill", "where", "attention", "mul", "add"})
_THROUGH = frozenset({"view", "unsqueeze", "squeeze", "expand", "cast", "cast_integer", "copy", "slice", "alias", "transpose", "logical"})
_TO_SCORES = _THROUGH | {"masked_fill", "where", "mul", "add", "sub", "div"}


class Mask(msgspec.Struct, frozen=True, kw_only=True):
    """Where the program marks the padding.

    Attributes:
        made: the comparison that makes the mask; None where it was delivered with the batch.
        compared: the id that it compares with, where that occurs nowhere in the batch.
    """

    made: Operation | None = None
    compared: int | float | None = None


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered while a step is played again."""

    recorded: StepRecorded
    tokens: Tokens
    mask: Mask
    first: Answer | None = None


class PaddingAttended(Rule):
    """
    ## What it does
    Finds attention over padded sequences in which the padding takes part although the program marks it: the mask is made from an id that
    pads nothing, is the wrong way round, or never reaches the attention.

    ## Why is this bad?
    What stands at padded places is no data, yet each real token attends to it, more the shorter its sequence. Outputs change with the
    longest sequence of the batch, and nothing says so.

    ## Example
    ```python
    mask = ids == -100                                   # but rows are padded with 0
    a, _ = self.attention(h, h, h, key_padding_mask=mask)
    ```

    ## Use instead
    ```python
    mask = ids == 0
    a, _ = self.attention(h, h, h, key_padding_mask=mask)
    ```

    ## Known problems
    Speaks only where the padding can be told (rows that end or begin in one id that occurs nowhere else), where the program shows that
    it wants it masked (it compares with that id or builds a mask from lengths in the model's forward, or is given such a mask), and where
    attention is what lets the padding in. Recurrent layers, convolutions and poolings without a mask pass.
    """

    code = "ARC102"
    name = "padding-attended"
    category = Category.CORRECTNESS
    law = 6
    effect = "unmasked"

    def on_step_recorded(self, recorded: StepRecorded) -> Iterator[Ask]:
        for tokens in recorded.tokens:
            if tokens.padding:
                mask = _mask(recorded, tokens)
                if mask is not None:
                    yield _question(Question(recorded=recorded, tokens=tokens, mask=mask))

    def on_answer(self, answer: Answer) -> Iterator[Finding | Ask]:
        asked = answer.ask.note
        assert isinstance(asked, Question)
        if asked.first is not None:  # that padding is looked at is known; the second question is only how
            yield from self._tell(asked, asked.first, inverted=answer.value is not None and answer.value <= _MOVED)
            return
        if answer.value is None:
            return
        self.armed = True
        if answer.value > _MOVED and not answer.details.get("routed") and _is_attention(asked.recorded, answer):
            yield _question(msgspec.structs.replace(asked, first=answer))

    def _tell(self, asked: Question, answer: Answer, *, inverted: bool) -> Iterator[Finding]:
        recorded, tokens, mask = asked.recorded, asked.tokens, asked.mask
        root = origin_of(recorded, answer)
        assert root is not None
        root = _weights(recorded, root) or root
        made: Place = mask.made.site if mask.made is not None else None
        filler = f"id {tokens.filler}"
        applied = _applied(recorded, answer, root, mask.made) if mask.made is not None else None
        if mask.compared is not None:
            what, at = f"the mask looks for {mask.compared}, and rows are padded with {tokens.filler}", made
            label, help_ = f"{mask.compared} occurs nowhere; the padding is {tokens.filler}", f"compare with {tokens.filler}"
        elif inverted:
            what, at = "the mask is the wrong way round", made or root.site
            label = "padding is let in, and what is not padding is kept out"
            help_ = "turn the mask round: True means leave out in `key_padding_mask`, and take part in scaled_dot_product_attention"
        elif applied is not None:
            what, at = "the mask lets it in", applied.operation.site
            label = f"leaves the {tokens.padding} padded places ({filler}) open"
            help_ = "True means leave out in `key_padding_mask` and `masked_fill`, but take part in scaled_dot_product_attention"
            if applied.axis is not None:
                label = f"{list(applied.mask)} is the same all along axis {applied.axis}, over which the softmax runs"
                help_ = "mask the axis of the keys, and take the softmax over it"
                at = applied.softmax.site if applied.summed not in (None, applied.axis) else at
        else:
            what, at = "the mask does not reach it", root.site
            label = f"attends to the {tokens.padding} padded places ({filler}) as well"
            help_ = "hand the mask to the attention, as `key_padding_mask` or by `masked_fill(mask, -inf)` on the scores"
        proof = f"changing what the {tokens.padding} padded places hold changes the loss ({answer.value:.0e} of it)"
        if inverted and mask.compared is None:
            proof += "; changing the tokens of the same rows does not"
        others = [("the mask is made here", made), ("padding is attended to here", root.site)]
        yield self.finding(
            f"attention looks at padding: {what}",
            at=at,
            event=recorded,
            label=label,
            evidence={"padded places": tokens.padding, "rows": tokens.rows, "filler": tokens.filler},
            related=[(text, place) for text, place in others if place != at],
            proof=Proof.INTERVENTION,
            proof_note=proof,
            help=help_,
            subjects={"*"},
        )


def _question(asked: Question) -> Ask:
    return Ask(
        intervention=Intervention(
            change=Change.NOISE,
            subject=f"padding:{asked.tokens.operation}",
            settings={"real": True} if asked.first is not None else {},
        ),
        measure=Measure.LOSS,
        step=asked.recorded.step,
        note=asked,
    )


def _mask(recorded: StepRecorded, tokens: Tokens) -> Mask | None:
    """Finds what shows that the program wants the padding masked."""
    operations = recorded.loss.operations
    shapes = {(tokens.batch, tokens.length), (tokens.length, tokens.batch)}
    taken = operations[tokens.operation].inputs
    looked_up = _source(operations, taken[1].producer if len(taken) > 1 else -1)
    wrong = None
    for operation in operations[: recorded.forward_end]:
        if operation.name != "compare" or not operation.outputs or operation.outputs[0].shape not in shapes:
            continue
        constant = next((item for item in _arguments(operation) if isinstance(item, (int, float)) and not isinstance(item, bool)), None)
        if constant is None:
            if len(operation.inputs) == 2 and operation.inputs[0].shape != operation.inputs[1].shape:
                return Mask(made=operation)  # positions against lengths
            continue
        of_ids = operation.inputs[0].shape in shapes and _source(operations, operation.inputs[0].producer) == looked_up
        if not of_ids or not operation.inputs[0].dtype.startswith("int"):
            continue
        if constant == tokens.filler:
            return Mask(made=operation)
        if tokens.present and constant not in tokens.present and _masks(operations, operation):
            wrong = Mask(made=operation, compared=constant)
    return wrong or (Mask() if tokens.marked else None)


def _arguments(operation: Operation) -> tuple[object, ...]:
    arguments = operation.settings.get("arguments")
    return arguments if isinstance(arguments, tuple) else ()


def _source(operations: tuple[Operation, ...], index: int) -> int:
    while index >= 0 and operations[index].name in _THROUGH and operations[index].inputs:
        index = operations[index].inputs[0].producer
    return index


def _masks(operations: tuple[Operation, ...], made: Operation) -> bool:
    return any(operations[index].name in _MASKING for index in downstream(operations, [made.index]))


def _is_attention(recorded: StepRecorded, answer: Answer) -> bool:
    root = origin_of(recorded, answer)
    way = answer.details.get("way")
    if root is None or not isinstance(way, tuple):
        return False
    layer = layer_of(root)
    if layer is not None and layer.kind == "MultiheadAttention":
        return True
    names = {recorded.loss.operations[index].name for index in way if index <= root.index + _NEAR}
    return root.name in ("attention", "softmax") or (root.name == "matmul" and "softmax" in names) or _weights(recorded, root) is not None


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """Where a mask meets scores.

    Attributes:
        softmax: what the scores go into.
        axis: that of the softmax, where the mask is the same all along it, and so without effect.
        summed: the axis over which the weights are summed, where that is known.
    """

    operation: Operation
    mask: tuple[int, ...]
    softmax: Operation
    axis: int | None = None
    summed: int | None = None


def _applied(recorded: StepRecorded, answer: Answer, root: Operation, made: Operation) -> Applied | None:
    """Returns where a mask of the ids meets the scores of the attention that lets padding in; None where none does."""
    operations = recorded.loss.operations
    way = answer.details.get("way")
    near = [operations[index] for index in (way if isinstance(way, tuple) else ()) if root.index <= index <= root.index + _NEAR]
    start = next((operation for operation in [root, *near] if operation.name in ("softmax", "attention")), None)
    shape = made.outputs[0].shape
    comparisons = (each for each in operations[: recorded.forward_end] if each.name == "compare" and each.outputs)
    masks = [mask.index for mask in comparisons if mask.outputs[0].shape == shape]
    reached = set(downstream(operations, masks))
    waiting = [start] if start is not None else []
    while waiting and start is not None:
        operation = waiting.pop()
        mask = next((value for value in operation.inputs if not value.requires_grad and value.producer in reached), None)
        if mask is not None:
            summed = next((found.summed for found in weighings(operations) if found.softmax is start), None)
            return Applied(operation=operation, mask=mask.shape, softmax=start, axis=_alike(start, mask.shape), summed=summed)
        if operation is start or operation.name in _TO_SCORES:
            waiting += [operations[value.producer] for value in operation.inputs if value.requires_grad and value.producer >= 0]
    return None


def _alike(softmax: Operation, mask: tuple[int, ...]) -> int | None:
    """Returns the axis of a softmax where a mask of the scores is the same all along it."""
    axis, shape = softmax_axis(softmax) if softmax.name == "softmax" else None, softmax.inputs[0].shape
    return axis if axis is not None and len(mask) == len(shape) and mask[axis] == 1 < shape[axis] else None


def _weights(recorded: StepRecorded, root: Operation) -> Operation | None:
    """Returns the softmax whose weights are summed over the positions here."""
    if root.name not in ("sum", "matmul"):
        return None
    operations = recorded.loss.operations
    waiting = [(value.producer, 0) for value in root.inputs]
    while waiting:
        index, depth = waiting.pop()
        if index < 0 or depth > _NEAR_WEIGHTS:
            continue
        operation = operations[index]
        if operation.name == "softmax":
            return operation
        if operation.name in _THROUGH | {"mul", "dropout", "expand"}:
            waiting += [(value.producer, depth + 1) for value in operation.inputs]
    return None
