"""CKP170: the state of the best model is kept, and nobody ever takes it up again."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import RunEnd
from tensan.core.events.state import StateKept
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import counted, line_of


class KeptStateUnread(Rule):
    """
    ## What it does

    Finds states of a model that are kept under a name during training, while no statement of the program reads that name.

    ## Why is this bad?

    Early stopping keeps the best weights to go back to them. Where they are not loaded when training is over, the model that is
    evaluated, saved and returned is the last one, trained for longer than was good for it.

    ## Example

    ```python
    for epoch in range(50):
        train(model)
        if (score := validate(model)) > best:
            best, best_state = score, copy.deepcopy(model.state_dict())
    test(model)
    ```

    ## Use instead

    ```python
    model.load_state_dict(best_state)
    test(model)
    ```

    ## Known problems

    A name counts as read where the program could read it at all, be it on a way that this run did not take. States that are
    written to a file are left in peace, since another program may read them, and so are those that were last kept after
    the last step.
    """

    code = "CKP170"
    name = "kept-state-unread"
    category = Category.SUSPICIOUS
    law = 12
    effect = "wrong-state"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._kept: dict[object, list[StateKept]] = {}

    def on_state_kept(self, event: StateKept) -> None:
        self.armed = True
        if not event.is_read:
            self._kept.setdefault(line_of(event.site), []).append(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end, when it is known how long training went on."""
        for kept in self._kept.values():
            last, trained = kept[-1], event.step - kept[-1].step
            if event.status == "completed" and last.step and trained:
                yield self._finding(last, times=len(kept), trained=trained)

    def _finding(self, last: StateKept, *, times: int, trained: int) -> Finding:
        at: Place = last.site
        return self.finding(
            f"a state of the model is kept in `{last.name}`, and nothing ever reads it",
            at=at,
            event=last,
            label="is kept for nothing",
            evidence={"times": times, "last kept at step": last.step, "steps since": trained},
            proof_note=f"no statement of the program reads `{last.name}`, and training went on for {counted(trained, 'step')}",
            help=f"go back to it when training is over: `model.load_state_dict({last.name})`; or leave it out",
        )
