"""HDW121: tensors that the program gathers while it trains and never reads, so that memory grows without end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tensan.core.events.training import Backward, TensorsGathered
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.slopes import theil_sen

#: Looks, and the steps over which they are spread.
_LEAST_LOOKS = 5
_LEAST_STEPS = 50
#: Entries that each step adds, at least: less is a record that is kept now and then.
_PER_STEP = 0.5
#: How much of the slope of the whole each part of the series must have: what fills up grows ever less.
_STEADY = 0.5
#: Bytes in 10,000 steps that are worth a word.
_MATTERS = 64 << 20
_SCALE = 10_000


class MemoryGrows(Rule):
    """
    ## What it does

    Finds lists and dicts that hold more tensors with each step, which nothing else in the program holds, reads or ever takes out again.

    ## Why is this bad?

    Features, gradients or batches that are kept for a plot or for debugging cost the memory of one step each. A run of a few minutes
    does not show it; after hours the process is killed, in a line that has nothing to do with it.

    ## Example

    ```python
    def hook(module, inputs, output):
        activations.append(output.detach())   # nobody empties this
    ```

    ## Use instead

    ```python
    activations = deque(maxlen=10)                       # or keep a number of each: `output.mean().item()`
    ```

    ## Known problems

    Containers that the program reads anywhere but at their end are left alone, since a replay memory, a cache and a record that is
    evaluated after the training look the same. So are those that are emptied or made anew anywhere, and what adds less than 64 MB in 10,000
    steps. A program that reads its containers by a way that the source does not show, such as `getattr`, may be told all the same.
    Tensors with their graph are found by graphs-kept-alive.
    """

    code = "HDW121"
    name = "memory-grows"
    category = Category.PERFORMANCE
    law = 16
    preview = True  # that nothing reads a container is told from the source, which has not been tried on enough programs yet

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen = 0

    def on_backward(self, backward: Backward) -> None:
        if not self.armed:
            self._seen += 1
            self.armed = self._seen >= _LEAST_LOOKS and backward.step >= _LEAST_STEPS

    def on_tensors_gathered(self, event: TensorsGathered) -> Iterator[Finding]:
        slope = _slope(event)
        if slope is None:
            return
        self.armed = True
        last, held = event.counts[-1], event.sizes[-1]
        yield self.finding(
            f"`{event.name}` holds more tensors with each step, and nothing reads the old ones or takes them out again",
            at=event.taken or event.site,
            event=event,
            label=f"{_bytes(slope)} are added in each step, {_bytes(slope * _SCALE)} in {_SCALE:,}",
            evidence={"holder": event.name, "entries": last, "bytes": held, "bytes_per_step": round(slope), "looks": len(event.steps)},
            proof=Proof.STATISTIC,
            proof_note=f"each time it was looked at `{event.name}` had grown, by {_bytes(slope)} a step (Theil-Sen), and kept "
            f"{held:.2e} bytes alive at last, which nothing else holds",
            help="keep a number of each (`.mean().item()`), the last few (`deque(maxlen=10)`), or empty it once it has been used",
        )


def _slope(event: TensorsGathered) -> float | None:
    """Returns bytes that each step adds; None where the growth is not steady, long enough or large enough."""
    steps, counts, sizes = event.steps, event.counts, event.sizes
    if len(steps) < _LEAST_LOOKS or not len(steps) == len(counts) == len(sizes) or steps[-1] - steps[0] < _LEAST_STEPS:
        return None
    slope = theil_sen(steps, sizes)
    if slope is None or slope * _SCALE < _MATTERS:
        return None
    for (before, after), (few, many), (small, large) in zip(pairwise(steps), pairwise(counts), pairwise(sizes), strict=True):
        passed = after - before
        if passed <= 0 or many - few < _PER_STEP * passed or large - small < _STEADY * slope * passed:
            return None
    return slope


def _bytes(number: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} GB"
