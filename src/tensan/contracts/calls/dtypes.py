"""Types of elements by their names, whoever's array it is: `f32`, `bf16`, `int`, `float32`, `f16|bf16`."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import Any

_LETTERS = {"f": "float", "bf": "bfloat", "i": "int", "u": "uint", "c": "complex"}
_SHORT = re.compile(r"(bf|f|i|u|c)(\d+)")
_FULL = re.compile(r"bool|bfloat16|float(4|8)_\w+|float(16|32|64)|u?int([248]|16|32|64)|complex(64|128)")
#: What the name of a type begins with that is of this kind.
KINDS = {"float": ("float", "bfloat"), "int": ("int", "uint"), "complex": ("complex",), "any": ("",)}
ALLOWED = (
    "bool, float, int, complex, any; f16, bf16, f32, f64; i8 to i64, u8 to u64; c64, c128; the full name, as float32; several, as f16|bf16"
)


@dataclass(frozen=True, slots=True)
class Dtypes:
    """Types of elements that are allowed.

    Attributes:
        text: as it was written.
        names: full names of types.
        prefixes: what the name of a type may begin with instead.
    """

    text: str
    names: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    _met: dict[Any, bool] = field(default_factory=dict, compare=False, repr=False)

    def allow(self, dtype: Any) -> bool:
        """Tells whether a framework's type is among them."""
        allowed = self._met.get(dtype)
        if allowed is None:
            name = name_of(dtype)
            allowed = self._met[dtype] = name in self.names or name.startswith(self.prefixes)
        return allowed


def name_of(dtype: Any) -> str:
    """Returns the name that all frameworks share: `float32` for `torch.float32`, `numpy.dtype("float32")`, `tf.float32`."""
    return str(getattr(dtype, "name", dtype)).rpartition(".")[2]


def casting() -> bool:
    """Tells whether torch's autocast is on, under which the types of arguments and weights may differ."""
    torch = sys.modules.get("torch")
    return torch is not None and any(torch.is_autocast_enabled(kind) for kind in ("cpu", "cuda"))


def dtypes(text: str) -> Dtypes | None:
    """Returns the types that a text names, or None where a part of it names none."""
    names: list[str] = []
    prefixes: list[str] = []
    for part in text.split("|"):
        short = _SHORT.fullmatch(part)
        full = f"{_LETTERS[short[1]]}{short[2]}" if short else part
        if part in KINDS:
            prefixes += KINDS[part]
        elif _FULL.fullmatch(full):
            names.append(full)
        else:
            return None
    return Dtypes(text, tuple(names), tuple(prefixes))
