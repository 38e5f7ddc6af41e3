"""MOD170: a hook is on a module that is used without being called, so that the hook never fires."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events import HookWaited
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import counted

#: Steps in which the module must have taken part.
_LEAST_STEPS = 3


class HookBypassed(Rule):
    """
    ## What it does

    Finds hooks on modules that take part in training, since their parameters get gradient, and that nobody ever calls: the hooks never
    fire.

    ## Why is this bad?

    Only `module(x)` runs hooks. `module.forward(x)` and `F.linear(x, module.weight)` pass them by, as `nn.MultiheadAttention` does with
    those of its `out_proj`; and a `ModuleList` is never called itself. What the hook should have done, such as collecting features,
    adding noise or a penalty, does not happen, and an empty list of features raises no error.

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

    One that fires on any module is left in peace: hooks that are put on all modules fire on some. Modules without parameters are
    not looked at, nor hooks on tensors.
    """

    code = "MOD170"
    name = "hook-bypassed"
    category = Category.CORRECTNESS
    law = 15
    effect = "no-effect"

    def on_hook_waited(self, event: HookWaited) -> Iterator[Finding]:
        self.armed = True
        if event.num_steps >= _LEAST_STEPS and not event.fired:
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


def _help(kind: str) -> str:
    if kind in ("ModuleList", "ModuleDict", "ParameterList", "ParameterDict"):
        return f"put it on the members of the {kind}, or on the module that calls them"
    return "call it as `module(x)`, since `module.forward(x)` and functions that are given its weights run no hooks, or hook what is called"
