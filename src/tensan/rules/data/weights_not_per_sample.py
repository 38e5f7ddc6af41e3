"""DAT126: samples are drawn by fewer weights than there are samples, so that only the first few are ever drawn."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import SamplesWeighted
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Loader
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule

#: Where no class labels are known, the weights must be so many times fewer than the samples.
_FEWER = 8


class WeightsNotPerSample(Rule):
    """
    ## What it does

    Finds a `WeightedRandomSampler` that training draws its samples with and that was given one weight for each class, not one for each
    sample.

    ## Why is this bad?

    The sampler draws places in its list of weights. Of ten weights it draws the first ten samples, again and again: the rest of the data is
    never seen. The loss falls quickly, because ten samples are soon known by heart.

    ## Example

    ```python
    class_weights = 1.0 / torch.bincount(labels)
    sampler = WeightedRandomSampler(class_weights, num_samples=len(labels))
    ```

    ## Use instead

    ```python
    class_weights = 1.0 / torch.bincount(labels)
    sampler = WeightedRandomSampler(class_weights[labels], num_samples=len(labels))
    ```

    ## Known problems

    Where the data set keeps class labels, the weights must be as many as the classes, so that weights for a first part of the data pass.
    Where it keeps none, an eighth of the samples or fewer are taken for weights of classes.
    A data set that claims more items than it tells apart, of which the first few are drawn on purpose, looks the same.
    """

    code = "DAT126"
    name = "weights-not-per-sample"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"
    explains = frozenset({"wrong-data"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._short: dict[str, SamplesWeighted] = {}

    def on_samples_weighted(self, event: SamplesWeighted) -> None:
        self.armed = True
        if _is_short(event):
            self._short[event.loader.id] = event

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end, when it is known which loaders were trained on."""
        for loader in event.loaders:
            found = self._short.get(loader.id)
            if found is not None and loader.trained:
                yield self._finding(found, loader)

    def _finding(self, found: SamplesWeighted, loader: Loader) -> Finding:
        weights, items = found.num_weights, found.loader.num_items
        per_class = "one for each class" if weights in found.num_classes else "too few to be one for each sample"
        return self.finding(
            f"only the first {weights} of {items} samples are ever drawn: the sampler was given {weights} weights",
            at=found.made or loader.made or found.site,
            event=found,
            label=f"{weights} weights, {per_class}",
            evidence={"weights": weights, "samples": items, "drawn in an epoch": found.num_draws},
            related=[("training draws from this loader", loader.made)] if found.made is not None and loader.made is not None else (),
            proof_note=f"an epoch draws {found.num_draws} places out of {weights} weights, and there are {items} samples",
            help="give each sample the weight of its class: `weights[labels]`",
            subjects=[loader.id],
        )


def _is_short(event: SamplesWeighted) -> bool:
    items = event.loader.num_items or 0
    if not 0 < event.num_weights < min(items, event.num_draws):
        return False
    return event.num_weights in event.num_classes if event.num_classes else event.num_weights * _FEWER <= items
