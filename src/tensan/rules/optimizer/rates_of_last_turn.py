"""OPT124: the functions of a schedule were made in a loop, and all of them read the value of its last turn."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.training import RatesBoundLate, ScheduleStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule


class RatesOfLastTurn(Rule):
    """
    ## What it does

    Finds `LambdaLR` schedules whose functions, one for each group, were made in a loop and read a variable of that loop.

    ## Why is this bad?

    A function reads a variable of its surroundings when it is called, and then the loop is over: all functions see the value of its last
    turn. Each group was to have a rate of its own, and all get that of the last one.

    ## Example

    ```python
    lambdas = []
    for depth in range(4):
        lambdas.append(lambda step: 0.5**depth)
    schedule = LambdaLR(optimizer, lambdas)
    ```

    ## Use instead

    ```python
    lambdas = []
    for depth in range(4):
        lambdas.append(lambda step, depth=depth: 0.5**depth)
    schedule = LambdaLR(optimizer, lambdas)
    ```

    ## Known problems

    Only functions whose source can be read are looked at.
    """

    code = "OPT124"
    name = "rates-of-last-turn"
    category = Category.CORRECTNESS
    law = 10
    effect = "wrong-rate"

    def on_schedule_step(self, event: ScheduleStep) -> None:
        self.armed = True

    def on_rates_bound_late(self, event: RatesBoundLate) -> Iterator[Finding]:
        self.armed = True
        yield self.finding(
            f"{event.count} functions of one `{event.scheduler.kind}` read `{event.name}` when they are called, and all see its last value",
            at=event.read,
            event=event,
            label="one variable for all of them",
            evidence={"functions": event.count, "variable": event.name},
            related=[("the loop gives it another value for each", event.loop), ("the schedule was made here", event.scheduler.made)],
            proof_note=f"the {event.count} functions are of one piece of code and hold one and the same variable",
            help=f"bind the value when the function is made, by a default such as `{event.name}={event.name}`, or by `functools.partial`",
            subjects=[event.scheduler.id],
        )
