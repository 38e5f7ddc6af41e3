"""DAT127: each row of a table is brought to length one, where its columns, of very different scales, were to be made comparable."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median, quantiles

from tensan.core.events.data import RowsMeasured
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence

#: Batches, and rows of them, that must have been measured.
_LEAST_BATCHES, _LEAST_ROWS = 2, 24
#: How many times as large as the middle one the largest column must be, and the share of zeros that a table may hold: counts have many.
_APART = 30.0
_MOST_ZEROS = 0.3
#: How much less neighbouring columns differ in scale than any two do, where the columns are a curve or sorted by size.
_SMOOTH = 0.5
#: How many powers of e the middle half of the columns must span: of a spectrum all but the peaks are alike.
_SPAN = 1.0


class RowsNormalised(Rule):
    """
    ## What it does

    Finds tables of which every row has length one, because the program divides rows by their lengths, while one of the columns is many
    times as large as most others.

    ## Why is this bad?

    `normalize` scales each sample, and not each feature. The largest column, an income beside an age, sets the length of a row: it becomes
    about one for all samples, and every other column nearly zero. What told the samples apart is gone.

    ## Example

    ```python
    X = sklearn.preprocessing.normalize(X)
    ```

    ## Use instead

    ```python
    scaler = StandardScaler().fit(X_train)
    X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    ```

    ## Known problems

    Tables of at least 5 and at most 64 columns are looked at. Columns that are a curve, or sorted by their size, pass, and so do tables
    with many zeros and those of which most columns are of one size.
    """

    code = "DAT127"
    name = "rows-normalised"
    category = Category.SUSPICIOUS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._rows: dict[tuple[str, Place], int] = {}
        self._evidence: dict[tuple[str, Place], Evidence[RowsMeasured]] = {}

    def on_rows_measured(self, event: RowsMeasured) -> Iterator[Finding]:
        self.armed = True
        key = event.module, event.site
        evidence = self._evidence.setdefault(key, Evidence(_LEAST_BATCHES))
        if event.made is None or not event.unit or event.zeros > _MOST_ZEROS or not _are_apart(event.scales):
            evidence.refute()
            return
        rows = self._rows[key] = self._rows.get(key, 0) + event.num_rows
        if rows < _LEAST_ROWS:
            evidence.needed += 1
        for seen in evidence.add(event):
            yield self._finding(seen, rows)

    def _finding(self, event: RowsMeasured, rows: int) -> Finding:
        largest = event.scales.index(max(event.scales))
        times = event.scales[largest] / median(event.scales)
        return self.finding(
            "each sample is scaled to length one, and not each feature: one column drowns the others",
            at=event.made,
            event=event,
            label=f"column {largest} is about {event.scales[largest]:.2g} in each sample, {times:.3g} times as large as the middle one",
            evidence={"column": largest, "times": round(times, 1), "columns": len(event.scales), "rows": rows},
            related=[("the model is given these rows here", event.site)],
            proof=Proof.STATISTIC,
            proof_note=f"each of {rows} rows of {len(event.scales)} columns has length one",
            help="standardise the columns by mean and deviation of the training data, such as with `StandardScaler`",
        )


def _are_apart(scales: Sequence[float]) -> bool:
    """Tells whether the columns of a table are on very different scales, in no order."""
    middle = median(scales) if scales else 0.0
    if middle <= 0 or max(scales) < _APART * middle:
        return False
    logs = [math.log(max(scale, 1e-12)) for scale in scales]
    quarter, _, three_quarters = quantiles(logs, n=4)
    if three_quarters - quarter < _SPAN:
        return False
    next_to = [abs(left - right) for left, right in pairwise(logs)]
    any_two = [abs(left - right) for index, left in enumerate(logs) for right in logs[:index]]
    return sum(next_to) / len(next_to) >= _SMOOTH * sum(any_two) / len(any_two)
