"""DAT101: fetching an item changes the stored data, again in each epoch."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.events.data import EpochStart, ItemEdited
from tensan.core.events.things import Loader
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Epochs, counted

_LEAST_EDITS = 3


class _Edited(msgspec.Struct):
    """The edits of one loader's stored data: in which passes over it there were some, and those that are not told yet."""

    passes: set[int] = msgspec.field(default_factory=set)
    edits: int = 0
    held: list[tuple[ItemEdited, int]] = msgspec.field(default_factory=list)


class StoredDataEditedInPlace(Rule):
    """
    ## What it does

    Finds datasets whose stored arrays change each time an item is fetched, epoch after epoch.

    ## Why is this bad?

    An augmentation or normalisation that works in place on a view of the stored data adds up: after ten epochs the item has
    ten times the noise, or has been normalised ten times. With worker processes the damage is done to copies and hidden.

    ## Example

    ```python
    def __getitem__(self, i):
        x = self.X[i]
        x += 0.5 * torch.randn(20)
        return x, self.Y[i]
    ```

    ## Use instead

    ```python
    def __getitem__(self, i):
        x = self.X[i] + 0.5 * torch.randn(20)
        return x, self.Y[i]
    ```

    ## Known problems

    An edit that happens once for each item, as when data is normalised at first use, is not told. So a run of one epoch is
    silent.
    """

    code = "DAT101"
    name = "stored-data-edited-in-place"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._edited: dict[object, _Edited] = {}
        self._epochs = Epochs()
        self._loaders: dict[str, Loader] = {}

    def on_epoch_start(self, event: EpochStart) -> None:
        self._epochs.begin(event.loader)
        self._loaders[event.loader.id] = event.loader
        self.armed = self.armed or self._epochs.count(event.loader) >= 2

    def on_item_edited(self, event: ItemEdited) -> Iterator[Finding]:
        self.armed = True
        loader = self._loaders.get(event.loader)
        passes = max(event.passes, self._epochs.count(loader)) if loader is not None else event.passes
        edited = self._edited.setdefault(Epochs.key(loader) if loader is not None else event.loader, _Edited())
        edited.passes.add(passes)
        edited.edits += 1
        if passes < 2:
            return  # data that is normalised or cached at its first use changes in the first pass
        edited.held.append((event, passes))
        if max(event.edits, edited.edits) < _LEAST_EDITS or (len(edited.passes) < 2 and len(edited.held) < 2):
            return
        held, edited.held = edited.held, []
        for seen, in_pass in held:
            # Only from the second edit on is the line looked for while it runs.
            yield self._finding(msgspec.structs.replace(seen, site=event.site), in_pass)

    def _finding(self, event: ItemEdited, passes: int) -> Finding:
        return self.finding(
            f"fetching items changes the stored data, again in epoch {passes}",
            at=event.site,
            event=event,
            label="edits what the dataset keeps",
            evidence={"edits": event.edits, "fetches": event.fetches, "passes": passes},
            proof_note=(
                f"{counted(event.edits, 'time')} in {event.fetches} fetches the stored values were written to, "
                "also after the first pass over them"
            ),
            help="work on a copy: `x = X[i].clone()` (or `.copy()`), or write `x = x + noise` instead of `x += noise`",
            subjects=[event.loader],
        )
