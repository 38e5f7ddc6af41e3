"""DAT170: one part of the training data is in other units, or counts its classes from another number, than the rest."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.events.data import SourceSeen
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Loader
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import counted

#: Rows of a part below which nothing is said of it.
_LEAST_ROWS = 16
#: Raw 8-bit values reach far up; what is scaled, to 0..1 or to mean 0 and spread 1, does not.
_RAW_FROM, _RAW_TO, _SCALED = 128, 255, 16
#: Classes of each part below which a shift by one may be chance.
_LEAST_CLASSES = 4


class _Source(msgspec.Struct):
    """One part of a joined dataset: what its batches were like."""

    first: SourceSeen
    num_rows: int = 0
    minimum: float = float("inf")
    maximum: float = float("-inf")
    whole: bool = True
    classes: set[int] = msgspec.field(default_factory=set[int])

    def add(self, event: SourceSeen) -> None:
        """Another batch with rows of this part."""
        self.num_rows += event.num_rows
        self.minimum, self.maximum = min(self.minimum, event.minimum), max(self.maximum, event.maximum)
        self.whole = self.whole and event.whole
        self.classes |= set(event.classes)

    @property
    def is_raw(self) -> bool:
        """Whether all values are those of bytes."""
        return self.whole and self.minimum >= 0 and _RAW_FROM <= self.maximum <= _RAW_TO

    @property
    def is_scaled(self) -> bool:
        """Whether the values are small fractions."""
        return not self.whole and self.minimum >= -_SCALED and self.maximum <= _SCALED

    def __str__(self) -> str:
        name = f" (`{self.first.name}`)" if self.first.name else ""
        return f"part {self.first.source + 1} of {self.first.num_sources}{name}"


class SourceInOtherUnits(Rule):
    """
    ## What it does

    Finds training data that is joined of several datasets, of which some deliver raw bytes from 0 to 255 and the others scaled
    values, or whose classes begin with 1 in one part and with 0 in the other.

    ## Why is this bad?

    The model learns from which file a sample comes. What it learns on one part is nonsense on the other, and since the loss is a
    mean over both, it goes down all the same.

    ## Example

    ```python
    train = ConcatDataset([Images("a.npy", scale=1 / 255), Images("b.npy", scale=1)])
    ```

    ## Use instead

    ```python
    train = ConcatDataset([Images("a.npy", scale=1 / 255), Images("b.npy", scale=1 / 255)])
    ```

    ## Known problems

    Parts are known where they are joined by `ConcatDataset` or `+`. Parts whose values differ in another way are left in peace:
    they may be other domains.
    """

    code = "DAT170"
    name = "source-in-other-units"
    category = Category.SUSPICIOUS
    law = 11
    effect = "wrong-data"
    explains = frozenset({"wrong-data", "wrong-scale"})  # of the model that learns from them: its inputs are large because one part's are

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._sources: dict[str, dict[int, _Source]] = {}
        self._learners: set[str] = set()

    def on_loss(self, event: Loss) -> None:
        self._learners |= {leaf.id for leaf in event.leaves}

    def on_source_seen(self, event: SourceSeen) -> None:
        known = self._sources.setdefault(event.loader, {})
        known.setdefault(event.source, _Source(event)).add(event)
        self.armed = self.armed or len(self._enough(event.loader)) > 1

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end, when it is known which loaders were trained on."""
        for loader in event.loaders:
            sources = self._enough(loader.id) if loader.trained else []
            raw, scaled = [one for one in sources if one.is_raw], [one for one in sources if one.is_scaled]
            if raw and scaled:
                yield self._other_units(loader, raw, scaled)
            shifted = _shifted_by_one(sources)
            if shifted is not None:
                yield self._other_classes(loader, *shifted)

    def _enough(self, loader: str) -> list[_Source]:
        return [source for source in self._sources.get(loader, {}).values() if source.num_rows >= _LEAST_ROWS]

    def _other_units(self, loader: Loader, raw: list[_Source], scaled: list[_Source]) -> Finding:
        one, other = raw[0], scaled[0]
        return self.finding(
            f"{one} delivers raw bytes up to {one.maximum:g}, {other} values from {other.minimum:.3g} to {other.maximum:.3g}",
            at=loader.made,
            event=one.first,
            label="joins them in one training set",
            evidence={"raw parts": len(raw), "scaled parts": len(scaled)},
            proof=Proof.STATISTIC,
            proof_note=(
                f"all values in {counted(one.num_rows, 'row')} of the one are whole numbers, "
                f"those in {counted(other.num_rows, 'row')} of the other are not"
            ),
            help="bring all parts to one unit before they are joined: divide the raw one by 255 and prepare it as the other is",
            subjects=self._learners,
        )

    def _other_classes(self, loader: Loader, from_zero: _Source, from_one: _Source) -> Finding:
        return self.finding(
            f"{from_one} counts its classes from 1 to {max(from_one.classes)}, {from_zero} from 0 to {max(from_zero.classes)}",
            at=loader.made,
            event=from_one.first,
            label="joins them in one training set",
            evidence={"classes of each": len(from_one.classes)},
            proof=Proof.STATISTIC,
            proof_note=(
                f"{counted(from_one.num_rows, 'row')} of the one have no class 0, and {counted(from_zero.num_rows, 'row')} "
                f"of the other no class {max(from_one.classes)}"
            ),
            help="give the same class the same number in all parts: subtract 1 from the labels that begin with 1",
            subjects=[loader.id],
        )


def _shifted_by_one(sources: list[_Source]) -> tuple[_Source, _Source] | None:
    """Returns a part whose classes are 0 to n-1 and one whose classes are 1 to n, where there is such a pair."""
    for zero in sources:
        classes = zero.classes
        if len(classes) >= _LEAST_CLASSES and classes == set(range(len(classes))):
            for one in sources:
                if one.classes == {number + 1 for number in classes} and min(zero.num_rows, one.num_rows) >= 4 * len(classes):
                    return zero, one
    return None
