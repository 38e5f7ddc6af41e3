"""How the origin of a non-finite value is told: what was given, what came out, and how to put it right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tensan.core.events.numerics import NonfiniteOrigin, Operand
from tensan.core.sites import Place

_HALF = {"float16": 65504.0, "bfloat16": 3.39e38}
_ROOTS = frozenset({"sqrt", "norm", "pow", "std", "var", "rsqrt"})


class Explanation(NamedTuple):
    """The parts of a finding that the origin decides; `message` is empty where the rule's own will do."""

    at: Place
    label: str
    proof: str
    help: str
    message: str = ""
    related: tuple[tuple[str, Place], ...] = ()
    evidence: Mapping[str, object] = {}


def explained(origin: NonfiniteOrigin) -> Explanation | None:
    """Returns what is to be said of an origin, or None where it names nothing."""
    if origin.kind in ("batch", "buffer", "parameter"):
        return _of_outside(origin)
    if origin.kind == "incoming":
        return _of_incoming(origin)
    if origin.kind in ("function", "write", "hook"):
        return _of_program(origin)
    if origin.operation is None:
        return None
    return _of_operation(origin)


def replayed(origin: NonfiniteOrigin) -> str:
    """Returns how the origin was found."""
    if not origin.recorded and origin.backward is None:
        return "looked at before the weights were touched"
    how = "with the same loss bit for bit" if origin.exact else "with random numbers drawn anew" if origin.random else "on the same values"
    return f"before the weights were touched the step was run again {how}"


def _of_operation(origin: NonfiniteOrigin) -> Explanation:
    assert origin.operation is not None
    name = origin.operation.name
    operand = _guilty(origin)
    forward = origin.kind == "forward"
    given = f"is given {_range(operand)}" if operand is not None else ""
    rows = _rows(origin)
    if forward:
        label = f"`{name}` {given}, and {_share(origin.share)} of its result is not finite{rows}"
        proof = f"{replayed(origin)}: `{name}` is the first operation on the way to the loss whose result is not finite"
        if origin.meant is not None and name == "softmax":
            label = f"`softmax` is given rows that are masked whole, and {_share(origin.share)} of its result is NaN{rows}"
    else:
        label = f"`{name}` {given}, where its derivative is not finite{rows}"
        proof = f"{replayed(origin)}: the gradient that comes to `{name}` is finite, and what it sends on is not"
    if origin.hidden:
        proof += "; the loss does not show it, since 0 times the result is taken there, but the gradient is 0 times Inf"
    related: tuple[tuple[str, Place], ...] = ()
    if origin.meant is not None and origin.meant != origin.operation.site:
        related = (("the infinity is put in here", origin.meant),)
    grown = origin.grown
    if grown is not None:
        if grown.kind == "operation":
            related = ((f"`{grown.name}` makes {_number(grown.after)} of {_number(grown.before)} here", grown.site),)
        elif grown.kind == "parameter":
            related = ((f"`{grown.name}` has grown to {_number(grown.after)}: the training had diverged before", grown.site),)
        else:
            proof += f"; `{grown.name}` brings {_number(grown.after)} in"
    proof += _intervened(origin)
    layer = getattr(origin.operation.settings.get("layer"), "name", "")
    if layer:
        label += f", in module `{layer}`"
    return Explanation(
        at=origin.operation.site, label=label, proof=proof, help=_help(origin, name, operand), related=related, evidence=_evidence(origin)
    )


def _of_incoming(origin: NonfiniteOrigin) -> Explanation:
    operand = origin.operands[0]
    called = f"`{origin.name}`" if origin.name else "the gradient that is given to it"
    at = origin.made or origin.site
    return Explanation(
        at=at,
        label=f"{called} holds {'NaN' if operand.nan else 'Inf'}",
        proof=f"the backward begins with {called}, which is not finite: whatever comes after it cannot be",
        help="keep what it is computed from finite: a division, a root or a logarithm on the way to it",
        message="the gradient that is handed to the backward is not finite, and so that of {gradients}",
        evidence=_evidence(origin),
    )


def _of_program(origin: NonfiniteOrigin) -> Explanation:
    what = {
        "function": f"the backward of `{origin.name}` is the program's own",
        "write": "this writes to the gradients after the backward",
        "hook": "what hangs here changes gradients during the backward",
    }[origin.kind]
    return Explanation(
        at=origin.site,
        label=what,
        proof=f"{replayed(origin)}: all of torch's operations give finite results and finite gradients, and this is the only place where "
        "the program has a hand in them",
        help="keep what it divides by, or takes the root or the logarithm of, away from zero",
        evidence=_evidence(origin),
    )


