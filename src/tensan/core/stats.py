"""The small closed grammar of statistics that a rule may ask for; rules never touch a tensor."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Reduction(StrEnum):
    """What is computed."""

    NORM = "norm"
    MINIMUM = "min"
    MAXIMUM = "max"
    MEAN = "mean"
    ZERO_SHARE = "zero_share"
    NONFINITE_SHARE = "nonfinite_share"
    UNIT_SHARE = "unit_share"
    ROW_SUMS = "row_sums"
    DIGEST = "digest"


class Of(StrEnum):
    """What it is computed of."""

    PARAMETER = "parameter"
    GRADIENT = "gradient"
    UPDATE = "update"
    ACTIVATION = "activation"
    BATCH = "batch"
    TARGET = "target"
    OUTPUT = "output"


class Stat(msgspec.Struct, frozen=True):
    """A reduction of a subject over axes; no axes means over all of them."""

    reduction: Reduction
    of: Of
    axes: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.reduction}({self.of})" + (f" over {self.axes}" if self.axes else "")
