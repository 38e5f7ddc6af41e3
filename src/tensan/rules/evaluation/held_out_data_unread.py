"""EVL122: the model is measured on the data it is trained on, and the loader of the held-out data is never read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tensan.core.events.data import EpochStart
from tensan.core.events.evaluation import OutputsMeasured
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Loader
from tensan.core.findings import Category, Finding, Proof
from tensan.core.operations import LOSS, depends_on
from tensan.core.rule import Rule
from tensan.core.sites import Location, Place, resolved
from tensan.rules.evaluation._measured import is_predicted, predicted
from tensan.rules.evaluation.evaluation_data_in_training import HELD_OUT
from tensan.rules.optimizer._shared import Epochs, LoaderKey, name_given

_COMPREHENSIONS = re.compile(r"(\.<locals>)?\.?<(genexpr|listcomp|setcomp|dictcomp)>")
_COMPARING = frozenset({"aten::eq", "aten::ne", "aten::sub", "aten::lt", "aten::gt"})


class HeldOutDataUnread(Rule):
    """
    ## What it does

    Finds programs that measure their model on the loader that it is trained on, and on no other, while a loader of validation or test data
    was made and is never read.

    ## Why is this bad?

    The number that is printed as the quality of the model is that of memory. It rises to the end, whatever the model does on data that it
    has not seen.

    ## Example

    ```python
    test_loader = DataLoader(test_set)
    ...
    accuracy = evaluate(model, train_loader)
    ```

    ## Use instead

    ```python
    accuracy = evaluate(model, test_loader)
    ```

    ## Known problems

    The loader must have a name that says that its data is held out, such as `val_loader`. A program that measures its training data and
    keeps the test for another run looks the same.
    """

    code = "EVL122"
    name = "held-out-data-unread"
    category = Category.SUSPICIOUS
    law = 15
    effect = "wrong-metric"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._measured: dict[str, OutputsMeasured] = {}
        self._places: dict[str, list[tuple[Place, ...]]] = {}
        self._read: set[LoaderKey] = set()

    def on_epoch_start(self, event: EpochStart) -> None:
        if event.step:
            self._read.add(Epochs.key(event.loader))
        if event.loader.trained:  # a pass that may be an evaluation
            several = self._places.setdefault(event.loader.id, [])
            if len(several) < 64 and event.places not in several:
                several.append(event.places)

    def on_outputs_measured(self, event: OutputsMeasured) -> None:
        operations = event.operations
        made = predicted(operations, by="output")
        for operation in operations:
            if operation.settings.get("aten") in _COMPARING or operation.name in LOSS:
                sides = [is_predicted(value, made, by="output") for value in operation.inputs[:2]]
                if len(sides) == 2 and sides[0] != sides[1]:
                    given = operation.inputs[sides[0]]
                    delivered = given.subject == "batch" or depends_on(operations, given.producer, "batch")
                    self._measured.setdefault(event.loader if delivered else "", event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        loaders = {loader.id: loader for loader in event.loaders}
        self.armed = any(loader.trained for loader in event.loaders) and any(key in loaders for key in self._measured)
        unread = [
            loader for loader in event.loaders if Epochs.key(loader) not in self._read and HELD_OUT.search(name_given(loader.made, ""))
        ]
        trained = {Epochs.key(loader) for loader in event.loaders if loader.trained}
        others = bool(self._read - trained)
        if event.status != "completed" or not unread or others or "" in self._measured:
            return
        for key, measured in self._measured.items():
            loader = loaders.get(key)
            if loader is not None and loader.trained:
                yield self._finding(measured, loader, unread[0])
                return

    def _finding(self, measured: OutputsMeasured, loader: Loader, unread: Loader) -> Finding:
        name, forgotten = name_given(loader.made, "the training loader"), name_given(unread.made, "")
        return self.finding(
            f"the model is measured on `{name}`, which it is trained on, and `{forgotten}` is never read for that",
            at=self._given(loader, name, measured) or measured.site,
            event=measured,
            label=f"measures on `{name}`",
            related=[("this loader is not read once training has begun", unread.made)],
            proof=Proof.STATISTIC,
            proof_note=f"the run has ended, no pass over `{forgotten}` has begun since the first step, and `{name}` was measured on",
            help=f"measure on `{forgotten}`",
            subjects=[loader.id, unread.id],
        )

    def _given(self, loader: Loader, name: str, measured: OutputsMeasured) -> Place:
        """Returns the line of an evaluating pass that names the loader."""
        site = resolved(measured.site)
        for places in self._places.get(loader.id, ()):
            locations = [location for location in map(resolved, places) if location is not None]
            # The pass that evaluates begins in the function that runs the model for it.
            if not locations or (site is not None and _around(locations[0]) != _around(site)):
                continue
            for location in locations:
                if re.search(rf"\b{re.escape(name)}\b", location.source):
                    return location
        return None


def _around(location: Location) -> str:
    """Returns the function that a place stands in, seen from outside of comprehensions."""
    return _COMPREHENSIONS.sub("", location.function)
