"""A model whose output for one sample depends on the other samples of the batch."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.asks import Answer, Ask, Change, Intervention, Measure
from tensan.core.events.recorded import Layer, StepRecorded
from tensan.core.events.things import Operation
from tensan.core.findings import Category, Finding, Proof
from tensan.core.operations import LAYOUT
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.axes import is_cut_anew

#: Smaller batches tell too little.
_LEAST_BATCH = 4
#: Change of another sample's output, relative to how much outputs differ, from which on it counts: all that is less is rounding.
_MOVED = 1e-5
RECURRENT = frozenset({"RNN", "LSTM", "GRU"})
_SOFTMAX = frozenset({"softmax", "log_softmax"})
#: Look at one sample from another, where they are not given each its own.
_MIXING = _SOFTMAX | {"attention", "recurrent"}
#: Statistics of the batch, as a normalisation written by hand takes them: they are meant.
_STATISTICS = frozenset({"mean", "var", "std", "sum", "batch_norm"})


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered while a step is played again."""

    recorded: StepRecorded
    first: Answer | None = None


class SamplesMixed(Rule):
    """
    ## What it does
    Finds a model in which a sample's output depends on other samples of its batch: values were reshaped where axes were to be swapped, a
    recurrent or attention layer takes the batch for its sequence, a loop runs over it, or a softmax or norm runs along the batch.

    ## Why is this bad?
    The shapes fit, no error is raised and the loss may even fall. But a prediction changes with its neighbours in the batch, which are
    drawn at random, and what the layer should have looked at, the sequence, is left out.

    ## Example
    ```python
    x = x.view(t, b, c)        # [b, t, c]: the values stay where they are in memory
    h, _ = self.rnn(x)
    ```

    ## Use instead
    ```python
    x = x.transpose(0, 1)
    h, _ = self.rnn(x)
    ```

    ## Known problems
    Speaks only where the samples were drawn at random or the targets show which axis is theirs, and where one of the mechanisms above
    does it. Batch norm, statistics of the batch taken by hand, pairs (`a @ b.T`), routing of tokens to experts and everything in the loss
    are taken for meant. Attention along the batch with nothing else to attend to is another rule's: `batch-as-sequence`.
    """

    code = "SHP102"
    name = "samples-mixed"
    category = Category.CORRECTNESS
    law = 6
    effect = "wrong-gradient"
    explains = frozenset({"unmasked", "scrambled"})

    def on_step_recorded(self, recorded: StepRecorded) -> Iterator[Ask]:
        if can_mix(recorded):
            yield question(recorded)

    def on_answer(self, answer: Answer) -> Iterator[Finding | Ask]:
        asked = answer.ask.note
        assert isinstance(asked, Question)
        if answer.value is None:
            return
        if asked.first is not None:
            if answer.value == 1.0:
                yield from self._tell(asked.recorded, asked.first, by_hand=True)
            return
        self.armed = True
        if answer.value <= _MOVED or answer.details.get("routed"):
            return
        origin = origin_of(asked.recorded, answer)
        if origin is None:
            return
        if mechanism(asked.recorded, answer) is not None:
            yield from self._tell(asked.recorded, answer)
        elif _is_attention(asked.recorded, answer):
            yield question(asked.recorded, first=answer)

    def _tell(self, recorded: StepRecorded, answer: Answer, *, by_hand: bool = False) -> Iterator[Finding]:
        root = origin_of(recorded, answer)
        assert root is not None
        what, at, label, help_ = (
            mechanism(recorded, answer)
            if not by_hand
            else (
                "attention runs along the batch",
                root.site,
                "each sample attends to the others, position by position",
                "put the sequence, not the batch, on the axes that are multiplied and normalised",
            )
        ) or ("", None, "", "")
        own = answer.details.get("own")
        moves = f"replacing sample 1 changes the output of {answer.details.get('others')} other samples"
        yield self.finding(
            f"the output for a sample depends on other samples of the batch: {what}",
            at=at or root.site,
            event=recorded,
            label=label,
            evidence={"batch": recorded.batch, "samples moved": answer.details.get("others"), "by": answer.value},
            related=[("the samples are mixed here", root.site)] if at is not None and at != root.site else (),
            proof=Proof.INTERVENTION,
            proof_note=moves + (", and not its own" if own == 0 else ""),
            help=help_,
            subjects={"*"},
        )


# ---- also asked by others -------------------------------------------------------------------------------------------


def can_mix(recorded: StepRecorded) -> bool:
    """Tells whether there is something in the model that could mix samples, and whether it would be noticed."""
    if recorded.batch < _LEAST_BATCH or not any(given.axis is not None and given.independent for given in recorded.given):
        return False
    return any(_may_mix(operation, recorded.batch) for operation in recorded.loss.operations[: recorded.forward_end])


