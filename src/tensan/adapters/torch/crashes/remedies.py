"""The nearest edits after which a failed operation runs: of an operand, of a layer's width, of the operation itself."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from tensan.adapters.torch.crashes.expressions import UNKNOWN, Reader
from tensan.adapters.torch.crashes.failures import LOSSES, VIEWS, Failure, Operand
from tensan.adapters.torch.crashes.forwards import given_by
from tensan.adapters.torch.crashes.layers import INPUT_WIDTHS, OUTPUT_WIDTHS, as_operation, signature_of, width_name
from tensan.adapters.torch.crashes.makers import Makers
from tensan.adapters.torch.crashes.settings import of_settings, resized, with_setting
from tensan.adapters.torch.crashes.trials import quiet, shaped
from tensan.core.edits import Repair, replacing

#: Layers that take and give the channels as the second axis.
_CHANNELS_SECOND = (torch.nn.modules.conv._ConvNd, torch.nn.modules.batchnorm._BatchNorm, torch.nn.modules.pooling._MaxPoolNd)
#: Edits that are offered.
MOST_OFFERED = 3
_CASTS = {
    torch.int64: ".long()",
    torch.float32: ".float()",
    torch.float16: ".half()",
    torch.float64: ".double()",
    torch.bfloat16: ".bfloat16()",
}

Change = Callable[[Any], Any]
Candidate = tuple[float, Repair, Callable[[], bool]]


def repairs_of(failure: Failure, makers: Makers, *, problem: str) -> tuple[Repair, ...]:
    """Returns the nearest edits with which the operation has been seen to run, the nearest first."""
    candidates: list[Candidate] = []
    if problem == "dtype":
        candidates += _casts(failure, makers)
    elif problem == "index":
        candidates += _indices(failure, makers)
    else:
        candidates += [
            *_of_call(failure, makers),
            *_of_operands(failure, makers),
            *_of_layer(failure, makers),
            *of_settings(failure, makers),
            *_of_makers(failure, makers),
            *_between(failure),
            *_of_one_sample(failure, makers),
        ]
    found: list[Repair] = []
    for _, repair, trial in sorted(candidates, key=lambda item: item[0]):
        if len(found) < MOST_OFFERED and all(_kind(repair) != _kind(other) for other in found) and _passes(trial):
            found.append(repair)
    return tuple(found)


def _kind(repair: Repair) -> str:
    """Returns what an edit does; of the orders that axes can be put in only the nearest is worth a line."""
    name, permuted, _ = repair.text.partition(".permute(")
    return name + permuted if permuted else repair.text


def _passes(trial: Callable[[], bool]) -> bool:
    try:
        return trial()
    except Exception:  # noqa: BLE001 - an edit that cannot be tried is not offered
        return False


# ---- operands ----


def _changes(tensor: Any, rank: int, kind: str, is_second: bool) -> Iterator[tuple[float, str, Change]]:
    """Yields cost, text and function of what can be done to an operand's shape."""
    shape, dims = tuple(tensor.shape), tensor.dim()
    for axis, size in enumerate(shape):
        if size == 1:
            yield 1.0 + (axis == 0), f".squeeze({axis})", lambda item, axis=axis: item.squeeze(axis)
    for axis in range(dims + 1):
        yield 1.1 + (axis == 0) * 0.5, f".unsqueeze({axis})", lambda item, axis=axis: item.unsqueeze(axis)
    if dims >= 2 and kind in ("@", "matmul", "bmm", "mm", "baddbmm"):
        yield (0.8 if is_second else 0.9), ".transpose(-2, -1)", lambda item: item.transpose(-2, -1)
    elif 3 <= dims <= 4:
        usual = {(0, 2, 1): 1.0, (0, 3, 1, 2): 1.0, (0, 2, 3, 1): 1.05, (0, 2, 1, 3): 1.2, (0, 1, 3, 2): 1.4, (1, 0, 2): 3.0}
        for order in itertools.permutations(range(dims)):
            if order in usual:
                yield usual[order], f".permute{order}", lambda item, order=order: item.permute(order)
    elif dims == 2:
        yield 4.0, ".transpose(0, 1)", lambda item: item.transpose(0, 1)
    if dims > 2:
        yield 1.5, ".flatten(1)", lambda item: item.flatten(1)
    if rank - dims >= 2 and dims >= 1:
        for kept in itertools.combinations(range(rank), dims):
            index = tuple(slice(None) if axis in kept else None for axis in range(rank))
            text = ", ".join(":" if item is not None else "None" for item in index)
            yield 1.2 + 0.3 * (kept[0] != 0) + 0.2 * (kept[-1] != rank - 1), f"[{text}]", lambda item, index=index: item[index]


