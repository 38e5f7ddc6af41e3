"""What the layers of torch take, by their class: the axis that their weight meets, and its type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_CONVOLUTION = {rank: f"input: self.weight[..., self.in_channels{', _' * rank}]" for rank in (1, 2, 3)}
#: The contract of the `forward` of each. Where a layer takes more than a line can say, only what is certain is in it.
LAWS = {
    "Linear": "input: self.weight[..., self.in_features]",
    **{f"Conv{rank}d": text for rank, text in _CONVOLUTION.items()},
    **{f"ConvTranspose{rank}d": text for rank, text in _CONVOLUTION.items()},
    "Embedding": "input: int[...]",
    "BatchNorm1d": "input: float[_, self.num_features, ...]",
    "BatchNorm2d": "input: float[_, self.num_features, _, _]",
    "BatchNorm3d": "input: float[_, self.num_features, _, _, _]",
    "GroupNorm": "input: float[_, self.num_channels, ...]",
}


def lawful(model: Any) -> Iterator[tuple[Any, str, str]]:
    """Yields each layer of a model that a law is for, with what it is called and its contract.

    A class with a `forward` of its own is left alone, whatever it inherits from: what that takes is not known. So is a layer whose weight
    is computed, by spectral norm for example: to ask for its type would compute it.
    """
    for path, layer in model.named_modules():
        for kind in type(layer).__mro__:
            law = LAWS.get(kind.__name__) if kind.__module__.startswith("torch.nn.modules.") else None
            if law and ("self.weight" not in law or "weight" in layer._parameters) and type(layer).forward is kind.forward:
                yield layer, f"{path or 'model'} ({type(layer).__name__})", law
                break