def question(recorded: StepRecorded, *, first: Answer | None = None) -> Ask:
    """Asks what happens when a sample is replaced; with a first answer, whether positions are kept apart while samples are mixed."""
    settings: dict[str, object] = {} if first is None else {"position": 1, "until": first.details["operation"]}
    return Ask(
        intervention=Intervention(change=Change.REPLACE, subject="sample:1", settings=settings),
        measure=Measure.OUTPUT,
        step=recorded.step,
        note=Question(recorded=recorded, first=first),
    )


def origin_of(recorded: StepRecorded, answer: Answer) -> Operation | None:
    """Returns the operation where the samples are mixed."""
    index = answer.details.get("operation")
    return recorded.loss.operations[index] if isinstance(index, int) else None


def layer_of(operation: Operation) -> Layer | None:
    """Returns the framework's layer that made an operation."""
    layer = operation.settings.get("layer")
    return layer if isinstance(layer, Layer) and layer.kind else None


def attends_over_single(recorded: StepRecorded, answer: Answer) -> Layer | None:
    """Returns the attention layer that takes the batch for its sequence because the other axis has length one or is not there."""
    root = origin_of(recorded, answer)
    layer = layer_of(root) if root is not None else None
    if layer is None or layer.kind != "MultiheadAttention":
        return None
    shape = _entering(recorded, layer)
    return layer if shape is not None and (len(shape) < 3 or 1 in shape[:2]) else None


def mechanism(recorded: StepRecorded, answer: Answer) -> tuple[str, Place, str, str] | None:
    """Returns what mixes the samples, where, what stands under the carets and what helps; None where it may be meant."""
    root = origin_of(recorded, answer)
    if root is None:
        return None
    way = answer.details.get("way")
    operations = [recorded.loss.operations[index] for index in (way if isinstance(way, tuple) else ())]
    mixing = [operation for operation in operations if _mixes(operation)]
    if root.name == "slice" and layer_of(root) is None and _goes_on(recorded, answer):
        return (
            "a loop runs over the batch, and each sample goes on from the one before",
            root.site,
            f"takes one sample after the other out of {list(root.inputs[0].shape)}",
            "loop over the axis of time: `x.unbind(1)` or `x[:, t]` where the batch comes first",
        )
    axis = answer.details.get("axis")
    cuts = root.name == "view" and isinstance(axis, int) and is_cut_anew(root.inputs[0].shape, root.outputs[0].shape, axis)
    if not mixing and not cuts and any(operation.name in _STATISTICS for operation in operations):
        return None
    layer = layer_of(root)
    view = root if root.name == "view" and (mixing or cuts) else _swapping_view(recorded, root) or _cutting_view(recorded, root)
    if view is not None and (mixing or cuts):
        given, made = view.inputs[0].shape, view.outputs[0].shape
        return (
            f"`view` turns {list(given)} into {list(made)} and leaves every value where it is",
            view.site,
            f"samples are cut up: {list(given)} becomes {list(made)}",
            "swap axes with `transpose` or `permute`: `view` and `reshape` only cut the same row of values anew",
        )
    if layer is not None and layer.kind in RECURRENT:
        shape = _entering(recorded, layer)
        flag = "batch_first=False" if not layer.batch_first else "batch_first=True"
        fix = f"make the layer with batch_first={not layer.batch_first}, or swap the first two axes of what it gets"
        return (
            f"`{layer.kind}` takes the batch for its sequence",
            layer.made or root.site,
            f"{flag}, and it is given {list(shape)}" if shape else flag,
            fix if shape is None or len(shape) > 2 else "give the layer three axes: a matrix is taken for one sequence",
        )
    if layer is not None and layer.kind == "MultiheadAttention":
        if attends_over_single(recorded, answer) is not None:
            return None
        shape = _entering(recorded, layer)
        return (
            "attention takes the batch for its sequence",
            layer.made or root.site,
            f"batch_first={layer.batch_first}, and it is given {list(shape)}" if shape else f"batch_first={layer.batch_first}",
            f"make the layer with batch_first={not layer.batch_first}, or swap the first two axes of what it gets",
        )
    along = next((operation for operation in operations if _runs_along(operation, answer.details.get("axis"))), None)
    if along is root and along is not None:
        word = "softmax" if root.name in _SOFTMAX else "norm"
        return (
            f"a {word} runs along the batch",
            root.site,
            f"{word} over axis {answer.details.get('axis')}, which holds the samples",
            "name the axis of classes, features or keys: most often `dim=-1`",
        )
    return None