def _first_of_several(failure: Failure, makers: Makers) -> Iterator[Candidate]:
    first, *_ = failure.arguments["args"]
    node = makers.argument_node(failure.user, 0, "input") if failure.operands[0].node is not None else None
    path = makers.steps[failure.user].path
    repair = (
        Repair(text=f"{ast.unparse(node)}[0]", edits=(replacing(path, node, f"{ast.unparse(node)}[0]"),))
        if node is not None and not isinstance(node, ast.Tuple)
        else Repair(text=f"a layer between that hands on the first of the {len(first)} values that it is given: `values[0]`")
    )
    yield 0.5, repair, lambda: failure.gives({"args": [first[0]], "kwargs": failure.arguments["kwargs"]})


def _of_operands(failure: Failure, makers: Makers) -> Iterator[Candidate]:
    rank = max((operand.value.dim() for operand in failure.operands), default=0)
    if isinstance(failure.layer, torch.nn.modules.conv._ConvNd):
        rank = max(rank, failure.layer.weight.dim())
    for number, operand in enumerate(failure.operands):
        if operand.node is None or (failure.kind in VIEWS) or (len(operand.path) > 1 and not _is_written(failure, operand)):
            continue
        is_own = isinstance(operand.value, torch.nn.Parameter)
        in_order = _keeps_order(failure, operand)
        for cost, text, change in _changes(operand.value, rank, failure.kind, number > 0):
            cost += 2 * is_own + 2 * (in_order and ".permute" in text)
            yield cost, _on_operand(failure, makers, operand, text), _trial(failure, operand, change)
        yield from _cropped(failure, makers, operand)
        yield from _cut_table(failure, makers, operand, number)
        yield from _cut_into_rows(failure, makers, operand)
        yield from _resampled(failure, makers, operand)
    if failure.given_several and not failure.arguments["args"][1:]:
        yield from _first_of_several(failure, makers)


def _keeps_order(failure: Failure, operand: Operand) -> bool:
    """Tells whether an operand comes from a layer that has its axes in the order in which the failing one wants them."""
    maker = operand.maker.layer if operand.maker is not None else None
    return isinstance(failure.layer, _CHANNELS_SECOND) and isinstance(maker, _CHANNELS_SECOND)


def _is_written(failure: Failure, operand: Operand) -> bool:
    return isinstance(failure.call, ast.Call) and any(operand.node in getattr(arg, "elts", ()) for arg in failure.call.args)


def _cropped(failure: Failure, makers: Makers, operand: Operand) -> Iterator[Candidate]:
    """Yields that an operand is cut to the size of another one."""
    for other in failure.operands:
        mine, theirs = tuple(operand.value.shape), tuple(other.value.shape)
        if other is operand or len(mine) != len(theirs):
            continue
        axes = [axis for axis in range(len(mine)) if mine[axis] > theirs[axis] > 1]
        if failure.joins:
            joined = _axis_of(failure)
            axes = [axis for axis in axes if axis != joined]
        if not (failure.is_elementwise or failure.joins):
            continue
        if not axes:
            continue
        index = tuple(slice(theirs[axis]) if axis in axes else slice(None) for axis in range(max(axes) + 1))
        text = ", ".join(":" if item.stop is None else f":{item.stop}" for item in index)
        is_table = isinstance(operand.node, ast.Attribute)
        cost = 1.0 if is_table else 1.5 if min(axes) >= 2 and not failure.is_classification else 4.0
        yield cost, _on_operand(failure, makers, operand, f"[{text}]"), _trial(failure, operand, lambda item, index=index: item[index])


