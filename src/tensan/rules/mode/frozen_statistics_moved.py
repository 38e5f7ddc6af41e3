"""MOD130: a frozen part was put into eval mode, and a `train()` on the whole model has undone that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensan.core.events.things import Mode
from tensan.core.events.training import Backward, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence, counted, listed

_LEAST_STEPS = 3


class FrozenStatisticsMoved(Rule):
    """
    ## What it does

    Finds batch normalisation and dropout in a frozen part of a model that was put into eval mode before training, and that a `train()` on
    the whole model has put back into train mode.

    ## Why is this bad?

    The weights of the part stay, but its running statistics move with every batch, and it normalises by the batch instead of by
    what it was trained with. The features that the rest learns from drift, and differ from those of evaluation. With dropout, a
    teacher inside the model teaches noise.

    ## Example

    ```python
    for p in model.backbone.parameters():
        p.requires_grad = False
    model.backbone.eval()
    for epoch in range(epochs):
        model.train()
        train_epoch(model)
    ```

    ## Use instead

    ```python
    for epoch in range(epochs):
        model.train()
        model.backbone.eval()
        train_epoch(model)
    ```

    ## Known problems

    Needs both signs of intent, all parameters of the part frozen and an `eval()` on it before the first backward pass: a frozen part
    that was never put into eval mode may be meant to adapt its statistics. A part that was trained before has to be frozen when
    `eval()` is called on it.
    """

    code = "MOD130"
    name = "frozen-statistics-moved"
    category = Category.SUSPICIOUS
    law = 4
    effect = "wrong-mode"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._last: dict[str, tuple[Backward, tuple[Mode, ...]]] = {}
        self._evidence: dict[str, Evidence[tuple[Backward, tuple[Mode, ...]]]] = {}

    def on_backward(self, event: Backward) -> None:
        by_root: dict[str, list[Mode]] = {}
        for mode in event.modes:
            if "BatchNorm" in mode.kind or "Dropout" in mode.kind:
                self.armed = True
                by_root.setdefault(mode.root, []).append(mode)
        for root, modes in by_root.items():
            self._last[root] = event, tuple(mode for mode in modes if mode.held is not None and mode.training)

    def on_optimizer_step(self, event: OptimizerStep) -> Iterator[Finding]:
        for root in {parameter.root for parameter in event.with_gradient if parameter.root is not None}:
            last = self._last.pop(root, None)
            if last is None:
                continue
            evidence = self._evidence.setdefault(root, Evidence(_LEAST_STEPS))
            if not last[1]:
                evidence.interrupt()
                continue
            for backward, modes in evidence.add(last):
                yield self._finding(backward, modes)

    def _finding(self, event: Backward, modes: Sequence[Mode]) -> Finding:
        first = modes[0]
        kinds = listed(dict.fromkeys(mode.kind for mode in modes))
        moving = any("BatchNorm" in mode.kind for mode in modes)
        what = f"statistics of {kinds} move" if moving else f"{kinds} drops values"
        return self.finding(
            f"`train()` on the whole model undoes the `eval()` of its frozen part: {what}",
            at=first.changed if first.changed is not None else event.site,
            event=event,
            label="puts the frozen part into train mode as well",
            evidence={"modules": [f"{mode.kind} {mode.name}" for mode in modes[:4]], "how many": len(modes)},
            related=[("the part was put into eval mode here", first.held)],
            proof_note=(
                "all parameters of the part are frozen, it was in eval mode before training began, "
                f"and in at least {counted(_LEAST_STEPS, 'step')} on end its {kinds} was in train mode"
            ),
            help="call `eval()` on the frozen part after each `train()` on the model, or override `train` of the model to do so",
            subjects=[first.root, *(mode.module for mode in modes)],
        )
