"""OPT116: the program sets a learning rate where the optimizer does not read it."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events import OptimizerStep, StrayRate
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence, counted, name_given

_LEAST_STEPS = 3


class RateWrittenInVain(Rule):
    """
    ## What it does

    Finds learning rates that the program sets as an attribute of the optimizer, in its `defaults`, or under another key of a
    group, while the rate that the optimizer reads stays as it was.

    ## Why is this bad?

    An optimizer reads `param_groups[i]["lr"]` and nothing else. The schedule written by hand has no effect, and the program
    may even log the rate that it believes in.

    ## Example

    ```python
    optimizer.lr = 0.1 * 0.5 ** epoch
    ```

    ## Use instead

    ```python
    for group in optimizer.param_groups:
        group["lr"] = 0.1 * 0.5 ** epoch
    ```

    ## Known problems

    Only PyTorch's own optimizers are looked at, since another may read what it likes.
    """

    code = "OPT116"
    name = "rate-written-in-vain"
    category = Category.CORRECTNESS
    law = 10
    effect = "wrong-rate"
    explains = frozenset({"wrong-rate", "no-update"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._rates: dict[str, tuple[float, ...]] = {}
        self._evidence: dict[tuple[str, str, str], Evidence[StrayRate]] = {}
        self._moved: set[str] = set()

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        optimizer = event.optimizer
        self.armed = self.armed or bool(optimizer.rates)
        before = self._rates.setdefault(optimizer.id, optimizer.rates)
        if before != optimizer.rates[: len(before)]:
            self._moved.add(optimizer.id)  # somebody does move the rate that is read

    def on_stray_rate(self, event: StrayRate) -> Iterator[Finding]:
        optimizer = event.optimizer
        before: tuple[float, ...] = self._rates.get(optimizer.id) or optimizer.rates
        if optimizer.id in self._moved or event.value in optimizer.rates or before != optimizer.rates[: len(before)]:
            return
        evidence = self._evidence.setdefault((optimizer.id, event.kind, event.name), Evidence(_LEAST_STEPS))
        for seen in evidence.add(event):
            yield self._finding(seen)

    def _finding(self, event: StrayRate) -> Finding:
        optimizer = event.optimizer
        called = name_given(optimizer.made, "optimizer")
        where = {
            "attribute": f"the attribute `{called}.{event.name}`",
            "defaults": f"`{called}.defaults`, which only new groups are filled from",
            "group": f"the key `{event.name}` of a group",
        }[event.kind]
        rate = max(optimizer.rates)
        return self.finding(
            f"a learning rate is written to {where}: {optimizer.kind} does not read it and goes on with {rate:g}",
            at=event.site,
            event=event,
            label=f"says {event.value:g}, and the rate stays {rate:g}",
            evidence={"written": event.value, "rates": list(optimizer.rates[:4])},
            related=[(f"{optimizer.kind} was built here", optimizer.made)],
            proof_note=f"in {counted(_LEAST_STEPS, 'step')} or more the written value differed from every rate, and no rate ever moved",
            help=f'write to each group: `for group in {called}.param_groups: group["lr"] = ...`',
            subjects=[optimizer.id],
        )
