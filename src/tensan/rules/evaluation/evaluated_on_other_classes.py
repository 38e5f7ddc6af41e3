"""EVL123: the classes of the evaluated data are not those of the training data."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import LabelsSeen
from tensan.core.events.run import RunEnd
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Epochs, LoaderKey, name_given

#: Labels that must have been seen of each class of training, on average, so that a class is not missing by chance.
_LEAST_EACH = 10
_LEAST_EVALUATED = 20
_LEAST_UNKNOWN = 0.5
_LEAST_SHIFTED = 3


class EvaluatedOnOtherClasses(Rule):
    """
    ## What it does

    Finds evaluation data whose classes the model was never trained on: half of its classes and more do not occur in the training
    data, or all are one off.

    ## Why is this bad?

    No model can do well on it, however good it is. Most often data that lies sorted by class was cut into two parts, or the two sides
    number their classes differently.

    ## Example

    ```python
    train_set = Subset(data, range(800))            # data is sorted by class
    test_set = Subset(data, range(800, 1000))
    ```

    ## Use instead

    ```python
    train_set, test_set = random_split(data, [800, 200])
    ```

    ## Known problems

    Evaluation on new classes, as in zero-shot learning, is told only where the loss has outputs for them. Only data from loaders is
    looked at.
    """

    code = "EVL123"
    name = "evaluated-on-other-classes"
    category = Category.SUSPICIOUS
    law = 11
    effect = "wrong-metric"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen: list[LabelsSeen] = []

    def on_labels_seen(self, event: LabelsSeen) -> None:
        self._seen.append(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        trained_lines = {Epochs.key(seen.loader) for seen in self._seen if seen.loader.trained}
        trained = [seen for seen in self._seen if seen.loader.trained]
        known = {label for seen in trained for label in seen.classes}
        labels, outputs = sum(seen.num_labels for seen in trained), max((seen.num_outputs for seen in trained), default=0)
        shuffled = all(seen.loader.order == "random" or seen.num_batches >= (seen.loader.length or 1 << 62) for seen in trained)
        described = {seen.loader.id for seen in trained}
        others = any(loader.trained and loader.id not in described for loader in event.loaders)  # what those deliver is not known
        if not known or others or not shuffled or labels < _LEAST_EACH * len(known):
            return
        told: set[LoaderKey] = set()
        for seen in self._seen:
            key = Epochs.key(seen.loader)
            if (
                key in trained_lines
                or key in told
                or seen.num_labels < _LEAST_EVALUATED
                or max(seen.classes) >= outputs
                or min(seen.classes) < 0
            ):
                continue
            self.armed = True
            classes = set(seen.classes)
            unknown = len(classes - known) / len(classes)
            shift = next((by for by in (1, -1) if {label + by for label in known} == classes), 0) if len(known) >= _LEAST_SHIFTED else 0
            if unknown >= _LEAST_UNKNOWN or shift:
                told.add(key)
                yield self._finding(seen, trained[0], known, classes, shift=shift)

    def _finding(self, seen: LabelsSeen, trained: LabelsSeen, known: set[int], classes: set[int], *, shift: int) -> Finding:
        name, learned = name_given(seen.loader.made, "the evaluation loader"), name_given(trained.loader.made, "the training loader")
        what = "are one off those" if shift else "do not occur"
        who = "the classes" if shift or classes.isdisjoint(known) else f"most classes ({len(classes - known)} of {len(classes)})"
        return self.finding(
            f"{who} that are evaluated {what} {'of' if shift else 'in'} the training data",
            at=seen.loader.made or seen.site,
            event=seen,
            label=f"delivers classes {_shown(classes)}",
            evidence={"trained": _shown(known), "evaluated": _shown(classes)},
            related=[(f"trained on classes {_shown(known)}", trained.loader.made)],
            proof=Proof.STATISTIC,
            proof_note=f"{trained.num_labels} labels of `{learned}` and {seen.num_labels} of `{name}` were looked at",
            help="number the classes of both alike"
            if shift
            else "shuffle before the data is split (`random_split`), or split within each class",
            subjects=[seen.loader.id, trained.loader.id],
        )


def _shown(classes: set[int]) -> str:
    several = sorted(classes)
    if len(several) > 2 and several == list(range(several[0], several[-1] + 1)):
        return f"{several[0]} to {several[-1]}"
    return ", ".join(map(str, several[:6])) + (" ..." if len(several) > 6 else "")
