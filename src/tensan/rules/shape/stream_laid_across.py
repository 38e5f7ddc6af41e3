"""SHP122: a stream of tokens is cut so that what follows in the text lies beside it in the batch, and not behind it."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import StreamCut
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence

_LEAST_STEPS = 2
#: How far above chance a token must tell of its neighbour, in deviations and in nats, and what part of that of the one that is asked for.
_SURE = 10.0
_LEAST = 0.1
_LITTLE = 0.35


class StreamLaidAcross(Rule):
    """
    ## What it does

    Finds streams of tokens that are cut into columns row by row, so that the token behind another one in a column lies a whole batch behind
    it in the stream.

    ## Why is this bad?

    Each column of the batch should be a stretch of the text. Cut row by row it has every twentieth character instead: the model is to tell
    what comes twenty characters later, and sees nothing of what lies between. Shapes fit and the loss falls, to what letters are frequent.

    ## Example

    ```python
    stream = ids.view(-1, batch_size)  # time first
    ```

    ## Use instead

    ```python
    stream = ids.view(batch_size, -1).t().contiguous()
    ```

    ## Known problems

    Where the array that was cut is a copy, its memory no longer tells, and nothing is said.
    """

    code = "SHP122"
    name = "stream-laid-across"
    category = Category.SUSPICIOUS
    law = 6
    preview = True
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._evidence: dict[Place, Evidence[StreamCut]] = {}

    def on_stream_cut(self, event: StreamCut) -> Iterator[Finding]:
        self.armed = True
        told = event.near >= max(_LEAST, _SURE * event.spread) and event.far <= _LITTLE * event.near
        if not event.is_stream or not told:
            return
        evidence = self._evidence.setdefault(event.site, Evidence(_LEAST_STEPS))
        for seen in evidence.add(event):
            yield self._finding(seen)

    def _finding(self, event: StreamCut) -> Finding:
        return self.finding(
            "a stream of tokens is cut row by row, so that neighbours in the text are neighbours in the batch and not in time",
            at=event.site,
            event=event,
            label=f"what follows a token for the model lies {event.ahead} further in the stream",
            evidence={"ahead": event.ahead, "near": round(event.near, 3), "far": round(event.far, 3)},
            related=[("what comes next is told here", event.used)] if event.used != event.site else [],
            proof=Proof.STATISTIC,
            proof_note=(
                f"a token tells {event.near:.2g} nats of its neighbour in the stream, and {max(event.far, 0.0):.2g} of the one that the "
                "model is to tell"
            ),
            help="cut the stream into as many stretches as there are samples, then turn it: `ids.view(batch_size, -1).t().contiguous()`",
        )
