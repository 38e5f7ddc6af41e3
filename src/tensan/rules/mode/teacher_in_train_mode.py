"""A trained model that only teaches another one, and still drops values or normalises by the batch."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.events.evaluation import Evaluation
from tensan.core.events.run import RunEnd
from tensan.core.events.state import StateLoaded
from tensan.core.events.things import Mode
from tensan.core.events.training import Backward
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import listed

_LEAST_STEPS = 3


class _Teacher(msgspec.Struct):
    """A model that was trained or loaded, and the steps of others that it was run for since."""

    first: Evaluation
    backward: Backward
    steps: set[int] = msgspec.field(default_factory=set)


class TeacherInTrainMode(Rule):
    """
    ## What it does
    Finds a model that was trained or loaded before, is learned from no more, runs with gradients off for the training of another
    model, and is in train mode still, with dropout or batch normalisation.

    ## Why is this bad?
    What the student is taught is noise: the teacher drops a part of itself at each step, and its batch normalisation uses the
    statistics of the batch, which it also takes into those it was trained with.

    ## Example
    ```python
    teacher.load_state_dict(torch.load("teacher.pt"))
    with torch.no_grad():
        soft = teacher(x).softmax(1)
    ```

    ## Use instead
    ```python
    teacher.load_state_dict(torch.load("teacher.pt"))
    teacher.eval()
    with torch.no_grad():
        soft = teacher(x).softmax(1)
    ```

    ## Known problems
    A teacher that is built like its student passes: a moving average of the student is often kept in train mode on purpose.
    """

    code = "MOD107"
    name = "teacher-in-train-mode"
    category = Category.SUSPICIOUS
    law = 4
    effect = "wrong-mode"
    preview = True

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._loaded: set[str] = set()
        self._ran: dict[str, Evaluation] = {}
        self._teachers: dict[str, _Teacher] = {}
        self._learning: set[str] = set()

    def on_state_loaded(self, event: StateLoaded) -> None:
        self._loaded.add(event.module)

    def on_evaluation(self, event: Evaluation) -> None:
        if event.modes and not event.compared and not event.repeated and (event.has_trained or event.module in self._loaded):
            self._ran[event.module] = event

    def on_backward(self, event: Backward) -> None:
        learning = {leaf.root for leaf in event.leaves if leaf.root is not None}
        for module in learning:
            if module in self._teachers or module in self._ran:
                self._learning.add(module)
                self._teachers.pop(module, None)
        ran, self._ran = self._ran, {}
        if not learning:
            return
        for module, evaluation in ran.items():
            if module in self._learning or _structure(evaluation.modes) in _structures(event):
                continue
            self.armed = True
            if all(mode.training and mode.root_training for mode in evaluation.modes):
                self._teachers.setdefault(module, _Teacher(evaluation, event)).steps.add(event.step)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end, when it is known whether the model was learned from again."""
        for teacher in self._teachers.values():
            if len(teacher.steps) >= _LEAST_STEPS:
                yield self._finding(teacher)

    def _finding(self, teacher: _Teacher) -> Finding:
        evaluation = teacher.first
        kinds = listed(mode.kind for mode in evaluation.modes)
        return self.finding(
            f"a model that only teaches another is in train mode: {kinds} still work as in training",
            at=evaluation.site,
            event=evaluation,
            label="in train mode, with gradients off",
            evidence={"modules": [f"{mode.kind} {mode.name}" for mode in evaluation.modes[:4]], "steps": len(teacher.steps)},
            related=[("another model is trained with its help here", teacher.backward.site)],
            proof_note=f"it ran for {len(teacher.steps)} steps of another model, and was learned from at none since",
            help="call `eval()` on it before the training of the other model",
            subjects=[evaluation.module, *(mode.root for mode in evaluation.modes)],
        )


def _structure(modes: tuple[Mode, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((mode.name, mode.kind) for mode in modes)


def _structures(event: Backward) -> set[tuple[tuple[str, str], ...]]:
    roots = {mode.root for mode in event.modes}
    return {_structure(tuple(mode for mode in event.modes if mode.root == root)) for root in roots}
