"""CKP101: the best state was kept by reference, and is the last state by now."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.state import StateLoaded, StateSaved
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import counted, name_given
from tensan.rules.repairs import copied


class BestStateAliased(Rule):
    """
    ## What it does

    Finds state dicts that were taken from a model during training, that still are the model's own tensors, and that are
    loaded back or written to a file after training has gone on.

    ## Why is this bad?

    `state_dict()` returns the live tensors, not a copy: each later step changes the kept "best" state as well. Loading it
    at the end changes nothing, and the file under its name holds the last weights.

    ## Example

    ```python
    if score < best:
        best, best_state = score, model.state_dict()
    ```

    ## Use instead

    ```python
    if score < best:
        best, best_state = score, copy.deepcopy(model.state_dict())
    ```

    ## Known problems

    A state that was taken before the first step and is saved later is taken for a live view that is meant. On a GPU
    `{k: v.cpu() ...}` makes a copy; on the CPU it does not, and is told there.
    """

    code = "CKP101"
    name = "best-state-aliased"
    category = Category.CORRECTNESS
    law = 12
    effect = "wrong-state"

    def on_state_loaded(self, event: StateLoaded) -> Iterator[Finding]:
        self.armed = self.armed or event.num_tensors > 0
        if _aliases_later(event) and event.taken_step is not None:
            yield self._finding(
                event,
                "loading it back changes nothing",
                "it is loaded here, into the tensors that it is made of",
                f"all {counted(event.num_tensors, 'tensor')} of it are the very memory they were loaded into",
                subjects=[event.module],
            )

    def on_state_saved(self, event: StateSaved) -> Iterator[Finding]:
        self.armed = self.armed or event.num_tensors > 0
        if _aliases_later(event) and event.taken_step:
            yield self._finding(
                event,
                "the file holds the last weights",
                "it is saved here",
                f"all {counted(event.num_tensors, 'tensor')} of it are the live model's own memory",
            )

    def _finding(
        self, event: StateLoaded | StateSaved, so: str, where: str, seen: str, subjects: tuple[str, ...] | list[str] = ()
    ) -> Finding:
        steps = event.step - (event.taken_step or 0)
        kept = name_given(event.taken, "state")
        return self.finding(
            f"state kept at step {event.taken_step} is no copy, and {counted(steps, 'step')} later {so}",
            at=event.taken,
            event=event,
            label="keeps the live tensors, which training goes on to change",
            evidence={
                "tensors": event.num_tensors,
                "aliased": event.aliased,
                "taken at step": event.taken_step,
                "used at step": event.step,
            },
            related=[(where, event.site)],
            proof_note=f"{seen}, which {counted(steps, 'step')} of the optimizer changed in between",
            help=f"copy when keeping: `{kept} = copy.deepcopy(model.state_dict())`"
            if kept != "state"
            else "copy when keeping: `copy.deepcopy(model.state_dict())`",
            subjects=subjects,
            repairs=copied(event.taken),
        )


def _aliases_later(event: StateLoaded | StateSaved) -> bool:
    taken: Place = event.taken
    whole = event.aliased == event.num_tensors > 0
    return whole and taken is not None and event.taken_step is not None and event.taken_step < event.step
