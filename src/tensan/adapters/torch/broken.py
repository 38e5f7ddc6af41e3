"""Tells of parameters that are not finite though no broken gradient has reached them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from tensan.core.events import NonfiniteParameter

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder

#: Second moments, as optimizers of torch call them.
_MOMENTS = ("exp_avg_sq", "square_avg", "sum", "exp_inf")


class Broken:
    """Looks at an optimizer's parameters once its gradients are broken, and at the end of the run."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def parameters(self, record: OptimizerRecord) -> None:
        """Tells which parameters are broken where the last step had finite gradients, or where there was none."""
        watch = self.recorder.watch
        optimizer = record.reference()
        never = record.steps == 0
        if optimizer is None or not watch.wants(NonfiniteParameter) or not (never or record.clean_step == record.steps - 1):
            return
        broken = []
        for group in optimizer.param_groups:
            broken += [(tensor, group) for tensor in group["params"] if tensor.is_floating_point() and not _is_finite(tensor)]
        if not broken:
            return
        tensor, group = broken[0]
        eps = group.get("eps")
        eps = float(eps) if isinstance(eps, (int, float)) else None
        watch.emit(
            NonfiniteParameter(
                step=watch.steps,
                site=record.step_site,
                optimizer=record.event(),
                parameters=tuple(self.recorder.inventory.describe(one) for one, _ in broken[:8]),
                never_finite=never,
                taken=record.step_site,
                eps=eps,
                rounded=float(torch.tensor(eps, dtype=tensor.dtype)) if eps is not None else None,
                zero_moments=_zero_moments(tensor, optimizer.state.get(tensor)),
                rates=record.rates(),
            )
        )


def _is_finite(tensor: Any) -> bool:
    return tensor.is_sparse or bool(torch.isfinite(tensor.detach()).all())


def _zero_moments(tensor: Any, state: Any) -> float | None:
    """Returns the share of a tensor's broken values whose second moment is exactly zero, or unknowable because it is broken too."""
    moment = next((state[name] for name in _MOMENTS if name in state), None) if isinstance(state, dict) else None
    if not isinstance(moment, torch.Tensor) or moment.shape != tensor.shape:
        return None
    broken = ~torch.isfinite(tensor.detach())
    return float((moment[broken] == 0).double().mean())
