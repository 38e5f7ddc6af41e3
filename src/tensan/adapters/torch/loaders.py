"""Follows data loaders: epochs, batches, which of them are learned from, and what fetching does to the stored data."""

from __future__ import annotations

import weakref
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch import orders, sample_weights, stored
from tensan.adapters.torch.batches import Drawing
from tensan.adapters.torch.fetching import fetching
from tensan.adapters.torch.first_batches import FirstBatches
from tensan.adapters.torch.item_generators import ItemGenerators
from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.seeding import places_above
from tensan.adapters.torch.shared_splits import SharedSplits
from tensan.adapters.torch.sources import Sources
from tensan.adapters.torch.streams import Streams
from tensan.adapters.torch.sums import Sums
from tensan.adapters.torch.trace import Trace, storage_of
from tensan.core.events.data import EpochStart, ItemEdited, SampleOverlap, SourceSeen
from tensan.core.events.things import Loader
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Samples of a dataset beyond this are not compared one by one.
MOST_SAMPLES = 2_000_000
#: Samples that are compared by their values, and how much of each.
MOST_HASHED = 50_000
LONGEST_ROW = 256
LEAST_ROW = 4
#: Tensors of a batch that are known as such, and parts of it that are looked through for them.
MOST_TENSORS = 256
MOST_ITEMS = 1_024
#: Loaders that are compared with each other: the last ones, where a program makes a new one for each epoch.
MOST_LOADERS = 40
#: Fetches without an edit of the stored data after which only each fourth one is looked at: where one is edited, many are.
QUIET_FETCHES = 6
SELDOM = 4
#: And the first ones of the first passes: what is cached in the first one can be edited from the second on.
FIRST_OF_PASS = 2
FIRST_PASSES = 4
#: Items that must have been edited, where they are not kept in an array or a list of all items.
LEAST_ITEMS = 3


class _Look(NamedTuple):
    """Where a dataset keeps items, as far as that is known before a fetch."""

    kept: list[Any]
    caches: list[dict[Any, Any]]
    listed: list[Any]
    handed: list[tuple[int, Any]]

    def rows(self, indices: list[Any]) -> stored.Rows:
        """Returns the items of some indices as they are now."""
        return stored.Rows(self.kept, indices, caches=self.caches, listed=self.listed, handed=self.handed)


class LoaderRecord:
    """One loader: the dataset is held weakly where that is possible, and its stored rows are described when it is built."""

    def __init__(self, *, id: str, loader: Any, made: Place) -> None:
        self.id, self.made, self.kind = id, made, type(loader).__name__
        self.reference = weakref.ref(loader)
        self.num_workers = loader.num_workers
        self.epochs = 0
        self.trained = False
        self.length: int | None = None
        self.num_items: int | None = None
        self.rows: tuple[Any, Any] | None = None
        self.begun_at: Place = None
        #: How it makes batches, known even when the loader itself is gone and its iterator lives on.
        self.drawing: Drawing | None = None
        #: The data itself: an iterator lives on without its loader.
        self.dataset: Any = None
        self.order = orders.Order()
        self.delivered = 0
        #: Epochs that were read to their end.
        self.exhausted = 0
        self.first_batches = FirstBatches()

    def event(self) -> Loader:
        """Returns the loader as events speak of it."""
        return Loader(
            id=self.id,
            kind=self.kind,
            made=self.made,
            length=self.length,
            num_items=self.num_items,
            epochs=self.epochs,
            trained=self.trained,
            num_workers=self.num_workers,
            order=self.order.kind,
            order_state=self.order.state,
            order_owner=self.order.owner,
            delivered=self.delivered,
            redrawn=self.first_batches.differ,
            varied=self.first_batches.varied,
            dataset=self._dataset_id(),
        )

    def living_dataset(self) -> Any:
        """Returns the dataset, None where it is gone or cannot be held weakly."""
        return self.dataset() if self.dataset is not None else None

    def _dataset_id(self) -> str:
        dataset = self.living_dataset()
        return f"dataset:{id(dataset)}" if dataset is not None else ""


