"""CKP106: the counter of early stopping is never set back, so that the run ends after so many bad epochs in all."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from tensan.core.events.state import PatienceCounted
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.metrics import words_in

#: Words for what is meant to be counted in all.
_TOTALS = frozenset(
    {
        "all",
        "total",
        "totals",
        "overall",
        "cumulative",
        "budget",
        "retries",
        "retry",
        "tries",
        "attempts",
        "skipped",
        "skips",
        "nan",
        "nans",
        "failed",
        "failures",
        "fails",
        "failure",
        "lives",
        "strikes",
        "strike",
        "rejected",
        "rejections",
        "drops",
        "decay",
        "decays",
        "reductions",
        "cuts",
        "ever",
        "trial",
        "trials",
    }
)


class PatienceNeverReset(Rule):
    """
    ## What it does

    Finds early stopping whose counter grows where the score sets no record and is set back nowhere, while records were set after it
    had begun to count.

    ## Why is this bad?

    Patience is meant for so many epochs in a row. Without setting the counter back the run ends after so many in all: noise alone uses
    them up while the model is still improving.

    ## Example

    ```python
    if val_loss < best:
        best = val_loss
    else:
        bad_epochs += 1
        if bad_epochs >= patience:
            break
    ```

    ## Use instead

    ```python
    if val_loss < best:
        best = val_loss
        bad_epochs = 0
    else:
        bad_epochs += 1
        if bad_epochs >= patience:
            break
    ```

    ## Known problems

    The record has to be set under the comparison, and one to be added to the counter under its other branch. Counters whose names say
    that they are meant in all (`total_bad`, `retries`) pass.
    """

    code = "CKP106"
    name = "patience-never-reset"
    category = Category.SUSPICIOUS
    law = 12
    effect = "wrong-state"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._first: dict[tuple[Place, int], int] = {}
        self._last: dict[tuple[Place, int], PatienceCounted] = {}
        self._told: set[Place] = set()

    def on_patience_counted(self, event: PatienceCounted) -> Iterator[Finding]:
        self.armed = True
        if event.is_set_back or event.site in self._told or words_in(event.counter) & _TOTALS or words_in(event.limit) & _TOTALS:
            return
        key = event.site, event.holder
        first = self._first.setdefault(key, event.count)
        last, self._last[key] = self._last.get(key), event
        # Some count down: the counter has moved from its beginning, and has not come nearer to it since.
        if last is not None and _is_beaten(last.best, event.best) and 0 < abs(last.count - first) <= abs(event.count - first):
            self._told.add(event.site)
            yield self._finding(event, last)

    def _finding(self, event: PatienceCounted, last: PatienceCounted) -> Finding:
        return self.finding(
            f"`{event.counter}` is not set back where `{event.record}` is beaten: it counts bad epochs in all, not in a row",
            at=event.site,
            event=event,
            label="a new record leaves the counter as it is",
            evidence={"counter": event.count, "record before": last.best, "record": event.best, "limit": event.limit},
            related=[("is counted here", event.counted_at)],
            proof=Proof.LAW,
            proof_note=(
                f"`{event.record}` went from {last.best:.4g} to {event.best:.4g} while `{event.counter}` stood at {event.count}, "
                "and no statement sets it back"
            ),
            help=f"set `{event.counter}` back to its beginning where the new record is set",
        )


def _is_beaten(before: float, after: float) -> bool:
    return before != after and not isnan(before) and not isnan(after)
