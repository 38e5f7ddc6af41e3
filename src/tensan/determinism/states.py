"""The states of the process's global generators: Python's, NumPy's, and torch's of each device: read, put back, begun, compared.

Nothing is drawn, no device is initialised and no library is imported by it.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Mapping
from typing import Any

States = dict[str, Any]

#: Words of a Mersenne Twister, which Python and NumPy have; and how many blocks of them are gone through to tell drawn from seeded.
_WORDS = 624
_MOST_BLOCKS = 20_000


def read() -> States:
    """Returns the state of each generator that there is, by name: `python`, `numpy`, `torch`, and `torch cuda:0` and the like."""
    states: States = {"python": random.getstate()}
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        states["numpy"] = numpy.random.get_state(legacy=False)
    if torch is not None:
        for name, generator in _of_torch(torch):
            states[name] = generator.get_state()
    return states


def write(states: States) -> None:
    """Puts generators into states; one that has come since is put to its beginning, where it stood before anything was drawn from it."""
    random.setstate(states["python"])
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None and "numpy" in states:
        numpy.random.set_state(states["numpy"])
    if torch is not None:
        for name, generator in _of_torch(torch):
            if name in states:
                generator.set_state(states[name])
            else:
                generator.manual_seed(generator.initial_seed())


def begin(*what: Any) -> None:
    """Puts all generators to where a name begins: each gets its own seed, made of what is given alone."""
    random.setstate(random.Random(_number(*what, "python")).getstate())
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        seed = _number(*what, "numpy")
        kind = type(numpy.random.get_bit_generator())  # MT19937, unless the program has put another one there
        numpy.random.set_state(kind([seed >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96)]).state)
    if torch is not None:
        for name, generator in _of_torch(torch):
            generator.manual_seed(_number(*what, name) >> 65)  # 63 bits, so that no device takes it for a negative one


def changed(before: States, after: States, *, known: Mapping[str, str]) -> dict[str, str]:
    """Returns what happened to generators between two states, by name: `drawn from`, or `seeded`.

    Of Python's and NumPy's it is told by winding the first state on; more than twelve million words are taken for a seed.

    Args:
        before: the state at first.
        after: the state at last.
        known: what happened to them earlier: what was seeded once is not looked at again.
    """
    found: dict[str, str] = {}
    for name in before.keys() & after.keys():
        one, other = before[name], after[name]
        if name == "python":
            if one != other:
                found[name] = "seeded" if known.get(name) == "seeded" else _of_twister(one[1], other[1])
        elif name == "numpy":
            if not _same(one, other):
                found[name] = "seeded" if known.get(name) == "seeded" else _of_numpy(one, other)
        elif not bool((one == other).all()):
            found[name] = "drawn from" if _seed_of(one) == _seed_of(other) else "seeded"
    return dict(sorted(found.items()))


def _of_torch(torch: Any) -> list[tuple[str, Any]]:
    found = [("torch", torch.default_generator)]
    for kind in ("cuda", "xpu"):
        module = getattr(torch, kind, None)
        if module is not None and module.is_initialized():
            found += [(f"torch {kind}:{number}", each) for number, each in enumerate(module.default_generators)]
    return found


def _number(*what: Any) -> int:
    """Returns 128 bits that depend on what is given and on nothing else."""
    return int.from_bytes(hashlib.sha256("\0".join(map(str, what)).encode()).digest()[:16], "big")


def _seed_of(state: Any) -> Any:
    """Returns what a state of torch was seeded with: on each device it begins with that."""
    return state[:8].tolist()


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool((one == other).all()) if hasattr(one, "shape") and hasattr(one, "all") else one == other


def _of_numpy(one: Any, other: Any) -> str:
    if one["bit_generator"] != other["bit_generator"]:
        return "seeded"
    if one["bit_generator"] != "MT19937":
        return "drawn from"  # how far it went cannot be told
    return _of_twister(*((*map(int, each["state"]["key"]), each["state"]["pos"]) for each in (one, other)))


def _of_twister(one: tuple[int, ...], other: tuple[int, ...]) -> str:
    """Tells a twister that was drawn from, whose words come if it is wound on, from one that was seeded, whose never do."""
    wound = random.Random()
    wound.setstate((3, one, None))
    if one[:_WORDS] == other[:_WORDS] and other[-1] >= one[-1]:
        return "drawn from"
    for _ in range(_MOST_BLOCKS):
        wound.getrandbits(32 * _WORDS)
        if wound.getstate()[1][:_WORDS] == other[:_WORDS]:
            return "drawn from"
    return "seeded"