class Loaders:
    """All loaders of the run."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.records: dict[int, LoaderRecord] = {}
        self._iterators: weakref.WeakKeyDictionary[Any, LoaderRecord] = weakref.WeakKeyDictionary()
        self._last: LoaderRecord | None = None
        self._batch: list[weakref.ref[Any]] = []
        #: How many batches were handed over, as far as that was heard.
        self.deliveries = 0
        self.all: list[LoaderRecord] = []
        self._edits: dict[int, tuple[int, int, Place]] = {}
        self._suspects: set[int] = set()
        self._edited: dict[int, set[int]] = {}
        self._handed = stored.HandedOut()
        self._fetches = 0
        self.current = "", 0
        self.streams = Streams(recorder)
        self.item_generators = ItemGenerators(recorder)
        self.shared_splits = SharedSplits(recorder)
        self.sources = Sources(recorder.watch.emit)
        self.sums = Sums(recorder)

    # ---- life of a loader ----

    def built(self, loader: Any) -> None:
        """A loader's constructor has returned."""
        record = self._add(loader, here(3))
        self.recorder.pairing.built(record.id, loader.dataset)
        self.recorder.apart(self.shared_splits.built, loader)

    def _add(self, loader: Any, made: Place) -> LoaderRecord:
        record = self.records[id(loader)] = LoaderRecord(id=f"loader:{len(self.all) + 1}", loader=loader, made=made)
        self.all.append(record)
        return record

    def record_of(self, loader: Any) -> LoaderRecord:
        """Returns what is known of a loader, which may have been built before we came."""
        record = self.records.get(id(loader))
        if record is None or record.reference() is not loader:
            record = self._add(loader, None)
        return record

    def starting(self, loader: Any) -> None:
        """A loader is about to start its workers: what they need to know of it, for them to inherit by fork."""
        record = self.record_of(loader)
        self.current = record.id, record.epochs + 1
        record.order = orders.order_of(loader)

    def begun(self, loader: Any, iterator: Any) -> None:
        """A loader began an epoch."""
        record = self.record_of(loader)
        record.epochs += 1
        record.begun_at = here(3)
        record.drawing = Drawing(loader)
        record.dataset = _weakly(stored.underlying(loader.dataset, [])[0])
        if record.rows is None:
            record.rows = _rows(loader.dataset)
        if record.length is None and hasattr(loader.dataset, "__len__"):
            record.length, record.num_items = len(loader), len(loader.dataset)
        self.recorder.apart(self.recorder.equal_rows.begun, record, loader.dataset)
        try:
            self._iterators[iterator] = record
        except TypeError:  # an iterator of a subclass that cannot be referred to weakly
            self._last = record
        self.recorder.apart(self.recorder.worker_messages.epoch, record)
        if self.recorder.watch.wants(EpochStart):
            done = {each.id: each.steps for each in self.recorder.optimizers.living()}
            self.recorder.watch.emit(
                EpochStart(step=self.recorder.watch.steps, site=record.begun_at, loader=record.event(), steps=done, places=places_above())
            )
        record.delivered = 0
        if record.trained:
            self.recorder.apart(self.recorder.states.records.look)
        self.recorder.apart(self.item_generators.begun, record.id, loader.dataset)
        self.recorder.apart(self.shared_splits.begun, record, loader)
        self.recorder.apart(self.sums.begun, record.id, record.begun_at)
        self.recorder.apart(self.recorder.dropped_columns.begun, record, loader)
        self.streams.begun(record, iterator)
        self.recorder.labels.begun(record, loader)
        self.recorder.apart(sample_weights.tell_weights, self.recorder.watch, record, loader)

    def delivered(self, iterator: Any, data: Any) -> None:
        """A batch was handed to the program."""
        self.deliveries += 1
        self._last = self._iterators.get(iterator, self._last)
        if self._last is not None:
            self._last.delivered += 1
        self.streams.delivered(iterator, data)
        tensors = list(islice(tensors_in(data, most=MOST_ITEMS), MOST_TENSORS))
        if self._last is not None and self._last.delivered == 1 and self._last.order.kind == "sequential":
            self._last.first_batches.seen(tensors)
        self._batch = [weakref.ref(tensor) for tensor in tensors]
        if self._last is not None:
            self.recorder.apart(self.recorder.classes.delivered, self._last, tensors)
            self.recorder.apart(self.recorder.sameness.delivered, self._last, tensors)
        self.recorder.apart(self.recorder.turned_inputs.delivered, tensors)
        self.recorder.apart(self.recorder.turned_boxes.delivered, tensors)
        self.recorder.apart(self.recorder.mixtures.delivered, tensors)

    def exhausted(self, iterator: Any) -> None:
        """An epoch has come to its end: all that the loader has was handed over."""
        record = self._iterators.get(iterator)
        if record is not None:
            record.exhausted += 1

    @property
    def last(self) -> LoaderRecord | None:
        """The loader that delivered the batch which the program works on, where it delivered one."""
        return self._last if self._batch else None

    def learned_from(self) -> None:
        """A backward runs: the loader that delivered last is one to learn from."""
        if self._last is not None and self._batch:
            self._last.trained = True

    @property
    def drawing(self) -> Drawing | None:
        """How the current batch was made."""
        return self._last.drawing if self._last is not None else None

    def batch(self) -> list[Any]:
        """Returns the tensors of the current batch that are alive."""
        return [tensor for reference in self._batch if (tensor := reference()) is not None]

    def batch_storages(self) -> dict[int, str]:
        """Returns the storages of the current batch."""
        alive = (reference() for reference in self._batch)
        return {storage_of(tensor): "batch" for tensor in alive if tensor is not None}

    def source_of(self, tensor: Any) -> LoaderRecord | None:
        """Returns the loader that delivered a tensor, or a tensor that shares its storage."""
        storage = storage_of(tensor)
        return self._last if storage in self.batch_storages() else None

    def events(self) -> tuple[Loader, ...]:
        """Returns every loader as it stands."""
        return tuple(record.event() for record in self.all)

    # ---- edits of the stored data ----

    def fetch(self, fetcher: Any, original: Any, indices: Any) -> Any:
        """Fetches a batch in this process, and looks whether that wrote into what the dataset keeps."""
        before: list[tuple[Any, list[Any], _Look, stored.Rows]] = []
        self.recorder.hear(self.recorder.apart, self._before_fetch, fetcher.dataset, indices, before)
        if not before:
            return original(fetcher, indices)
        trace = Trace({}, owner=self.recorder) if id(before[0][0]) in self._suspects else None
        opened = trace is not None and self.recorder.deep.trace is None and trace.open()
        collate, items = fetcher.collate_fn, []

        def seen(data: Any) -> Any:
            items.append(data)
            return collate(data)

        fetcher.collate_fn = seen
        try:
            data = original(fetcher, indices)
        finally:
            fetcher.collate_fn = collate
            if opened and trace is not None:
                self.recorder.shielded(trace.close)
        self.recorder.hear(self.recorder.apart, self._after_fetch, before[0], items[0] if items else None, trace if opened else None)
        return data

    def fetched(self, dataset: Any, indices: Any, data: Any) -> None:
        """A batch was made in this process."""
        self.recorder.apart(self.recorder.turned_inputs.fetched, dataset, indices, data)
        self.recorder.apart(self.recorder.turned_boxes.fetched, dataset, indices, data)
        self.recorder.apart(self.recorder.class_names.fetched, dataset, indices, data)
        record = self.last_begun(stored.underlying(dataset, [])[0])
        if record is not None and self.recorder.watch.wants(SourceSeen):
            self.sources.fetched(record.id, dataset, indices, data, step=self.recorder.watch.steps)

    def _before_fetch(self, dataset: Any, indices: Any, before: list[Any]) -> None:
        if not isinstance(indices, list) or not self.recorder.watch.wants(ItemEdited):
            return
        inner, indices = stored.underlying(dataset, indices)
        self._fetches += 1
        fetches, edits, _ = self._edits.get(id(inner), (0, 0, None))
        record = self.last_begun(inner)
        begins = record is not None and record.delivered < FIRST_OF_PASS and record.epochs <= FIRST_PASSES
        if fetches >= QUIET_FETCHES and not edits and not begins and self._fetches % SELDOM:
            return
        kept = list(stored.containers(inner))
        look = _Look(kept, [], [], [])
        if fetching(inner) is not None:
            kept += [each for each in stored.lists_of_items(inner) if not any(each is known for known in kept)]
            look = _Look(kept, stored.caches(inner), stored.listed(inner), self._handed.alive(inner, indices))
        elif not kept:
            return
        before.append((inner, indices, look, look.rows(indices)))

    def _after_fetch(self, before: tuple[Any, list[Any], _Look, stored.Rows], items: Any, trace: Trace | None) -> None:
        dataset, indices, look, old = before
        if fetching(dataset) is not None:
            self._handed.remember(dataset, indices, items)
        edited = look.rows(indices).edited(old, stored.begins_of(items) - {b""}) if old.parts else []
        known = self._edited.setdefault(id(dataset), set())
        known.update(index for how, index, _ in edited if how != "kept")
        # What lies under a number need not be the item of that number, unless it is so for several.
        edited = [each for each in edited if each[0] == "kept" or len(known) >= LEAST_ITEMS]
        fetches, edits, last_site = self._edits.get(id(dataset), (0, 0, None))
        fetches, edits = fetches + 1, edits + bool(edited)
        record = self.last_begun(dataset)
        if known or edited:
            self._suspects.add(id(dataset))
        if edited:
            written = trace.writes if trace is not None else {}
            last = max((index for _, _, part in edited for index in written.get(part.storage, ())), default=-1)
            site: Place = trace.operations[last].site if trace is not None and last >= 0 else None
            last_site = site or last_site or stored.writing_line(dataset)
        self._edits[id(dataset)] = fetches, edits, last_site
        if edited:
            self.recorder.watch.emit(
                ItemEdited(
                    step=self.recorder.watch.steps,
                    site=last_site,
                    loader=record.id if record is not None else "",
                    rows=len({index for _, index, _ in edited}),
                    fetches=fetches,
                    edits=edits,
                    passes=record.epochs if record is not None else 0,
                )
            )

    def last_begun(self, dataset: Any) -> LoaderRecord | None:
        """Returns the loader that began an epoch over some data last."""
        begun = (record for record in reversed(self.all) if record.epochs and record.dataset is not None)
        return next((record for record in begun if record.dataset() is dataset), None)

    # ---- samples in common ----

    def finish(self) -> None:
        """Compares what was learned from with what was not."""
        self.recorder.apart(self.shared_splits.finish)
        if not self.recorder.watch.wants(SampleOverlap):
            return
        used = [record for record in self.all[-MOST_LOADERS:] if record.epochs and record.rows is not None]
        row_hashes = lru_cache(maxsize=None)(_row_hashes)  # a loader meets several others
        for train in used:
            for other in used:
                if train.trained and not other.trained and train.rows is not None and other.rows is not None:
                    shared = _num_shared(train.rows, other.rows) or _num_equal(row_hashes(train), row_hashes(other))
                    if shared:
                        self.recorder.watch.emit(
                            SampleOverlap(
                                step=self.recorder.watch.steps,
                                site=other.begun_at,
                                train=train.event(),
                                other=other.event(),
                                num_shared=shared,
                                num_other=_length(other.rows[1]),
                                num_train=_length(train.rows[1]),
                            )
                        )