def _cut_table(failure: Failure, makers: Makers, operand: Operand, number: int) -> Iterator[Candidate]:
    """Yields that a table which was made for the longest input, such as a mask, is cut to the size of this one."""
    is_result = isinstance(operand.node, ast.Call) or (operand.maker is not None and operand.maker.layer is not None)
    if (
        failure.is_elementwise
        or is_result
        or (failure.is_classification and operand.value.dim() > 2)
        or not (number or isinstance(operand.node, ast.Attribute))
    ):
        return
    shape = tuple(operand.value.shape)
    for size in sorted({size for other in failure.operands if other is not operand for size in other.value.shape}, reverse=True):
        for longer in sorted({length for length in shape if length > size > 1}):
            index = tuple(slice(size) if length == longer else slice(None) for length in shape)
            text = ", ".join(":" if item.stop is None else f":{item.stop}" for item in index)
            yield 1.3, _on_operand(failure, makers, operand, f"[{text}]"), _trial(failure, operand, lambda item, index=index: item[index])


def _cut_into_rows(failure: Failure, makers: Makers, operand: Operand) -> Iterator[Candidate]:
    """Yields that what was flattened over the whole batch is cut into samples again, as wide as the layer that reads them."""
    name = width_name(failure.layer, INPUT_WIDTHS) if failure.layer is not None else ""
    width = getattr(failure.layer, name) if name else None
    shape = tuple(operand.value.shape)
    if isinstance(width, int) and len(shape) == 1 and shape[0] > width > 1 and shape[0] % width == 0:
        suffix = f".reshape(-1, {width})"
        yield 0.9, _on_operand(failure, makers, operand, suffix), _trial(failure, operand, lambda item: item.reshape(-1, width))


def _resampled(failure: Failure, makers: Makers, operand: Operand) -> Iterator[Candidate]:
    """Yields that maps of another height and width are brought to those of the other operand."""
    value = operand.value
    compares = failure.is_classification or failure.joins or failure.kind in LOSSES
    if value.dim() != 4 or not value.dtype.is_floating_point or not compares:
        return
    for other in failure.operands:
        size = tuple(other.value.shape[-2:])
        if other is operand or other.value.dim() < 3 or other.node is None or size == tuple(value.shape[-2:]):
            continue
        assert operand.node is not None
        text = f"torch.nn.functional.interpolate({ast.unparse(operand.node)}, size={ast.unparse(other.node)}.shape[-2:])"
        repair = Repair(text=text, edits=(replacing(makers.steps[failure.user].path, operand.node, text),))
        cost = 1.4 if failure.is_classification else 1.6
        yield cost, repair, _trial(failure, operand, lambda item, size=size: torch.nn.functional.interpolate(item, size=size))


def _trial(failure: Failure, operand: Operand, change: Change) -> Callable[[], bool]:
    def trial() -> bool:
        with quiet():
            changed = change(operand.value.detach() if not operand.value.is_meta else operand.value)
        return failure.gives(failure.replaced(operand, changed))

    return trial


def _on_operand(failure: Failure, makers: Makers, operand: Operand, suffix: str) -> Repair:
    node, path = operand.node, makers.steps[failure.user].path
    assert node is not None
    name = ast.unparse(node)
    whole = name if isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({name})"
    return Repair(text=f"{whole}{suffix}", edits=(replacing(path, node, f"{whole}{suffix}"),))


def _casts(failure: Failure, makers: Makers) -> Iterator[Candidate]:
    kinds = {operand.value.dtype for operand in failure.operands} | {torch.int64, torch.float32}
    if failure.layer is not None:
        kinds |= {tensor.dtype for tensor in failure.layer.parameters()}
    for number, operand in enumerate(failure.operands):
        for dtype in kinds & _CASTS.keys():
            if dtype == operand.value.dtype or operand.node is None:
                continue
            cost = (dtype is torch.float64) * 2 + (dtype is torch.float16) + (number == 0 and len(failure.operands) > 1) * 0.5
            text = _CASTS[dtype]
            yield cost, _on_operand(failure, makers, operand, text), _trial(failure, operand, lambda item, dtype=dtype: item.to(dtype))


