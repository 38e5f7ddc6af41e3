"""DAT124: NaN or Inf of one part of the training data has broken a gradient, and the other parts hold none."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.events.data import SourceSeen
from tensan.core.events.numerics import NonfiniteOrigin
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Loader
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import counted

#: Rows of a part below which it is not known that it holds none.
_LEAST_ROWS = 16


class _Source(msgspec.Struct):
    """One part of a joined dataset: how many of its rows were looked at, and how many of them are not finite."""

    first: SourceSeen
    num_rows: int = 0
    num_broken: int = 0

    def __str__(self) -> str:
        name = f" (`{self.first.name}`)" if self.first.name else ""
        return f"part {self.first.source + 1} of {self.first.num_sources}{name}"


class SourceNotFinite(Rule):
    """
    ## What it does

    Finds training data that is joined of several datasets, where a batch with NaN or Inf broke a gradient, and all such rows come from
    some of the parts while the others have none.

    ## Why is this bad?

    One such row, and every weight is NaN after the step. The rest of the data is fine, so that it is a matter of luck when it comes,
    and a look at the first file finds nothing.

    ## Example

    ```python
    train = ConcatDataset([Table(path) for path in paths])    # one of the files marks what is missing by NaN
    ```

    ## Use instead

    Leave out these rows, or fill in what is missing, where the part is read.

    ## Known problems

    Parts are known where they are joined by `ConcatDataset` or `+`, and a few batches of each are looked at. What the program fills in
    before it gets as far as a gradient is left in peace.
    """

    code = "DAT124"
    name = "source-not-finite"
    category = Category.CORRECTNESS
    law = 14
    effect = "wrong-data"
    explains = frozenset({"non-finite", "wrong-data"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._sources: dict[str, dict[int, _Source]] = {}
        self._learners: set[str] = set()
        self._broke = False

    def on_loss(self, event: Loss) -> None:
        self._learners |= {leaf.id for leaf in event.leaves}

    def on_nonfinite_origin(self, event: NonfiniteOrigin) -> None:
        self._broke = self._broke or event.kind == "batch"

    def on_source_seen(self, event: SourceSeen) -> None:
        known = self._sources.setdefault(event.loader, {})
        source = known.setdefault(event.source, _Source(event))
        source.num_rows += event.num_rows
        source.num_broken += event.num_broken
        self.armed = self.armed or len(known) > 1

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end, when it is known which loaders were trained on."""
        for loader in event.loaders:
            sources = self._sources.get(loader.id, {}).values() if loader.trained and self._broke else ()
            broken = [source for source in sources if source.num_broken]
            whole = [source for source in sources if not source.num_broken and source.num_rows >= _LEAST_ROWS]
            if broken and whole and len(broken) + len(whole) == len(sources):
                yield self._finding(loader, broken, whole)

    def _finding(self, loader: Loader, broken: list[_Source], whole: list[_Source]) -> Finding:
        worst = max(broken, key=lambda source: source.num_broken / source.num_rows)
        more = f" and {counted(len(broken) - 1, 'other')}" if len(broken) > 1 else ""
        rows = sum(source.num_rows for source in whole)
        return self.finding(
            f"NaN or Inf in {worst}{more} has broken a gradient; the other parts hold none",
            at=loader.made,
            event=worst.first,
            label="joins them in one training set",
            evidence={"broken rows": worst.num_broken, "of": worst.num_rows, "broken parts": len(broken)},
            proof_note=f"{worst.num_broken} of {counted(worst.num_rows, 'row')} of it that were looked at are not finite, "
            f"and none of {counted(rows, 'row')} of the others",
            help="leave these rows out, or fill in what is missing, where this part is read",
            subjects=self._learners,
        )