def _rows(dataset: Any) -> tuple[Any, Any] | None:
    """Returns what a dataset's samples are stored in and which of its rows they are; None where that cannot be told.

    Tensor datasets are told by the memory of their rows, so that slices of one tensor are comparable; others by the dataset itself.
    """
    from torch.utils.data import Subset, TensorDataset

    if isinstance(dataset, Subset):
        indices = dataset.indices
        if not hasattr(indices, "__len__") or len(indices) > MOST_SAMPLES:
            return None
        below = _rows(dataset.dataset)
        if below is None:
            return None
        base, rows = below
        return base, frozenset(rows[int(index)] for index in indices) if not isinstance(rows, frozenset) else None
    if isinstance(dataset, TensorDataset):
        first = dataset.tensors[0]
        if first.dim() == 0 or first.shape[0] > MOST_SAMPLES or first.shape[0] == 0:
            return None
        stride = first.stride(0) or 1
        begin = first.storage_offset()
        return ("storage", storage_of(first), _Keep(first)), range(begin, begin + stride * first.shape[0], stride)
    if hasattr(dataset, "__len__") and hasattr(dataset, "__getitem__"):
        try:
            size = len(dataset)
        except TypeError:
            return None
        return ("dataset", id(dataset), _Keep(dataset)), range(size) if size <= MOST_SAMPLES else range(0)
    return None


