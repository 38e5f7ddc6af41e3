"""HDW120: a function is compiled anew until the compiler gives up on it."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Recompiled
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import counted, line_of


class CompiledInVain(Rule):
    """
    ## What it does

    Finds functions and models that `torch.compile` had to compile as often as its limit allows, each time because something had changed
    that the version before was made for: a shape, a number, an attribute.

    ## Why is this bad?

    Each compilation takes seconds, and after the last one the function runs as if it had never been compiled. The results are right,
    so that all there is to see is a line in the log, and a run that is slower than without `torch.compile`.

    ## Example

    ```python
    class Model(nn.Module):
        def forward(self, x):
            self.calls += 1                  # compiled for calls == 0, for calls == 1, ...
            return self.layer(x) * self.scale
    ```

    ## Use instead

    Keep what changes with each step out of the compiled function, or hand it over as a tensor. Where it is a shape, pad to a few sizes,
    or compile with `dynamic=True`.

    ## Known problems

    What is compiled fewer times than the limit is left in peace, and so is a limit that was raised for many shapes and is not reached.
    """

    code = "HDW120"
    name = "compiled-in-vain"
    category = Category.PERFORMANCE
    law = 16

    def on_recompiled(self, event: Recompiled) -> Iterator[Finding]:
        self.armed = True
        if event.versions < event.limit or not event.limit:
            return
        apart = line_of(event.site) != line_of(event.compiled)
        yield self.finding(
            f"`{event.function}` was compiled {counted(event.versions, 'time')}, and then no more: it runs uncompiled",
            at=event.site,
            event=event,
            label=event.reason,
            evidence={"versions": event.versions, "limit": event.limit, "last reason": event.reason},
            related=[("torch.compile is called here", event.compiled)] if apart else (),
            proof_note=f"none of the {event.versions} versions fitted the next call, and the limit of the compiler is {event.limit}",
            help="keep what changes out of it, or hand it over as a tensor; for shapes: pad to a few sizes, or use `dynamic=True`",
        )