def _goes_on(recorded: StepRecorded, answer: Answer) -> bool:
    """Tells whether a sample moves those after it in the batch and none before it, as one step of a recurrence moves the later ones."""
    others = answer.details.get("others")
    return answer.details.get("before") == 0 and isinstance(others, int) and others >= recorded.batch // 2


def _mixes(operation: Operation) -> bool:
    layer = layer_of(operation)
    return operation.name in _MIXING or (layer is not None and layer.kind in RECURRENT)


def _may_mix(operation: Operation, batch: int) -> bool:
    if _mixes(operation) or (operation.name == "norm" and operation.outputs and operation.outputs[0].shape):
        return True
    if not operation.inputs or not operation.outputs or not operation.inputs[0].shape or not operation.outputs[0].shape:
        return False
    given, made = operation.inputs[0].shape, operation.outputs[0].shape
    if operation.name == "slice":
        return given[0] == batch and made == given[1:]  # one sample after the other
    if operation.name != "view" or given == made or 0 in given:
        return False
    cuts_samples = any(size == batch and is_cut_anew(given, made, axis) for axis, size in enumerate(given))
    return cuts_samples or (given[0] % batch == 0 and made[0] % batch != 0)


def _is_attention(recorded: StepRecorded, answer: Answer) -> bool:
    """Tells whether it is attention written by hand that mixes: scores, then a softmax."""
    root, way = origin_of(recorded, answer), answer.details.get("way")
    layer = layer_of(root) if root is not None else None
    if root is None or (layer is not None and layer.kind == "MultiheadAttention"):
        return False
    names = {recorded.loss.operations[index].name for index in (way if isinstance(way, tuple) else ())}
    return root.name == "attention" or (root.name in ("matmul", "softmax", "view") and bool(names & {"softmax", "attention"}))


def _runs_along(operation: Operation, axis: object) -> bool:
    if not isinstance(axis, int) or not operation.inputs:
        return False
    arguments = operation.settings.get("arguments")
    rank = len(operation.inputs[0].shape)
    if not isinstance(arguments, tuple) or not arguments:
        return False
    if operation.name in _SOFTMAX:
        dims = (arguments[0],)
    elif operation.name == "norm" and len(arguments) > 1:
        dims = arguments[1] if isinstance(arguments[1], tuple) else (arguments[1],)
    else:
        return False
    return any(isinstance(dim, int) and dim % max(rank, 1) == axis for dim in dims)


def _entering(recorded: StepRecorded, layer: Layer) -> tuple[int, ...] | None:
    """Returns the shape of what a layer was given."""
    inside = [operation for operation in recorded.loss.operations if layer_of(operation) == layer]
    members = {operation.index for operation in inside}
    for operation in inside:
        for value in operation.inputs:
            if value.producer not in members and not (value.subject or "").startswith("parameter") and len(value.shape) > 1:
                return value.shape
    return None


def _cutting_view(recorded: StepRecorded, root: Operation) -> Operation | None:
    """Returns a reshape behind a recurrent layer, which has its sequence first as it should, that takes that axis for the batch."""
    layer = layer_of(root)
    shape = _entering(recorded, layer) if layer is not None and layer.kind in RECURRENT else None
    if layer is None or shape is None or len(shape) < 3 or shape[int(bool(layer.batch_first))] == recorded.batch:
        return None
    for operation in recorded.loss.operations[root.index : recorded.forward_end]:
        if operation.name == "view" and layer_of(operation) != layer and operation.inputs and operation.outputs:
            given, made = operation.inputs[0].shape, operation.outputs[0].shape
            if len(given) > 2 and len(made) > 1 and given[0] != recorded.batch and (given[1], made[0]) == (recorded.batch, recorded.batch):
                return operation
    return None


def _swapping_view(recorded: StepRecorded, root: Operation) -> Operation | None:
    """Returns a reshape, on the way to the mixing, that exchanges the lengths of the first two axes but not the axes."""
    waiting, seen = [root.index], set()
    layer = layer_of(root)
    while waiting:
        index = waiting.pop()
        if index in seen or index < 0:
            continue
        seen.add(index)
        operation = recorded.loss.operations[index]
        if operation.name == "view" and operation.inputs and operation.outputs:
            given, made = operation.inputs[0].shape, operation.outputs[0].shape
            swapped = len(given) > 2 and len(made) == len(given) and given[:2] == made[1::-1] and given[0] != given[1]
            if swapped and given[2:] == made[2:]:
                return operation
        inside = layer is not None and layer_of(operation) == layer
        if inside or operation.name in LAYOUT | {"matmul", "embedding", "relu", "dropout"}:
            waiting += [value.producer for value in operation.inputs]
    return None
