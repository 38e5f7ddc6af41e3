"""Compares the first batches that the workers of a loader make of a stream: a stream that nobody splits comes from each of them."""

from __future__ import annotations

import ast
import hashlib
import weakref
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.source import in_definition
from tensan.core.events.data import StreamRepeated
from tensan.core.sites import Place, is_users

if TYPE_CHECKING:
    from tensan.adapters.torch.loaders import LoaderRecord
    from tensan.adapters.torch.recorder import Recorder

#: Bytes of a batch that are compared, and tensors.
MOST_BYTES = 1 << 18
MOST_TENSORS = 16


class _First:
    """The first batches of an epoch, in order; the worker of each is its number modulo theirs."""

    def __init__(self, record: LoaderRecord, place: Place) -> None:
        self.record, self.place = record, place
        self.digests: list[str] = []


class Streams:
    """Streams that are being read by several workers."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._open: weakref.WeakKeyDictionary[Any, _First] = weakref.WeakKeyDictionary()

    def begun(self, record: LoaderRecord, iterator: Any) -> None:
        """An epoch begins."""
        if record.num_workers < 2 or not hasattr(iterator, "_rcvd_idx") or not self.recorder.watch.wants(StreamRepeated):
            return
        dataset = getattr(iterator, "_dataset", None)
        if isinstance(dataset, torch.utils.data.IterableDataset):
            self._open[iterator] = _First(record, _reading_line(dataset) or record.made)

    def delivered(self, iterator: Any, data: Any) -> None:
        """A batch was handed over."""
        first = self._open.get(iterator) if self._open else None
        if first is None:
            return
        digest = _digest(data)
        first.digests.append(digest)
        workers = first.record.num_workers
        if not digest or iterator._rcvd_idx != len(first.digests):
            del self._open[iterator]  # a batch was missed, or a worker has ended
        elif len(first.digests) > workers:
            del self._open[iterator]
            alike = len(set(first.digests[:workers])) == 1
            if alike and first.digests[workers] != first.digests[0]:
                self.recorder.watch.emit(
                    StreamRepeated(
                        step=self.recorder.watch.steps,
                        site=first.place,
                        loader=first.record.id,
                        num_workers=workers,
                        made=first.record.made,
                    )
                )


def _digest(data: Any) -> str:
    """Returns a digest of a batch's values; empty where there is nothing to compare."""
    found = hashlib.blake2b(digest_size=8)
    some = False
    for tensor in list(tensors_in(data, most=256))[:MOST_TENSORS]:
        if tensor.device.type == "cpu" and tensor.layout is torch.strided and tensor.numel():
            plain = tensor.detach().contiguous().reshape(-1)[: MOST_BYTES // tensor.element_size()]
            found.update(plain.view(torch.uint8).numpy().tobytes())
            some = True
    return found.hexdigest() if some else ""


def _reading_line(dataset: Any) -> Place:
    """Finds the loop by which a stream of the user's own is read."""
    function = getattr(type(dataset), "__iter__", None)
    code = getattr(function, "__code__", None)
    if code is None or not is_users(code.co_filename):
        return None
    return in_definition(function, lambda node: isinstance(node, (ast.For, ast.While))) or in_definition(
        function, lambda node: isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom))
    )
