"""MOD170: a hook never fires: its module is used without being called, or no loss depends on its tensor."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.layers import HookWaited
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import counted

#: Steps in which the module must have taken part.
_LEAST_STEPS = 3


class HookBypassed(Rule):
    """
    ## What it does

    Finds hooks on modules that take part in training, since their parameters get gradient, and that nobody ever calls, and hooks on
    tensors that no loss depends on: these hooks never fire.

    ## Why is this bad?

    Only `module(x)` runs hooks. `module.forward(x)` and `F.linear(x, module.weight)` pass them by, as `nn.MultiheadAttention` does with
    those of its `out_proj`; and a `ModuleList` is never called itself. What the hook should have done, such as collecting features,
    adding noise or a penalty, does not happen, and an empty list of features raises no error. A hook on a tensor fires when a gradient
    arrives there, which none does at a detached copy, nor where the backward is over already.

    ## Example

    ```python
    model.layers.register_forward_hook(collect)   # an nn.ModuleList: its layers are called, it is not
    ```

    ## Use instead

    ```python
    for layer in model.layers:
        layer.register_forward_hook(collect)
    ```

    ## Known problems

    One that fires on any module or tensor is left in peace: hooks that are put on all of them fire on some. Modules without parameters
    are not looked at.
    """

    code = "MOD170"
    name = "hook-bypassed"
    category = Category.CORRECTNESS
    law = 15
    effect = "no-effect"

    def on_hook_waited(self, event: HookWaited) -> Iterator[Finding]:
        self.armed = True
        if event.num_steps >= _LEAST_STEPS and not event.fired and event.kind == "Tensor":
            yield self._on_tensor(event)
        elif event.num_steps >= _LEAST_STEPS and not event.fired:
            name = f"`{event.module}`" if event.module else "the model"
            yield self.finding(
                f"the hook `{event.hook}` never fires: {name} is used, but never called",
                at=event.site,
                event=event,
                label=f"is put on a {event.kind} that nobody calls",
                evidence={"module": event.module, "kind": event.kind, "steps": event.num_steps},
                proof_note=(
                    f"in {counted(event.num_steps, 'step')} that were looked at its parameters got gradient, and in none was it called; "
                    "nor was another module with this hook"
                ),
                help=_help(event.kind),
            )

    def _on_tensor(self, event: HookWaited) -> Finding:
        return self.finding(
            f"the hook `{event.hook}` never fires: no gradient ever arrives at the tensor",
            at=event.site,
            event=event,
            label="no loss that was differentiated depends on this tensor",
            evidence={"hook": event.hook, "backwards": event.num_steps},
            proof_note=f"there were {counted(event.num_steps, 'backward')} since, and a hook put beside it never fired either",
            help="put it on the very tensor that the loss is computed from, not on a detached copy of it, and before the backward",
        )


def _help(kind: str) -> str:
    if kind in ("ModuleList", "ModuleDict", "ParameterList", "ParameterDict"):
        return f"put it on the members of the {kind}, or on the module that calls them"
    return "call it as `module(x)`, since `module.forward(x)` and functions that are given its weights run no hooks, or hook what is called"
