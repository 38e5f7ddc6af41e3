"""MOD101: training goes on in eval mode after a validation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.asks import Change, fix
from tensan.core.events.things import Mode
from tensan.core.events.training import Backward, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence, counted, listed
from tensan.rules.repairs import trained_again

_LEAST_STEPS = 3


class _Root(msgspec.Struct):
    """One model: who trained it in train mode, and what its backward passes since the last step were like.

    Attributes:
        last: the last one in eval mode, with the modules that a call of `eval()` has left there.
        in_train_mode: whether there was one in train mode too.
    """

    trained_by: set[str] = msgspec.field(default_factory=set)
    last: tuple[Backward, tuple[Mode, ...]] | None = None
    in_train_mode: bool = False
    left: dict[str, Evidence[tuple[Backward, tuple[Mode, ...]]]] = msgspec.field(default_factory=dict)


class TrainedInEvalMode(Rule):
    """
    ## What it does

    Finds models that an optimizer has trained in train mode and goes on training in eval mode, after a call of `eval()` that
    nothing has undone.

    ## Why is this bad?

    Dropout is off and batch normalisation uses the statistics it had when `eval()` was called, while the weights move on.
    The model overfits, or its statistics no longer fit its weights.

    ## Example

    ```python
    model.train()
    for epoch in range(epochs):
        train_epoch(model)
        model.eval()
        validate(model)
    ```

    ## Use instead

    ```python
    for epoch in range(epochs):
        model.train()
        train_epoch(model)
        model.eval()
        validate(model)
    ```

    ## Known problems

    A model that was in eval mode from its first step on, single parts that were frozen, and fine-tuning in eval mode with an
    optimizer of its own are taken to be meant.
    """

    code = "MOD101"
    name = "trained-in-eval-mode"
    category = Category.CORRECTNESS
    law = 4
    effect = "wrong-mode"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._roots: dict[str, _Root] = {}

    def on_backward(self, event: Backward) -> None:
        by_root: dict[str, list[Mode]] = {}
        for mode in event.modes:
            by_root.setdefault(mode.root, []).append(mode)
        for name, modes in by_root.items():
            root = self._roots.setdefault(name, _Root())
            self.armed = self.armed or any(mode.trained_before for mode in modes)
            if any(mode.training for mode in modes):
                root.in_train_mode = True
            else:
                root.last = event, tuple(mode for mode in modes if _left_in_eval(mode))

    def on_optimizer_step(self, event: OptimizerStep) -> Iterator[Finding]:
        roots = {parameter.root for parameter in event.with_gradient}
        for name, root in self._roots.items():
            if name in roots:
                yield from self._commit(root, event)

    def _commit(self, root: _Root, event: OptimizerStep) -> Iterator[Finding]:
        """Judges the backward passes that a step is about to use: one in train mode among them says that the mode is minded."""
        optimizer = event.optimizer.id
        last, root.last = root.last, None
        in_train_mode, root.in_train_mode = root.in_train_mode, False
        evidence = root.left.setdefault(optimizer, Evidence(_LEAST_STEPS))
        if in_train_mode:
            root.trained_by.add(optimizer)
            evidence.interrupt()
        elif last is not None and last[1] and optimizer in root.trained_by:
            for backward, modes in evidence.add(last):
                yield self._finding(backward, modes, event)
        elif last is not None:
            evidence.interrupt()

    def _finding(self, event: Backward, modes: Sequence[Mode], step: OptimizerStep) -> Finding:
        first = modes[0]
        kinds = listed(dict.fromkeys(mode.kind for mode in modes))
        return self.finding(
            f"training goes on in eval mode: {kinds} {'work' if len({mode.kind for mode in modes}) > 1 else 'works'} as in validation",
            at=first.changed if first.changed is not None else event.site,
            event=event,
            label="not undone before training goes on",
            evidence={"modules": [f"{mode.kind} {mode.name}" for mode in modes[:4]], "how many": len(modes)},
            related=[("the model is trained here, still in eval mode", event.site if first.changed is not None else step.site)],
            proof_note=(
                f"{step.optimizer.kind} trained these modules in train mode before, "
                f"and in at least {counted(_LEAST_STEPS, 'step')} on end all of them were in eval mode"
            ),
            help="call `train()` on this model before training goes on, best at the start of each epoch",
            subjects=[first.root, *(mode.module for mode in modes)],
            repairs=trained_again(first.changed, event.site),
            fix=fix(Change.SET_MODE, "mode"),
        )


def _left_in_eval(mode: Mode) -> bool:
    return not mode.training and not mode.root_training and mode.trained_before and mode.changed_on_root
