"""MOD102: a model is evaluated while dropout drops and batch statistics move."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.events.data import EpochStart
from tensan.core.events.evaluation import Evaluation
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Mode
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import line_of, listed


class _Evaluated(msgspec.Struct):
    """The evaluations of one model at one line, by the loader that delivered the inputs; `unknown` may have been given training data."""

    first: Evaluation
    modes: tuple[Mode, ...]
    by_loader: dict[str | None, int] = msgspec.field(default_factory=dict)
    unknown: int = 0


class EvaluatedInTrainMode(Rule):
    """
    ## What it does

    Finds models that are evaluated, with gradients off and their output compared with targets, while they still are in train
    mode and have dropout or batch normalisation.

    ## Why is this bad?

    Dropout makes the measured quality worse and random. Batch normalisation measures each batch by itself, and takes the
    evaluation data into its running statistics.

    ## Example

    ```python
    with torch.no_grad():
        accuracy = (model(x).argmax(1) == y).float().mean()
    ```

    ## Use instead

    ```python
    model.eval()
    with torch.no_grad():
        accuracy = (model(x).argmax(1) == y).float().mean()
    model.train()
    ```

    ## Known problems

    Silent where the mode was chosen after the last backward pass, where one input goes through several times, as in Monte
    Carlo dropout, and where the batches come from the loader that is trained on. Where it cannot be told whether the input is training
    data, only what is evaluated after the last step is named.
    """

    code = "MOD102"
    name = "evaluated-in-train-mode"
    category = Category.SUSPICIOUS
    law = 4
    effect = "wrong-mode"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._evaluated: dict[object, _Evaluated] = {}
        self._meant: set[str] = set()
        self._trained_loaders: set[str] = set()

    def on_epoch_start(self, event: EpochStart) -> None:
        if event.loader.trained:
            self._trained_loaders.add(event.loader.id)

    def on_evaluation(self, event: Evaluation) -> None:
        if not event.has_trained or not event.modes:
            return
        self.armed = True
        if event.repeated:
            self._meant.add(event.module)
        modes = tuple(mode for mode in event.modes if mode.training and mode.root_training)
        place = event.module, line_of(event.site)
        if not modes or not event.compared or event.mode_chosen or event.repeated or event.from_training:
            return  # what training itself takes is measured in the mode of training
        evaluated = self._evaluated.setdefault(place, _Evaluated(first=event, modes=modes))
        if event.from_training is None:
            evaluated.unknown += 1
        else:
            evaluated.by_loader[event.from_loader] = evaluated.by_loader.get(event.from_loader, 0) + 1

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end, when it is known which loaders were trained on."""
        self._trained_loaders.update(loader.id for loader in event.loaders if loader.trained)
        for evaluated in self._evaluated.values():
            times = sum(count for loader, count in evaluated.by_loader.items() if loader not in self._trained_loaders)
            if not times and event.status == "completed" and evaluated.first.step == event.step:
                times = evaluated.unknown  # at this line nothing was evaluated before the last step: it is no part of training
            if times and evaluated.first.module not in self._meant:
                yield self._finding(evaluated, times)

    def _finding(self, evaluated: _Evaluated, times: int) -> Finding:
        modes = evaluated.modes
        norms = [mode for mode in modes if "Norm" in mode.kind]
        drops = [mode for mode in modes if "Norm" not in mode.kind]
        does = [f"{listed(mode.kind for mode in drops)} still drops values" if drops else ""]
        does += [f"{listed(mode.kind for mode in norms)} uses the statistics of the batch" if norms else ""]
        return self.finding(
            f"evaluated in train mode: {' and '.join(text for text in does if text)}",
            at=evaluated.first.site,
            event=evaluated.first,
            label="moves the running statistics too" if norms else "the model is in train mode",
            evidence={
                "modules": [f"{mode.kind} {mode.name}" for mode in modes[:4]],
                "evaluations": times,
            },
            related=[("the mode was last set here", modes[0].changed)],
            proof_note=(
                f"{times} forward pass{'' if times == 1 else 'es'} with gradients off, compared with targets, "
                "after training and with no change of mode since"
            ),
            help="call `eval()` on the model before this, and `train()` when training goes on",
            subjects=[evaluated.first.module, *(mode.module for mode in modes), *(mode.root for mode in modes)],
        )
