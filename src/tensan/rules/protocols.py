"""What operations and layers take the axes of an array for, and what the usual names of axes stand for: two tables."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tensan.core.events.recorded import Layer
from tensan.core.events.things import Operation

#: Roles that cannot be two names for one axis.
ROLES = ("batch", "time", "features", "space", "heads")

_ROLES_OF_NAMES = {
    **dict.fromkeys(("b", "bs", "batch", "batch_size"), "batch"),
    **dict.fromkeys(("t", "s", "l", "time", "seq", "seq_len", "length", "tokens", "steps"), "time"),
    **dict.fromkeys(("c", "d", "e", "f", "channels", "features", "dim", "d_model", "hidden", "embed"), "features"),
    **dict.fromkeys(("w", "height", "width", "x", "y"), "space"),
    **dict.fromkeys(("heads", "n_heads", "num_heads"), "heads"),
}


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What an operation takes the axes of its first input for.

    Attributes:
        who: what it is called in messages.
        roles: of the last axes, "" for any; the axes before them are not looked at.
        sized: the axis whose size a parameter has: an exchange fits only where the sizes are equal.
    """

    who: str
    roles: tuple[str, ...]
    sized: int | None = None


_CHANNELS_FIRST = {
    2: ("batch", "features"),
    3: ("batch", "features", "time"),
    4: ("batch", "features", "space", "space"),
    5: ("batch", "features", "space", "space", "space"),
}
_SEQUENCE = {True: ("batch", "time", "features"), False: ("time", "batch", "features"), None: ()}
#: Layers that take sequences, by their `batch_first`.
SEQUENTIAL = frozenset({"RNN", "LSTM", "GRU", "MultiheadAttention"})


def taken_by(operation: Operation) -> Taken | None:
    """Returns what an operation takes its first input's axes for, None where it does not care, or where no order of them can be wrong."""
    rank = len(operation.inputs[0].shape) if operation.inputs else 0
    if operation.name == "convolution" and len(operation.inputs) > 1 and rank > 2:
        # A kernel of one value is a linear map along one axis, and any axis may be mapped.
        mixes = any(size > 1 for size in operation.inputs[1].shape[2:])
        return Taken(who=f"a convolution over {rank - 2} axes", roles=_CHANNELS_FIRST.get(rank, ()), sized=1) if mixes else None
    if operation.name in ("batch_norm", "group_norm") and rank > 2:
        return Taken(who=f"a {operation.name.replace('_', ' ')}", roles=_CHANNELS_FIRST.get(rank, ()), sized=1)
    if operation.name == "layer_norm" and rank > 1:
        arguments = operation.settings.get("arguments")
        normalised = arguments[0] if isinstance(arguments, tuple) and arguments else None
        if isinstance(normalised, (tuple, list)) and len(normalised) == 1:
            return Taken(who="a layer norm", roles=("",) * (rank - 1) + ("features",), sized=rank - 1)
    if operation.name == "attention" and rank == 4:
        return Taken(who="attention", roles=("batch", "heads", "time", "features"))
    return None


def taken_by_layer(layer: Layer, rank: int) -> Taken | None:
    """Returns what a layer that takes sequences takes the axes of an input for."""
    if layer.kind not in SEQUENTIAL or rank != 3 or layer.batch_first is None:
        return None
    return Taken(who=f"`{layer.kind}` with batch_first={layer.batch_first}", roles=_SEQUENCE[layer.batch_first])


def roles_of(names: Sequence[str]) -> tuple[str, ...]:
    """Returns what names of axes mostly stand for, "" where that cannot be told.

    `H` is a height where there is a `W`, and heads elsewhere; `N` is the batch where no other axis is.
    """
    known = [_ROLES_OF_NAMES.get(name.lower(), "") for name in names]
    for place, name in enumerate(names):
        if name.lower() == "h":
            known[place] = "space" if any(other.lower() == "w" for other in names) else "heads"
        elif name.lower() == "n" and place == 0 and "batch" not in known:
            known[place] = "batch"
    return tuple(known)
