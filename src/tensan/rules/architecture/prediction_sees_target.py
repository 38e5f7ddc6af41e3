"""A model that predicts the next token of a sequence and can see it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.asks import Answer, Ask, Change, Intervention, Measure
from tensan.core.events.recorded import StepRecorded, Tokens
from tensan.core.events.things import Operation
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.shape.samples_mixed import RECURRENT, layer_of, origin_of

#: Change of earlier predictions, relative to how much predictions differ, from which on it counts.
_MOVED = 1e-5
#: Make a mask: the last of these before it is used is where it got its shape.
_MASK_MAKERS = frozenset({"triu", "tril", "compare", "masked_fill", "new", "where"})
_THROUGH = frozenset(
    {"view", "unsqueeze", "squeeze", "expand", "cast", "cast_integer", "copy", "slice", "alias", "transpose", "add", "where"}
)
#: Between a product of queries and keys and the product with the values.
_TO_WEIGHTS = _THROUGH | {"softmax", "matmul", "masked_fill", "mul", "div", "sub", "dropout"}


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered while a step is played again: the step, its sequence, and how many sequences are asked about."""

    recorded: StepRecorded
    tokens: Tokens
    several: int


class PredictionSeesTarget(Rule):
    """
    ## What it does
    Finds a model that is trained to predict the next element of the sequence it is given, and whose prediction changes when the elements
    after it are changed: no causal mask, one that is off by one, a recurrent layer that runs both ways, a convolution that reaches ahead.

    ## Why is this bad?
    The target of each position is part of the input and the model may look at it, so it learns to copy. The loss falls far below what is
    possible, and generation, where the future is not there, fails.

    ## Example
    ```python
    h = self.layer(self.embedding(x))                                  # predicts x[:, 1:]
    ```

    ## Use instead
    ```python
    mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
    h = self.layer(self.embedding(x), src_mask=mask, is_causal=True)
    ```

    ## Known problems
    Looks at whole-number sequences that are looked up in an embedding and whose targets, those that count, are the sequence itself one or
    two steps later. Where a second copy of the sequence is seen as a whole on purpose, as in copying from an encoder, it is silent.
    """

    code = "ARC101"
    name = "prediction-sees-target"
    category = Category.CORRECTNESS
    law = 6
    effect = "unmasked"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._answers: list[tuple[Question, Answer]] = []

    def on_step_recorded(self, recorded: StepRecorded) -> Iterator[Ask]:
        shifted = [tokens for tokens in recorded.tokens if tokens.shift and tokens.length > 2]
        self._answers.clear()
        for tokens in shifted:
            yield Ask(
                intervention=Intervention(change=Change.NOISE, subject=f"future:{tokens.operation}"),
                measure=Measure.OUTPUT,
                step=recorded.step,
                note=Question(recorded=recorded, tokens=tokens, several=len(shifted)),
            )

    def on_answer(self, answer: Answer) -> Iterator[Finding]:
        asked = answer.ask.note
        assert isinstance(asked, Question)
        self._answers.append((asked, answer))
        if len(self._answers) < asked.several:
            return
        answers, self._answers = self._answers, []
        if any(other.value is None for _, other in answers):
            return
        self.armed = True
        # The same sequence may be seen as a whole on another way; then only the one that must be causal tells.
        if all(other.value is not None and other.value > _MOVED and not other.details.get("routed") for _, other in answers):
            yield from self._tell(*answers[-1])

    def _tell(self, asked: Question, answer: Answer) -> Iterator[Finding]:
        recorded, tokens = asked.recorded, asked.tokens
        root = origin_of(recorded, answer)
        if root is None:
            return
        what, at, label, help_ = _mechanism(recorded, answer, root, tokens)
        since = answer.details.get("since")
        step = "one step" if tokens.shift == 1 else f"{tokens.shift} steps"
        yield self.finding(
            f"the model sees the tokens that it is to predict: {what}",
            at=at or root.site,
            event=recorded,
            label=label,
            evidence={"length": tokens.length, "earlier predictions moved by": answer.value},
            related=[("later positions reach earlier ones here", root.site)] if at is not None and at != root.site else (),
            proof=Proof.INTERVENTION,
            proof_note=f"changing the tokens from position {since} on changes the predictions before it, "
            f"and each target is the input {step} later",
            help=help_,
            subjects={"*"},
        )


