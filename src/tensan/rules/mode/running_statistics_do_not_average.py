"""Batch normalisation whose momentum keeps nothing but the last batch, or never takes one in."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.layers import BatchStatistics
from tensan.core.events.state import StateSaved
from tensan.core.events.training import ModeChange
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence

_LEAST_BATCHES = 2
#: From here on a momentum is one of the convention that weighs the old value; 1 is used on purpose.
_BACKWARDS = 0.9


class RunningStatisticsDoNotAverage(Rule):
    """
    ## What it does
    Finds batch normalisation that is trained with a momentum of 0, so that its running statistics never leave 0 and 1, or of 0.9 and
    more, so that they are little else than those of the last batch.

    ## Why is this bad?
    In PyTorch `momentum` is the weight of the *new* batch: 0.1 by default, what other frameworks write as 0.9. In eval mode the
    running statistics replace those of the batch: evaluation then depends on which batch came last, or on numbers that have nothing to
    do with the data.

    ## Example
    ```python
    nn.BatchNorm2d(64, momentum=0.99)          # taken over from Keras
    ```

    ## Use instead
    ```python
    nn.BatchNorm2d(64, momentum=0.01)
    ```

    ## Known problems
    A momentum of 1 passes, as few-shot learning uses it, and so does 0 where statistics were loaded that must not move. Silent
    where the program neither evaluates nor saves anything, as a generator that is only sampled in train mode: nothing reads them.
    """

    code = "MOD106"
    name = "running-statistics-do-not-average"
    category = Category.SUSPICIOUS
    law = 4
    effect = "wrong-state"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen: dict[str, Evidence[BatchStatistics]] = {}
        self._held: dict[str, Finding] = {}
        self._read = False

    def on_batch_statistics(self, event: BatchStatistics) -> Iterator[Finding]:
        momentum = event.momentum
        if momentum is None:
            return
        self.armed = True
        backwards = _BACKWARDS <= momentum < 1
        if not backwards and not (momentum == 0 and event.untouched):
            return
        evidence = self._seen.setdefault(event.module, Evidence(_LEAST_BATCHES))
        for seen in evidence.add(event):
            finding = self._never(seen) if momentum == 0 else self._last_only(seen, momentum)
            if self._read:
                yield finding
            else:
                self._held.setdefault(event.module, finding)

    def on_mode_change(self, event: ModeChange) -> Iterator[Finding]:
        if not event.training:
            yield from self._release()

    def on_state_saved(self, _event: StateSaved) -> Iterator[Finding]:
        yield from self._release()

    def _release(self) -> Iterator[Finding]:
        """What was gathered is read now, or kept for later."""
        self._read = True
        yield from self._held.values()
        self._held = {}

    def _never(self, event: BatchStatistics) -> Finding:
        return self.finding(
            "running statistics never move: momentum is 0, the weight of a new batch",
            at=event.made if event.made is not None else event.site,
            event=event,
            label="evaluates with a mean of 0 and a variance of 1",
            evidence={"layer": f"{event.kind} {event.name}", "momentum": 0.0},
            related=[("trained here", event.site if event.made is not None else None)],
            proof_note="after batches in train mode the running mean is 0 and the running variance 1 in every channel",
            help="leave `momentum` out (0.1), or keep no running statistics: `track_running_stats=False`",
            subjects=[event.module],
        )

    def _last_only(self, event: BatchStatistics, momentum: float) -> Finding:
        share = f"{100 * momentum:.4g} %"
        return self.finding(
            f"running statistics are those of the last batch: momentum {momentum:g} is the weight of the new one",
            at=event.made if event.made is not None else event.site,
            event=event,
            label=f"forgets {share} of what it knew with each batch",
            evidence={"layer": f"{event.kind} {event.name}", "momentum": momentum},
            related=[("trained here", event.site if event.made is not None else None)],
            proof_note=f"new = {1 - momentum:.4g} * old + {momentum:g} * batch, in train mode, batch after batch",
            help=f"other frameworks weigh the old value: their {momentum:g} is `momentum={1 - momentum:.4g}` here",
            subjects=[event.module],
        )