def _of_outside(origin: NonfiniteOrigin) -> Explanation:
    operand = origin.operands[0] if origin.operands else None
    kind = "NaN" if operand is None or operand.nan else "Inf"
    called = f"`{origin.name}`" if origin.name else "its input"
    rows = _rows(origin)
    met = origin.operation.site if origin.operation is not None else None
    if origin.kind == "buffer":
        return Explanation(
            at=origin.made or met,
            label=f"buffer {called} holds {kind}" + (" here" if origin.made is None else ""),
            proof=f"{replayed(origin)}: no operation made it, the buffer held it before{_intervened(origin)}",
            help="find the step that wrote it: running statistics keep what one batch brought in, for good"
            if "running_" in origin.name
            else "look at what it is computed from: a spread of zero, or memory that nobody has written to",
            related=(("first met here", met if met != origin.made else None),),
            message=f"buffer {called} holds {kind}, so that the gradient of {{gradients}} is not finite",
            evidence=_evidence(origin),
        )
    if origin.kind == "parameter":
        parameter = origin.parameter
        written = (parameter.written or parameter.made) if parameter is not None else None
        return Explanation(
            at=written or met,
            label=f"{called} is {operand}: it holds {kind}",
            proof=f"{replayed(origin)}: no operation made the {kind}, {called} held it before{_intervened(origin)}",
            help="look at what writes to it: a step on a broken gradient that went unseen, a loaded state, a statement of the program",
            message=f"parameter {called} holds {kind}, so that the gradient of {{gradients}} is not finite",
            related=(("first met here", met if met != written else None),),
            evidence=_evidence(origin),
        )
    amount = f"{operand.nan or operand.inf} of {operand.size} values" if operand is not None else "values"
    at = origin.made or origin.site or met
    return Explanation(
        at=at,
        label=f"{called} is {operand}: {amount} {'is' if amount.startswith('1 of') else 'are'} {kind}{rows}",
        proof=f"{replayed(origin)}: no operation made the {kind}, {called} held it before{_intervened(origin)}",
        help="mend or drop such samples where the data is made, or mask them before they meet a weight",
        message=f"the batch holds {kind} before the model sees it: the gradient of {{gradients}} is not finite, "
        "and the optimizer is about to use it",
        related=(("first met here", met if met != at else None),),
        evidence=_evidence(origin),
    )


def _intervened(origin: NonfiniteOrigin) -> str:
    """Returns what the replays with one thing changed have shown."""
    told = ""
    if len(origin.smallest) == 1 and origin.num_rows != 1:
        told += f"; sample {origin.smallest[0]} alone shows it, in a batch of others that do not"
    elif origin.smallest:
        told += f"; without sample{'s' if len(origin.smallest) > 1 else ''} {', '.join(map(str, origin.smallest))} all gradients are finite"
    if origin.cured:
        told += "; with finite values put there, in place, all gradients are finite"
    elif origin.cured is False:
        told += "; even with finite values put there a gradient is not finite: something else breaks it too"
    return told


def _number(value: float) -> str:
    return f"{value:.3g}"


def _guilty(origin: NonfiniteOrigin) -> Operand | None:
    """The operand that explains it: for a division the divisor, else the first."""
    operands: tuple[Operand, ...] = origin.operands
    if len(operands) == 0:
        return None
    name = origin.operation.name if origin.operation is not None else ""
    if name in ("div", "atan2") and len(operands) > 1:
        return operands[1]
    return operands[0]


def _range(operand: Operand) -> str:
    text = str(operand)
    if operand.minimum is None or operand.maximum is None:
        return text
    if operand.zeros and operand.zeros == operand.size:
        return f"{text}, 0 throughout" if operand.size > 1 else f"{text}, which is 0"
    text += f" from {operand.minimum:.3g} to {operand.maximum:.3g}"
    return f"{text}, {operand.zeros} of them 0" if operand.zeros else text


def _share(share: float) -> str:
    return "all" if share == 1 else f"{share:.0%}" if share >= 0.01 else "a part"


def _rows(origin: NonfiniteOrigin) -> str:
    if not origin.num_rows or origin.num_rows == origin.of_rows:
        return ""
    more = origin.num_rows - len(origin.rows)
    listed = ", ".join(map(str, origin.rows)) + (f" and {more} more" if more else "")
    return f" (sample{'s' if origin.num_rows > 1 else ''} {listed} of {origin.of_rows})"


def _help(origin: NonfiniteOrigin, name: str, operand: Operand | None) -> str:
    half = operand is not None and operand.dtype in ("float16",)
    if half and origin.kind == "forward" and name not in ("log", "div", "sqrt", "rsqrt", "reciprocal"):
        return f"float16 ends at {_HALF['float16']:.0f}: compute this in float32 or bfloat16, or scale it down"
    if name == "softmax":
        return "keep one position open in each row, or give such rows a finite score and drop them afterwards"
    if name == "exp":
        return "subtract the largest score first, or use `logsumexp`, `log_softmax` or `expm1`"
    if name in ("std", "var"):
        return "give it more than one value (or `unbiased=False`), and put `+ 1e-8` inside the root: equal values have no finite slope"
    if name in ("acos", "asin"):
        return f"`{name}` has no finite slope at -1 and 1: `clamp` its input to within ±(1 - 1e-6), or use `atan2`"
    if origin.hidden:
        return "replace the value before the operation (`torch.where(ok, x, 1)`), not its result afterwards"
    if name in ("log", "log1p"):
        return "keep what the logarithm sees above zero (`clamp_min(1e-8)`), or stay in the log domain (`log_softmax`, `logsigmoid`)"
    if name in _ROOTS:
        return "keep what the root or norm sees away from zero (`+ 1e-8` inside)"
    if name in ("div", "reciprocal", "atan2"):
        return "keep the divisor away from zero (`clamp_min(1e-8)`), or replace it before the division"
    if origin.meant is not None:
        return "an infinity that was put in on purpose reaches the loss: make sure that no target and no whole row is masked"
    return "look at the range of what this operation is given, and keep it where the result is finite"


def _evidence(origin: NonfiniteOrigin) -> dict[str, object]:
    return {
        "operation": origin.operation.name if origin.operation is not None else "",
        "kind": origin.kind,
        "operands": [_range(operand) for operand in origin.operands],
        "samples": list(origin.rows),
        "smallest": list(origin.smallest),
        "cured": origin.cured,
        "module": getattr(origin.operation.settings.get("layer"), "name", "") if origin.operation is not None else "",
        "exact": origin.exact,
    }
