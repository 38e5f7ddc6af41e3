"""DAT129: outputs that were kept batch by batch are compared with predictions for other rows, since the loader has shuffled anew."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tensan.core.events.data import StoredOutputsMet
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place, resolved
from tensan.rules.optimizer._shared import Evidence

_LEAST_STEPS = 2
#: Rows of which it must be known what the model gave for them, by number and as a share of the batch.
_LEAST_KNOWN = 4
_KNOWN = 0.25
#: Share of the outputs that must differ from each other.
_DIFFERENT = 0.5
#: Share of the known rows that may still meet what belongs to them, by chance, and from which on the program does it right.
_BY_CHANCE = 0.25
_RIGHT = 0.5
#: What a program calls outputs that it sets against other rows on purpose.
_MEANT = re.compile(r"shuf|scram|null|control|chance|negativ|queue|bank|rand|perm|mix", re.IGNORECASE)


class StoredOutputsMeetOtherRows(Rule):
    """
    ## What it does

    Finds outputs of a model, such as a teacher's logits or pseudo-labels, that were kept batch by batch in an earlier pass over the data
    and are compared in the loss, row by row, with predictions for other rows.

    ## Why is this bad?

    A loader that shuffles draws another order for each pass. The third batch of this pass has other samples than the third batch of the
    pass in which the outputs were made, so that each sample learns from what the teacher said of some other one. Nothing fails: shapes
    fit, and the loss goes down until the student says the same of all samples.

    ## Example

    ```python
    with torch.no_grad():
        logits = [teacher(x) for x, _ in loader]  # the loader shuffles
    for epoch in range(epochs):
        for step, (x, y) in enumerate(loader):
            loss = distillation(student(x), logits[step])
    ```

    ## Use instead

    ```python
    for x, y in loader:
        with torch.no_grad():
            target = teacher(x)
        loss = distillation(student(x), target)
    ```

    Or keep them by the index of the sample, and let the dataset return that index.

    ## Known problems

    Rows are known by their values: where inputs are augmented or prepared in another way in the second pass, nothing is said. Names such as
    `shuffled`, `negatives` or `queue` say that other rows are meant.
    """

    code = "DAT129"
    name = "stored-outputs-meet-other-rows"
    category = Category.CORRECTNESS
    law = 7
    effect = "wrong-data"
    explains = frozenset({"wrong-gradient"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._evidence: dict[Place, Evidence[StoredOutputsMet]] = {}

    def on_stored_outputs_met(self, event: StoredOutputsMet) -> Iterator[Finding]:
        self.armed = True
        evidence = self._evidence.setdefault(event.compared, Evidence(_LEAST_STEPS))
        if event.num_known and event.num_right >= _RIGHT * event.num_known:
            evidence.refute()
            return
        if not _meets_others(event) or _is_meant(event.site):
            return
        for seen in evidence.add(event):
            yield self._finding(seen)

    def _finding(self, event: StoredOutputsMet) -> Finding:
        name = f"`{event.name}`" if event.name else "what the model gave"
        right = event.num_right or "none"
        return self.finding(
            "outputs that were kept from an earlier pass are compared with predictions for other rows",
            at=event.site,
            event=event,
            label=f"{name} was made for a batch of an earlier pass, which had other rows in this place",
            evidence={"rows": event.num_rows, "known": event.num_known, "right": event.num_right},
            related=[("made here", event.made), ("compared here", event.compared if event.compared != event.site else None)],
            proof_note=(
                f"of {event.num_known} rows of the batch it is known what the model gave for them, value by value: "
                f"{right} of them {'meets' if event.num_right == 1 else 'meet'} that, the others what it gave for another row"
            ),
            help="make the outputs for the batch at hand, or keep them by the index of each sample and look them up by it",
            subjects={"*"},
        )


def _meets_others(event: StoredOutputsMet) -> bool:
    """Tells whether rows of a batch that was drawn at random meet what was made before it, and made of others."""
    if event.is_of_this_batch or event.is_shifted or event.is_beside_right or not event.is_shuffled:
        return False
    enough = event.num_known >= max(_LEAST_KNOWN, _KNOWN * event.num_rows)
    enough = enough and event.num_different >= max(_LEAST_KNOWN, _DIFFERENT * event.num_rows)
    return enough and event.num_right <= _BY_CHANCE * event.num_known


def _is_meant(place: Place) -> bool:
    location = resolved(place)
    return location is not None and (_MEANT.search(location.function) is not None or _MEANT.search(location.source) is not None)
