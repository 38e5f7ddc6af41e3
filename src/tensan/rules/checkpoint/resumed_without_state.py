"""CKP140: training goes on from a checkpoint, and the optimizer or the schedule that it holds was not restored."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.state import StateForgotten, StateLoaded
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place


class ResumedWithoutState(Rule):
    """
    ## What it does

    Finds programs that read a checkpoint, load its weights, go on at its epoch, and leave the state of the optimizer or of the
    schedule in the file.

    ## Why is this bad?

    Moments and rates begin anew in the middle of training: Adam's first steps are as large as they were at the start, a warm-up
    comes again, a decay is undone.

    ## Example

    ```python
    checkpoint = torch.load("last.pt")
    model.load_state_dict(checkpoint["model"])
    start_epoch = checkpoint["epoch"] + 1
    ```

    ## Use instead

    ```python
    checkpoint = torch.load("last.pt")
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    scheduler.load_state_dict(checkpoint["scheduler"])
    start_epoch = checkpoint["epoch"] + 1
    ```

    ## Known problems

    Who fine-tunes loads weights alone and is right: it is told only where the program counts on from the epoch of the checkpoint, or
    speaks of resuming and made the same optimizer again that it has saved before. A number that is only shown, weights that are loaded
    in part, an optimizer of another kind and a model that is taken back to its best weights are no resume. A state without
    content, such as that of SGD without momentum, is not missed.
    """

    code = "CKP140"
    name = "resumed-without-state"
    category = Category.CORRECTNESS
    law = 12
    effect = "wrong-state"

    def on_state_loaded(self, event: StateLoaded) -> None:
        self.armed = self.armed or event.matched > 0

    def on_state_forgotten(self, event: StateForgotten) -> Iterator[Finding]:
        if event.continues is None and not (event.same_plan and event.kind == "optimizer"):
            return
        optimizer = event.optimizer
        what = optimizer.kind if event.kind == "optimizer" else event.scheduler
        lost = f"{event.entries} parameters" if event.kind == "optimizer" else f"its {event.entries} steps"
        seen = (
            f"the file holds the state of {lost}, and {what} makes its first step with none"
            if event.kind == "optimizer"
            else f"the file holds a schedule after {event.entries} steps, the optimizer was restored, and {what} stands at its beginning"
        )
        place: Place = event.loaded
        yield self.finding(
            f"training goes on from a checkpoint, and {what} begins anew: its state in the file was not restored",
            at=place,
            event=event,
            label="restores the weights alone" if event.kind == "optimizer" else "the schedule is left behind",
            evidence={"forgotten": event.kind, "entries": event.entries},
            related=[("the file is read here", event.read), ("training goes on from here", event.continues)],
            proof=Proof.LAW if event.continues is not None else Proof.STATISTIC,
            proof_note=seen,
            help=f"call `{'optimizer' if event.kind == 'optimizer' else 'scheduler'}.load_state_dict(...)` with it too",
            subjects=[optimizer.id],
        )