def _mechanism(recorded: StepRecorded, answer: Answer, root: Operation, tokens: Tokens) -> tuple[str, Place, str, str]:
    layer = layer_of(root)
    if layer is not None and layer.kind in RECURRENT and layer.both_ways:
        return (
            f"a bidirectional `{layer.kind}` reads from the end",
            layer.made or root.site,
            "runs over the sequence in both directions",
            "make it with bidirectional=False",
        )
    if root.name == "convolution":
        return (
            "a convolution reaches into later positions",
            (layer.made if layer is not None else None) or root.site,
            "its padding is the same on both sides",
            "pad on the left only, by (kernel_size - 1) * dilation, or cut as much off the end",
        )
    mask = _mask(recorded, answer, root, tokens.length)
    if mask is not None:
        return (
            "the causal mask leaves later positions open",
            mask.site,
            "this mask lets later positions through",
            "forbid all that lies above the diagonal: `torch.triu(torch.ones(t, t, dtype=torch.bool), diagonal=1)` is True where "
            "attention is forbidden",
        )
    if root.name in ("attention", "matmul", "softmax"):
        return (
            "attention has no causal mask",
            root.site,
            "every position attends to all later ones",
            "pass a causal mask, such as `nn.Transformer.generate_square_subsequent_mask(t)` or `is_causal=True`",
        )
    return (
        f"`{root.name}` lets later positions in",
        root.site,
        "earlier positions depend on later ones from here on",
        "let each position depend on those before it only",
    )


def _mask(recorded: StepRecorded, answer: Answer, root: Operation, length: int) -> Operation | None:
    """Returns where the mask was made that the attention was given in vain."""
    operations = recorded.loss.operations
    way = answer.details.get("way")
    reached = set(way if isinstance(way, tuple) else ())
    weighed = False
    for index in sorted(reached | _scores_behind(operations, root)):
        operation = operations[index]
        for value in operation.inputs:
            square = len(value.shape) > 1 and value.shape[-1] == value.shape[-2] and abs(value.shape[-1] - length) <= 1
            if square and not value.requires_grad and value.producer >= 0 and value.producer not in reached:
                made = _maker(operations, value.producer)
                if made is not None:
                    return made
        if operation.name == "attention" or (weighed and operation.name == "matmul"):
            break
        weighed = weighed or operation.name == "softmax"
    return None


def _scores_behind(operations: tuple[Operation, ...], root: Operation) -> set[int]:
    """Returns what was done to scores before the change got out: a mask that hides the past hides where it came in, too."""
    found, waiting = set[int](), [root]
    while waiting:
        operation = waiting.pop()
        for value in operation.inputs:
            behind = operations[value.producer] if value.producer >= 0 and value.requires_grad else None
            if behind is None or behind.index in found or behind.name not in _TO_WEIGHTS:
                continue
            if behind.name != "matmul" or (len(behind.inputs) == 3 and behind.inputs[0].shape[-2:] == behind.outputs[0].shape[-2:]):
                found.add(behind.index)  # `baddbmm` adds the mask to the product
            if behind.name != "matmul":
                waiting.append(behind)
    return found


def _maker(operations: tuple[Operation, ...], index: int) -> Operation | None:
    """Follows a mask back to the operation that gave it its triangle."""
    while index >= 0:
        operation = operations[index]
        if operation.name in ("triu", "tril"):
            return operation
        if operation.name not in _MASK_MAKERS | _THROUGH or not operation.inputs:
            return operation if operation.name in _MASK_MAKERS else None
        # Of what is filled and where, the latter holds the triangle.
        sides = sorted(operation.inputs, key=lambda value: value.dtype != "bool")
        following = next((value.producer for value in sides if value.producer >= 0 and len(value.shape) > 1), -1)
        if following < 0:
            return operation
        index = following
    return None
