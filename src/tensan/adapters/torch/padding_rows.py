"""Finds embeddings whose padding row was filled by the program's own initialisation, where the loss depends on that row.

Only the gradient that arrives at the padding positions tells whether they matter: where padding is masked, it is exactly zero.
"""

from __future__ import annotations

import re
import weakref
from typing import TYPE_CHECKING, Any

from torch import nn

from tensan.core.events.layers import PaddingRow
from tensan.core.sites import Place, resolved

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

MOST_LOOKS = 6
_DRAWS = re.compile(r"normal_|uniform_|xavier|kaiming|orthogonal_")


class PaddingRows:
    """Looks at recorded steps only."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._found: list[PaddingRow] = []

    def left(self, module: Any, output: Any) -> None:
        """An embedding with a padding row has run in a recorded step."""
        self.tell()
        trace, looks = self.recorder.deep.trace, self._looks.get(module, 0)
        if trace is None or not trace.looked_up or looks >= MOST_LOOKS or not self.recorder.watch.wants(PaddingRow):
            return
        self._looks[module] = looks + 1
        ids, node = trace.looked_up[-1], output.grad_fn
        if node is None or output.shape[:-1] != ids.shape:
            return
        padded = ids == module.padding_idx
        number = int(padded.sum())
        if not number:
            return
        identifier = self.recorder.inventory.module_id(module)
        if not bool(module.weight.detach()[module.padding_idx].any()):
            self.recorder.watch.emit(PaddingRow(step=self.recorder.watch.steps, module=identifier, overwritten=False))
            return
        written = self._overwritten(module.weight)
        if written is None:
            return
        event = PaddingRow(
            step=self.recorder.watch.steps,
            site=written,
            module=identifier,
            name=self.recorder.inventory.path_of(module),
            made=self.recorder.inventory.known(module.weight).made,
            padding=module.padding_idx,
            num_positions=number,
        )
        # On the node, not on the tensor: a tensor with hooks is another one to those who copy it.
        node.register_prehook(lambda gradients: self.recorder.apart(self._arrived, event, padded, gradients))

    def _arrived(self, event: PaddingRow, padded: Any, gradients: Any) -> None:
        arrived = gradients[0] if gradients else None
        if arrived is not None and arrived.shape[:-1] == padded.shape and bool((arrived[padded] != 0).any()):
            self._found.append(event)

    def tell(self) -> None:
        """Tells what backward passes have shown since."""
        found, self._found = self._found, []
        for event in found:
            self.recorder.watch.emit(event)

    def _overwritten(self, weight: Any) -> Place:
        """Returns where random values were drawn for a table that its constructor had filled before; None where nothing was seen."""
        inventory = self.recorder.inventory
        known = inventory.known(weight)
        if known.loaded or not inventory.writes.was_filled(weight):
            return None  # made from given values, which are meant
        place = inventory.writes.place_of(weight, made=known.made) or inventory.writes.statement_writing("weight")
        where = resolved(place)
        return place if where is not None and _DRAWS.search(where.source) else None


def has_padding(module: Any) -> bool:
    """Tells whether a module is an embedding with a padding row."""
    return type(module) is nn.Embedding and module.padding_idx is not None