class _Keep:
    """Equal to all of its kind, so that it keeps an object weakly without taking part in comparison."""

    def __init__(self, thing: Any) -> None:
        self.reference = _weakly(thing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keep)

    def __hash__(self) -> int:
        return 0


def _num_shared(left: tuple[Any, Any], right: tuple[Any, Any]) -> int:
    if left[0] != right[0] or left[1] is None or right[1] is None:
        return 0
    smaller, larger = sorted((left[1], right[1]), key=_length)
    if isinstance(larger, range):
        return sum(row in larger for row in smaller)
    return len(larger.intersection(smaller))


def _weakly(thing: Any) -> Any:
    try:
        return weakref.ref(thing)
    except TypeError:  # a list, say
        return None


def _num_equal(train: list[int], other: list[int]) -> int:
    """Returns how many samples of the other are, value by value, samples of the first; 0 where values repeat by nature."""
    known = frozenset(train)
    return sum(row in known for row in other)


def _row_hashes(record: LoaderRecord) -> list[int]:
    from torch.utils.data import Subset, TensorDataset

    loader = record.reference()
    dataset = loader.dataset if loader is not None else None
    rows: Any = None
    if isinstance(dataset, Subset) and isinstance(dataset.dataset, TensorDataset):
        rows = dataset.dataset.tensors[0][torch.as_tensor(list(dataset.indices))]
    elif isinstance(dataset, TensorDataset):
        rows = dataset.tensors[0]
    if rows is None or rows.is_cuda or not rows.dtype.is_floating_point or rows.dtype is torch.bfloat16 or len(rows) > MOST_HASHED:
        return []
    flat = rows.detach().reshape(len(rows), -1)[:, :LONGEST_ROW].contiguous()
    sample = flat.reshape(-1)[: 4 * LONGEST_ROW]
    # Equal rows mean a shared sample only where values do not repeat by nature, as counts, classes and pixels do.
    if flat.shape[1] < LEAST_ROW or len(sample.unique()) < 0.5 * len(sample):
        return []
    return [hash(row.tobytes()) for row in flat.numpy()]


def _length(rows: Any) -> int:
    return 0 if rows is None else len(rows)
