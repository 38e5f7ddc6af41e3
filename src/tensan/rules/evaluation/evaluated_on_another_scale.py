"""EVL102: inputs are prepared in one way for training and in another for evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

import msgspec

from tensan.core.events.data import InputValues
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule

#: Features that are compared, at least: a curve that is drawn beyond the data has few.
_LEAST_FEATURES = 8
#: Part of the features that must be on another scale, and by how much.
_LEAST_SHARE = 0.9
_FACTOR = 4.0
_SHIFT = 4.0
#: Training's own batches differ by less than this.
_STEADY = 2.0


class EvaluatedOnAnotherScale(Rule):
    """
    ## What it does

    Finds models whose inputs are on another scale in evaluation than in training: nearly every feature has several times the spread, or
    lies many standard deviations off.

    ## Why is this bad?

    Normalisation was forgotten on one side, or uses other constants. The measured quality is that of a model on data that
    it has never seen the like of, often no better than chance.

    ## Example

    ```python
    train_x = (train_x - mean) / std
    loader = DataLoader(TensorDataset(train_x, train_y))
    accuracy(model, test_x, test_y)                  # test_x as it was read
    ```

    ## Use instead

    ```python
    train_x, test_x = (train_x - mean) / std, (test_x - mean) / std
    ```

    ## Known problems

    Evaluation on data that is far off on purpose, such as noise or another domain, looks the same. So it is told aloud only where the
    program holds the very mean and spread by which its data would lie where those of training do, or where raw pixels meet prepared ones;
    otherwise it is a hint, where hints are asked for. Models of fewer than eight inputs are not looked at.
    """

    code = "EVL102"
    name = "evaluated-on-another-scale"
    category = Category.SUSPICIOUS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._trained: dict[str, list[InputValues]] = {}
        self._told: set[str] = set()

    def on_input_values(self, event: InputValues) -> Iterator[Finding]:
        if len(event.deviations) < _LEAST_FEATURES:
            return
        if event.training:
            self._trained.setdefault(event.module, []).append(event)
            return
        trained = [batch for batch in self._trained.get(event.module, ()) if batch.shape[1:] == event.shape[1:]]
        if len(trained) < 2 or not _alike(trained[0], trained[1]):
            return
        self.armed = True
        if event.module not in self._told and _differs(trained[0], event) and _differs(trained[1], event):
            self._told.add(event.module)
            found = self._finding(trained[0], event)
            # What is far off on purpose looks the same, so without more to go by it stays a hint.
            sure = event.missing or (event.are_pixels and not any(batch.are_pixels for batch in trained))
            yield found if sure else msgspec.structs.replace(found, preview=True)

    def _finding(self, trained: InputValues, event: InputValues) -> Finding:
        before, now = median(trained.deviations), median(event.deviations)
        middle, off = median(trained.means), median(event.means)
        return self.finding(
            f"the model is evaluated on another scale than it is trained on: spread {now:.3g} where training had {before:.3g}",
            at=event.site,
            event=event,
            label=f"mean {off:.3g}, spread {now:.3g}",
            evidence={"spread in training": before, "spread here": now, "mean in training": middle, "mean here": off},
            related=[(f"trained on mean {middle:.3g}, spread {before:.3g}", trained.site)],
            proof=Proof.STATISTIC,
            proof_note=(
                f"{_LEAST_SHARE:.0%} of the features and more differ by a factor of {_FACTOR:g} in spread or by {_SHIFT:g} of their "
                "spreads in mean, and two batches of training do not"
                + (f"; by the program's own `{event.missing}` they would lie where those of training do" if event.missing else "")
                + ("; these are whole numbers from 0 to 255, those of training are not" if event.are_pixels else "")
            ),
            help=f"prepare these as well: `{event.missing}`"
            if event.missing
            else "prepare both alike, with the mean and spread of the training data",
            subjects=[event.module],
        )


def _share(first: InputValues, second: InputValues, *, factor: float, shift: float) -> float:
    """The share of the features that are on another scale; those that never vary are left out."""
    pairs: Sequence[bool] = [
        s > factor * d or d > factor * s or abs(m - n) > shift * max(d, s)
        for m, d, n, s in zip(first.means, first.deviations, second.means, second.deviations, strict=False)
        if d > 0 or s > 0
    ]
    return sum(pairs) / len(pairs) if len(pairs) >= _LEAST_FEATURES else 0.0


def _differs(trained: InputValues, event: InputValues) -> bool:
    return _share(trained, event, factor=_FACTOR, shift=_SHIFT) >= _LEAST_SHARE


def _alike(first: InputValues, second: InputValues) -> bool:
    return _share(first, second, factor=_STEADY, shift=_STEADY) < 0.2
