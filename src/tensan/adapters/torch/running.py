"""Running statistics of batch normalisation: how a module keeps them, and whether it ever has."""

from __future__ import annotations

from typing import Any

import torch


def momentum_of(module: Any) -> float | None:
    """Returns the weight of a new batch in the running statistics; None where there are none or their plain mean is kept."""
    kept = getattr(module, "track_running_stats", False) and getattr(module, "running_mean", None) is not None
    momentum = getattr(module, "momentum", None) if kept else None
    return float(momentum) if isinstance(momentum, (int, float)) else None


def is_untouched(module: Any) -> bool:
    """Tells whether running statistics still are those of a new module; read only where they cannot move."""
    if momentum_of(module) != 0 or module.running_mean.is_meta:
        return False
    mean, variance = module.running_mean, module.running_var
    return (
        variance is not None and bool(torch.equal(mean, torch.zeros_like(mean))) and bool(torch.equal(variance, torch.ones_like(variance)))
    )