# ---- widths ----


def _of_layer(failure: Failure, makers: Makers) -> Iterator[Candidate]:
    layer = failure.layer
    name = width_name(layer, INPUT_WIDTHS) if layer is not None else ""
    if not name or not failure.operands:
        return
    shape = tuple(failure.operands[0].value.shape)
    for axis in (-1, 1, 0, 2):
        if -len(shape) <= axis < len(shape):
            cost = 2.0 + 0.5 * (axis == 0) + 0.1 * (axis == 2)
            yield cost, resized(makers, layer, name, shape[axis]), _with_width(failure, name, shape[axis])


def _with_width(failure: Failure, name: str, size: int) -> Callable[[], bool]:
    changes: dict[str, Any] = {name: size}
    if name == "normalized_shape":
        changes = {name: (size,)}
    if name == "embed_dim":
        for other in ("kdim", "vdim"):
            if getattr(failure.layer, other, None) == failure.layer.embed_dim:
                changes[other] = size
    return lambda: failure.gives(operation=as_operation(failure.layer, **changes))


def _of_makers(failure: Failure, makers: Makers) -> Iterator[Candidate]:
    """Yields that the layer which made an operand gets another output width."""
    for operand in failure.operands:
        layer = operand.maker.layer if operand.maker is not None else None
        name = width_name(layer, OUTPUT_WIDTHS) if layer is not None else ""
        axis = -1 if name != "out_channels" else 1
        shape = tuple(operand.value.shape)
        if not name or len(shape) < 2 or shape[axis] != getattr(layer, name):
            continue
        wanted = {size for other in failure.operands if other is not operand for size in other.value.shape[1:] or (1,)}
        if failure.layer is not None and (given := width_name(failure.layer, INPUT_WIDTHS)):
            held = getattr(failure.layer, given)
            wanted.add(held[-1] if isinstance(held, tuple) else held)
        if isinstance(failure.layer, (torch.nn.RNNBase, torch.nn.RNNCellBase)) and operand is not failure.operands[0]:
            wanted.add(failure.layer.hidden_size)  # a state that is handed in
        for size in sorted(wanted - {shape[axis]}):
            changed = list(shape)
            changed[axis] = size
            with quiet():
                new = torch.empty(changed, dtype=operand.value.dtype, device="meta")
            far = 0.0 if operand.node is not None and isinstance(operand.maker and operand.maker.made, object) else 0.5
            own = operand.maker is not None and operand.maker.made is not None
            cost = 2.2 + far + 0.4 * (not own) + 0.1 * operand.path[0] if isinstance(operand.path[0], int) else 2.2
            yield cost, resized(makers, layer, name, size), lambda operand=operand, new=new: failure.gives(failure.replaced(operand, new))


def _between(failure: Failure) -> Iterator[Candidate]:
    """Yields that a layer in front of a linear one brings what it is given to its width."""
    layer = failure.layer
    if not isinstance(layer, torch.nn.Linear) or not failure.operands or failure.given_several:
        return
    operand, wanted = failure.operands[0], layer.in_features
    shape = tuple(operand.value.shape)
    if len(shape) < 2 or shape[-1] == wanted or not operand.value.dtype.is_floating_point:
        return
    with quiet():
        new = torch.empty((*shape[:-1], wanted), dtype=operand.value.dtype, device="meta")
    yield 2.8, Repair(text=f"`nn.Linear({shape[-1]}, {wanted})` in front of it"), lambda: failure.gives(failure.replaced(operand, new))


# ---- the batch ----


