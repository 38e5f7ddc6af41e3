"""OPT130: an optimizer was made, its parameters get gradient, and it is never asked to step."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import RunEnd
from tensan.core.events.things import Optimizer
from tensan.core.events.training import Backward, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import counted, name_given

_LEAST_BACKWARDS = 8


class OptimizerNeverSteps(Rule):
    """
    ## What it does

    Finds optimizers whose parameters got gradients in backward after backward, and that were never asked to step in a run that
    came to its end.

    ## Why is this bad?

    Gradients are computed and thrown away: these parameters keep their initial values. Where another optimizer trains the rest,
    the loss falls all the same.

    ## Example

    ```python
    encoder_optimizer = torch.optim.Adam(encoder.parameters())
    decoder_optimizer = torch.optim.Adam(decoder.parameters())
    for x in loader:
        loss = F.mse_loss(decoder(encoder(x)), x)
        loss.backward()
        decoder_optimizer.step()
    ```

    ## Use instead

    ```python
    for x in loader:
        loss = F.mse_loss(decoder(encoder(x)), x)
        loss.backward()
        encoder_optimizer.step()
        decoder_optimizer.step()
    ```

    ## Known problems

    Silent where another optimizer that steps owns the parameters as well, where the program moves them by hand, and where they came
    from a checkpoint, since scripts that only look at gradients load both. Accumulation over more passes than the run has is told.
    """

    code = "OPT130"
    name = "optimizer-never-steps"
    category = Category.CORRECTNESS
    law = 1
    effect = "no-update"
    explains = frozenset({"no-update", "wrong-gradient"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._backward: dict[str, Backward] = {}
        self._shared: dict[str, set[str]] = {}
        self._loaded: set[str] = set()
        self._stepped: dict[str, Place] = {}
        self._parameters: dict[str, set[str]] = {}

    def on_backward(self, event: Backward) -> None:
        for leaf in event.leaves:
            for owner in leaf.owners:
                self._backward[owner] = event
                self._parameters.setdefault(owner, set()).add(leaf.id)
                self._shared.setdefault(owner, set()).update(leaf.owners)
                if leaf.loaded:
                    self._loaded.add(owner)

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        self._stepped[event.optimizer.id] = event.site

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        if event.status != "completed":
            return
        self.armed = bool(self._backward)
        for optimizer in event.optimizers:
            if optimizer.waited < _LEAST_BACKWARDS or optimizer.id not in self._backward:
                continue
            if optimizer.id in self._loaded or self._shared[optimizer.id] & self._stepped.keys():
                continue
            yield self._finding(optimizer, event)

    def _finding(self, optimizer: Optimizer, event: RunEnd) -> Finding:
        called = name_given(optimizer.made, "optimizer")
        backward = self._backward[optimizer.id].site
        held = counted(optimizer.num_parameters, "parameter")
        other = next(iter(self._stepped.values()), None)
        return self.finding(
            f"{optimizer.kind} is never asked to step: its {held} get gradients and stay as they were",
            at=optimizer.made if optimizer.made is not None else backward,
            event=event,
            label="never steps",
            evidence={"backward passes seen": optimizer.waited, "steps": 0},
            related=[
                ("gradients are computed here", backward if optimizer.made is not None else None),
                ("another optimizer steps here", other),
            ],
            proof_note=(
                f"the run completed, {optimizer.waited} backward passes or more reached its parameters, "
                "nobody called its `step`, and nothing else wrote to them"
            ),
            help=f"call `{called}.step()` after `backward()`",
            subjects=[optimizer.id, *self._parameters[optimizer.id]],
        )
