"""HDW170: matrices in half precision have sizes that the units for them do not take whole."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding, Proof
from tensan.core.operations import behind_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place

_HALF = frozenset({"float16", "bfloat16"})
#: Values of half precision in the 16 bytes that are loaded at once.
_WHOLE = 8
#: Sizes below this are those of a head or an input, and little is lost by filling them up; share of the multiplications that matters.
_LEAST_SIZE = 64
_LEAST_SHARE = 0.05


class SizesNotAligned(Rule):
    """
    ## What it does

    Finds layers that multiply matrices in half precision whose sizes, such as the number of tokens of a vocabulary, are not multiples
    of 8, where they make up a good part of the multiplications of a step.

    ## Why is this bad?

    Units for matrices load 16 bytes at once, which are eight values of half precision. Where rows do not begin at such a place,
    slower kernels are chosen, or copies are made: a vocabulary of 50,257 tokens is multiplied more slowly than one of 50,304.

    ## Example

    ```python
    head = nn.Linear(768, 50257)
    ```

    ## Use instead

    ```python
    head = nn.Linear(768, 50304)        # the next multiple of 64; the ids beyond 50256 never occur
    ```

    ## Known problems

    The results are right, and how much slower it is depends on the device and on the library. On the CPU there may be no difference.
    What is filled up must be left out of the loss and of sampling where its logits count.
    """

    code = "HDW170"
    name = "sizes-not-aligned"
    category = Category.PEDANTIC
    law = 16

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._told: set[str | Place] = set()

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        layers = [(operation, weight) for operation in loss.operations if (weight := _weight(loss.operations, operation)) is not None]
        self.armed = self.armed or bool(layers)
        whole = sum(_multiplications(operation) for operation in loss.operations if operation.name == "matmul")
        for operation, weight in layers:
            odd = [size for size in weight.shape if size >= _LEAST_SIZE and size % _WHOLE]
            share = _multiplications(operation) / whole if whole else 0.0
            key = weight.subject or operation.site
            if odd and share >= _LEAST_SHARE and key not in self._told:
                self._told.add(key)
                yield self._finding(loss, operation, weight, odd[0], share=share)

    def _finding(self, loss: Loss, operation: Operation, weight: Value, size: int, *, share: float) -> Finding:
        better, best = (math.ceil(size / whole) * whole for whole in (_WHOLE, 64))
        made = next((leaf.made for leaf in loss.leaves if leaf.id == weight.subject), None)
        return self.finding(
            f"a matrix of half precision has a side of {size}, which is no multiple of {_WHOLE}",
            at=made or operation.site,
            event=loss,
            label=f"{share:.0%} of the multiplications of the step, with a weight of {list(weight.shape)}",
            evidence={"size": size, "next": better, "share": round(share, 3), "weight": str(weight)},
            related=[("it is multiplied here", operation.site)] if made is not None else [],
            proof=Proof.LAW,
            proof_note=f"{size} values of two bytes are {2 * size} bytes, so that rows begin at places that are no multiples of 16",
            help=f"make it {better}" + (f", or {best}" if best != better else ""),
            subjects=[weight.subject] if weight.subject else [],
        )


def _weight(operations: Sequence[Operation], operation: Operation) -> Value | None:
    """Returns the parameter that an operation multiplies in half precision, cast to it or not; None where it does not."""
    if operation.name != "matmul" or not all(value.dtype in _HALF for value in operation.inputs) or not operation.outputs:
        return None
    behind = (behind_layout(operations, value) for value in operation.inputs[-2:])
    return next((value for value in behind if (value.subject or "").startswith("parameter") and len(value.shape) == 2), None)


def _multiplications(operation: Operation) -> int:
    """Returns how many products of two values an operation adds up."""
    if not operation.outputs or len(operation.inputs) < 2 or not operation.inputs[-2].shape:
        return 0
    return math.prod(operation.outputs[0].shape) * operation.inputs[-2].shape[-1]