def _of_one_sample(failure: Failure, makers: Makers) -> Iterator[Candidate]:
    """Yields that a model is given a batch of one: its convolutions take a single sample too, and what comes after them does not."""
    for at in range(failure.user, -1, -1):
        step = makers.steps[at]
        call = step.node() if step.is_users else None
        model: Any = Reader(step).value(call.func) if isinstance(call, ast.Call) else None
        if not isinstance(model, torch.nn.Module) or model is failure.layer or not isinstance(call, ast.Call):
            continue
        called = Reader(step).call(call)
        if called is None or not call.args or isinstance(call.args[0], ast.Starred):
            continue
        _, args, kwargs = called
        first = next((part for part in model.modules() if isinstance(part, torch.nn.modules.conv._ConvNd)), None)
        if first is None or not isinstance(args[0], torch.Tensor) or args[0].dim() != first.weight.dim() - 1:
            continue
        name = ast.unparse(call.args[0])
        whole = name if isinstance(call.args[0], (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({name})"
        text = f"{whole}.unsqueeze(0)"
        with quiet():
            batch = shaped(args[0]).unsqueeze(0)
        repair = Repair(text=text, edits=(replacing(step.path, call.args[0], text),))
        yield 0.4, repair, lambda model=model, batch=batch, args=args, kwargs=kwargs: _runs(model, [batch, *args[1:]], kwargs)


def _runs(model: Any, args: list[Any], kwargs: dict[str, Any]) -> bool:
    return given_by(model, args, kwargs) is not UNKNOWN


# ---- indices ----


def _indices(failure: Failure, makers: Makers) -> Iterator[Candidate]:
    whole = [operand for operand in failure.operands if not operand.value.dtype.is_floating_point and operand.value.numel()]
    if not whole:
        return
    ids = whole[-1]
    with quiet():
        least, most = int(ids.value.min()), int(ids.value.max())
    if failure.layer is not None and hasattr(failure.layer, "num_embeddings") and least >= 0:
        name = "num_embeddings"
        yield (
            1.0,
            resized(makers, failure.layer, name, most + 1),
            lambda: failure.gives(operation=as_operation(failure.layer, **{name: most + 1})),
        )
    scores = next((operand for operand in failure.operands if operand.value.dtype.is_floating_point and operand.value.dim() >= 2), None)
    if scores is not None and "ignore_index" in _settings_of(failure):
        classes, several = scores.value.shape[1], set(ids.value.unique().tolist())
        outside = [value for value in several if not 0 <= value < classes]
        if len(outside) == 1 and len(several) > 1 and outside[0] != classes:
            value = outside[0]
            repair = with_setting(makers, failure, "ignore_index", value)
            yield 0.9, repair, lambda: _ignoring(failure, value)
    if scores is not None:
        classes = scores.value.shape[1]
        layer = scores.maker.layer if scores.maker is not None else None
        name = width_name(layer, OUTPUT_WIDTHS) if layer is not None else ""
        if name and getattr(layer, name) == classes and least >= 0:
            with quiet():
                wider = torch.empty((*scores.value.shape[:1], most + 1, *scores.value.shape[2:]), dtype=scores.value.dtype)
            yield 1.5, resized(makers, layer, name, most + 1), lambda: failure.gives(failure.replaced(scores, wider))
    elif isinstance(failure.call, ast.Call):
        classes = 0
    else:
        return
    if scores is not None and least == 1 and ids.node is not None:
        path = makers.steps[failure.user].path
        text = f"{ast.unparse(ids.node)} - 1"
        yield 1.2, Repair(text=text, edits=(replacing(path, ids.node, text),)), _trial(failure, ids, lambda item: item - 1)


def _settings_of(failure: Failure) -> Iterable[str]:
    return signature_of(type(failure.layer)).parameters if failure.layer is not None else failure.arguments["kwargs"]


def _ignoring(failure: Failure, value: int) -> bool:
    if failure.layer is not None:
        return failure.gives(operation=as_operation(failure.layer, ignore_index=value))
    return failure.gives({"args": failure.arguments["args"], "kwargs": {**failure.arguments["kwargs"], "ignore_index": value}})


# ---- the operation itself ----


def _of_call(failure: Failure, makers: Makers) -> Iterator[Candidate]:
    call = failure.call
    if not isinstance(call, ast.Call) or failure.layer is not None:
        return
    path = makers.steps[failure.user].path
    if failure.kind in VIEWS and isinstance(call.func, ast.Attribute):
        yield from _of_view(failure, call, path)
    if failure.joins:
        joined = _axis_of(failure)
        for axis in range(failure.operands[0].value.dim()):
            if axis != joined:
                yield 0.9, _with_axis(call, path, axis), lambda axis=axis: failure.gives(_joined_along(failure, axis))
    if failure.kind == "stack" and call.args:
        text = f"torch.nn.utils.rnn.pad_sequence({ast.unparse(call.args[0])}, batch_first=True)"
        prefix = ast.unparse(call.func).removesuffix(".stack")
        edits = (replacing(path, call, text.replace("torch", prefix, 1)),) if prefix != "stack" else ()
        several = [operand.value for operand in failure.operands]
        if len({tuple(item.shape[1:]) for item in several}) == 1 and all(item.dim() for item in several):
            yield 0.5, Repair(text=text, edits=edits), lambda: _padded(several)


def _padded(several: list[Any]) -> bool:
    with quiet():
        torch.nn.utils.rnn.pad_sequence([shaped(item) for item in several], batch_first=True)
    return True


def _of_view(failure: Failure, call: ast.Call, path: str) -> Iterator[Candidate]:
    args = failure.arguments["args"]
    own = tuple(args[0].shape)
    assert isinstance(call.func, ast.Attribute)
    if failure.kind == "view":
        receiver = ast.unparse(call.func.value)
        text = f"{receiver}.reshape({', '.join(map(ast.unparse, call.args))})"
        same = {"args": args, "kwargs": failure.arguments["kwargs"]}

        def reshaped(_computed: bool) -> Callable[..., Any]:
            return lambda tensor, *sizes: tensor.reshape(*sizes)

        yield 0.5, Repair(text=text, edits=(replacing(path, call, text),)), lambda: failure.gives(same, operation=reshaped)
    sizes = list(args[1:])
    nodes: list[ast.expr] = list(call.args)
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) and isinstance(nodes[0], (ast.Tuple, ast.List)):
        sizes, nodes = list(sizes[0]), list(nodes[0].elts)
    if len(sizes) != len(nodes) or not all(isinstance(size, int) for size in sizes) or -1 in sizes:
        return
    for number, node in enumerate(nodes):
        new = [*sizes[:number], -1, *sizes[number + 1 :]]
        words = ", ".join("-1" if at == number else ast.unparse(item) for at, item in enumerate(nodes))
        cost = 1.0 + 2 * (sizes[number] in own) - 0.01 * number + 0.5 * (number == 0)
        text = f"{ast.unparse(call.func.value)}.{failure.kind}({words})"
        yield (
            cost,
            Repair(text=text, edits=(replacing(path, node, "-1"),)),
            lambda new=new: failure.gives({"args": [args[0], *new], "kwargs": {}}),
        )


def _axis_of(failure: Failure) -> int:
    given = failure.arguments["kwargs"].get("dim", failure.arguments["kwargs"].get("axis"))
    if given is None:
        given = failure.arguments["args"][1] if len(failure.arguments["args"]) > 1 else 0
    dims = failure.operands[0].value.dim()
    return given % dims if isinstance(given, int) and dims else 0


def _joined_along(failure: Failure, axis: int) -> dict[str, Any]:
    args = failure.arguments["args"]
    return {
        "args": [args[0]] if args else [],
        "kwargs": ({} if args else {"tensors": failure.arguments["kwargs"]["tensors"]}) | {"dim": axis},
    }


def _with_axis(call: ast.Call, path: str, axis: int) -> Repair:
    text = f"{ast.unparse(call.func)}({', '.join(map(ast.unparse, call.args[:1]))}, dim={axis})"
    for keyword in call.keywords:
        if keyword.arg in ("dim", "axis"):
            return Repair(text=text, edits=(replacing(path, keyword.value, str(axis)),))
    if len(call.args) > 1:
        return Repair(text=text, edits=(replacing(path, call.args[1], str(axis)),))
    return Repair(text=text, edits=(replacing(path, call, text),) if not call.keywords else ())
