"""DAT104: each worker process of a loader reads the whole stream."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import EpochStart, StreamRepeated
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule


class StreamNotSplitOverWorkers(Rule):
    """
    ## What it does

    Finds an `IterableDataset` that several worker processes read from beginning to end each, so that every item is delivered
    once by each of them.

    ## Why is this bad?

    With four workers an epoch has every sample four times, in batches that follow one another: it takes four times as long, the
    gradient's noise is wrong, and where it is evaluated each sample counts as four.

    ## Example

    ```python
    class Lines(IterableDataset):
        def __iter__(self):
            for line in open(self.path):
                yield parse(line)
    loader = DataLoader(Lines(), num_workers=4)
    ```

    ## Use instead

    ```python
    class Lines(IterableDataset):
        def __iter__(self):
            worker = get_worker_info()
            part, parts = (worker.id, worker.num_workers) if worker else (0, 1)
            for line in islice(open(self.path), part, None, parts):
                yield parse(line)
    ```

    ## Known problems

    Only the first batches of the workers are compared, value by value, so workers that shuffle the same stream each in an order of its own
    are not told.
    """

    code = "DAT104"
    name = "stream-not-split-over-workers"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"

    def on_epoch_start(self, event: EpochStart) -> None:
        self.armed = self.armed or (event.loader.num_workers >= 2 and event.loader.length is None)

    def on_stream_repeated(self, event: StreamRepeated) -> Iterator[Finding]:
        workers = event.num_workers
        yield self.finding(
            f"each of {workers} workers reads the whole stream, so every item comes {'twice' if workers == 2 else f'{workers} times'}",
            at=event.site,
            event=event,
            label="runs from beginning to end in every worker",
            evidence={"workers": workers},
            related=[("the loader is made here", event.made)] if event.made != event.site else (),
            proof_note=f"the first batches of all {workers} workers are equal, value by value, and the next one is another",
            help="let each worker take its part: ask `torch.utils.data.get_worker_info()` for `id` and `num_workers` in `__iter__`",
            subjects=[event.loader],
        )
