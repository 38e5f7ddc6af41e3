"""DAT123: a data set gives the same input for every index."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import EpochStart, InputsAlike
from tensan.core.events.things import typed
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule

#: Samples and batches that must have been looked at.
_LEAST_SAMPLES, _LEAST_BATCHES = 16, 3


class InputsAllAlike(Rule):
    """
    ## What it does

    Finds a data set of the program's own whose `__getitem__` gives one and the same input, whatever the index.

    ## Why is this bad?

    There is nothing to learn from. The loss falls to what guessing gives and stays there. Often the index is not used, each word is looked
    up under a spelling that the vocabulary does not know, or a default stands in for what could not be read.

    ## Example

    ```python
    def __getitem__(self, index):
        return torch.tensor([vocabulary.get(word, 0) for word in self.texts[index].split()])  # not lower case, as the vocabulary is
    ```

    ## Use instead

    ```python
    def __getitem__(self, index):
        return torch.tensor([vocabulary.get(word, 0) for word in self.texts[index].lower().split()])
    ```

    ## Known problems

    Where all that comes with the input is the same too, and the input is one value repeated, it is taken for a stand-in to measure speed.
    """

    code = "DAT123"
    name = "inputs-all-alike"
    category = Category.SUSPICIOUS
    law = 7
    effect = "wrong-data"

    def on_epoch_start(self, event: EpochStart) -> None:
        self.armed = True

    def on_inputs_alike(self, event: InputsAlike) -> Iterator[Finding]:
        if not event.loader.trained or event.num_samples < _LEAST_SAMPLES or event.num_batches < _LEAST_BATCHES:
            return
        if event.constant and not event.others_vary:
            return
        yield self.finding(
            f"the data set gives one and the same input for every index: {event.num_samples} samples are equal",
            at=event.site,
            event=event,
            label=f"gives the same {typed(event.dtype, event.shape)} each time",
            evidence={
                "samples": event.num_samples,
                "batches": event.num_batches,
                "constant": event.constant,
                "others vary": event.others_vary,
            },
            related=[("delivered by this loader", event.loader.made)],
            proof_note="the inputs of all samples that were looked at are equal, value by value"
            + (", while what comes with them differs" if event.others_vary else ""),
            help="look at what the index selects, and at defaults that stand in for what is not found",
            subjects={event.loader.id},
        )
