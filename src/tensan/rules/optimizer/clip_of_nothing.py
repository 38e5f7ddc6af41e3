"""OPT112: gradients are clipped at a moment when there are none, or nothing is handed over to be clipped."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.events.training import Clip, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence, counted, line_of

_LEAST_STEPS = 3


class _Place(msgspec.Struct):
    """A line that clips, with the clipping that met no gradient and waits for the step."""

    waiting: Clip | None = None
    evidence: Evidence[Clip] = msgspec.field(default_factory=lambda: Evidence(_LEAST_STEPS))


class ClipOfNothing(Rule):
    """
    ## What it does

    Finds clipping that never meets a gradient, although the parameters have one when the optimizer steps: it runs between
    `zero_grad()` and `backward()`, or is handed a generator that was used up before.

    ## Why is this bad?

    `clip_grad_norm_` of no gradient returns zero and does nothing, so that the gradients are used as large as they are.

    ## Example

    ```python
    parameters = model.parameters()
    optimizer = torch.optim.Adam(parameters)
    ...
    torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    ```

    ## Use instead

    ```python
    optimizer = torch.optim.Adam(model.parameters())
    ...
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    ```

    ## Known problems

    A list that is empty in every step is told as soon as any optimizer steps on gradients.
    """

    code = "OPT112"
    name = "clip-of-nothing"
    category = Category.CORRECTNESS
    law = 15

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._places: dict[object, _Place] = {}
        self._stepped: Place = None

    def on_clip(self, event: Clip) -> None:
        self.armed = True
        place = self._places.setdefault(line_of(event.site), _Place())
        if event.num_gradients:
            place.evidence.refute()
        place.waiting = event if not event.num_gradients else None

    def on_optimizer_step(self, event: OptimizerStep) -> Iterator[Finding]:
        used = {parameter.id for parameter in event.with_gradient}
        for place in self._places.values():
            clip = place.waiting
            if clip is None or not used or (clip.num_parameters and used.isdisjoint(clip.parameters)):
                continue
            place.waiting = None
            for seen in place.evidence.add(clip):
                yield self._finding(seen, event)

    def _finding(self, clip: Clip, event: OptimizerStep) -> Finding:
        nothing = clip.num_parameters == 0
        return self.finding(
            "nothing is handed over to be clipped: the parameters are an empty list or a generator that was used up"
            if nothing
            else "gradients are clipped while there are none, so the step uses them unclipped",
            at=clip.site,
            event=clip,
            label="clips no parameter" if nothing else f"none of {counted(clip.num_parameters, 'parameter')} has a gradient here",
            evidence={"limit": clip.limit, "parameters": clip.num_parameters, "gradients": 0},
            related=[("the gradients were computed here", event.backward), (f"{event.optimizer.kind} used them here", event.site)],
            proof_note=f"in {counted(_LEAST_STEPS, 'step')} or more this call met no gradient, and the step that followed used some",
            help="hand over `model.parameters()` anew in each step" if nothing else "clip between `backward()` and `step()`",
            subjects=[event.optimizer.id],
        )
