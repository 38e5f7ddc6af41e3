"""OPT116: the program sets a learning rate where the optimizer does not read it, or where another is written over it before any step."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import RunEnd
from tensan.core.events.training import GroupRates, OptimizerStep, StrayRate
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence, counted, name_given

_LEAST_STEPS = 3
#: Write one rate into all groups unless they are given a list of them.
_FOR_ALL = frozenset({"OneCycleLR", "CyclicLR"})


class RateWrittenInVain(Rule):
    """
    ## What it does

    Finds learning rates that the program sets as an attribute of the optimizer, in its `defaults`, or under another key of a
    group, while the rate that the optimizer reads stays as it was. Also rates that groups are built with, and that are gone before
    the first step, because a schedule writes one rate into all groups.

    ## Why is this bad?

    An optimizer reads `param_groups[i]["lr"]` and nothing else. The schedule written by hand has no effect, and the program
    may even log the rate that it believes in. Where one rate is written into all groups, what each was given of its own is lost: a
    pretrained part is trained as fast as the new head.

    ## Example

    ```python
    optimizer.lr = 0.1 * 0.5 ** epoch
    ```

    ## Use instead

    ```python
    for group in optimizer.param_groups:
        group["lr"] = group["initial_lr"] * 0.5 ** epoch
    ```

    ## Known problems

    Only PyTorch's own optimizers are looked at for rates that nobody reads, since another may read what it likes. A constant rate that is
    written into all groups passes, since it may be meant to stand above what they were built with.
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
        self._in_common: dict[str, list[GroupRates]] = {}
        self._apart: set[str] = set()

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

    def on_group_rates(self, event: GroupRates) -> None:
        optimizer = event.optimizer.id
        if len(set(event.rates)) > 1:
            self._apart.add(optimizer)
        elif any(event.rates):  # where all are zero, as a warm-up may begin, they may still keep their proportions
            self._in_common.setdefault(optimizer, []).append(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        final = {optimizer.id: optimizer.rates for optimizer in event.optimizers}
        for optimizer, events in self._in_common.items():
            moves = len({seen.rates[0] for seen in events}) > 1
            if optimizer in self._apart or len(set(final.get(optimizer, ()))) > 1 or len(events) < _LEAST_STEPS or not moves:
                continue
            schedules = (each.made for each in event.schedulers if each.optimizer == optimizer and each.kind in _FOR_ALL)
            place = next(schedules, None) or events[0].site
            if place is not None:
                yield self._lost(events, place)

    def _lost(self, events: list[GroupRates], place: Place) -> Finding:
        first = events[0]
        optimizer = first.optimizer
        rates = ", ".join(f"{rate:g}" for rate in first.built[:4]) + (", …" if len(first.built) > 4 else "")
        return self.finding(
            f"one learning rate is written into all groups of {optimizer.kind}: those that they were built with are lost",
            at=place,
            event=first,
            label=f"the groups were built with {rates}, and step with {first.rates[0]:g} each",
            evidence={"built with": list(first.built[:8]), "rates": list(first.rates[:8])},
            related=[(f"{optimizer.kind} was built here", optimizer.made)],
            proof=Proof.STATISTIC,
            proof_note=f"in none of {counted(len(events), 'step')} that were looked at did the rates of the groups differ",
            help='scale what each group was built with, `group["lr"] = group["initial_lr"] * factor`, or give the schedule a list',
            subjects=[optimizer.id],
        )

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
