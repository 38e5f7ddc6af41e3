"""NUM123: a sum or average in a type of few digits stands still, since what is added to it is rounded away."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.numerics import SumObserved
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule

#: Looks at a sum: what is added must have had the same sign in all of them.
_LEAST_LOOKS = 6
#: Elements of an average that must have failed to move, and the part of what is added to.
_LEAST_ELEMENTS = 16
_LEAST_SHARE = 1 / 3


class AddendRoundedAway(Rule):
    """
    ## What it does

    Finds counters, sums and averages kept in `bfloat16` or `float16` that do not change although something is added to them again and
    again.

    ## Why is this bad?

    A `bfloat16` has eight binary digits: 256 + 1 is 256. A count of right answers stops at a few hundred or thousand and the accuracy is
    too low; an average of weights with a decay of 0.999 is to move by a thousandth of the way, which is less than half of what lies
    between two such numbers, and stays what it was at the beginning.

    ## Example

    ```python
    with torch.autocast("cuda", dtype=torch.bfloat16):
        correct += (logits.argmax(1) == y).to(logits.dtype).sum()
    ```

    ## Use instead

    ```python
    with torch.autocast("cuda", dtype=torch.bfloat16):
        correct += (logits.argmax(1) == y).sum().item()
    ```

    ## Known problems

    Heard are additions between the forwards of an evaluation from the 33rd on and between a step and the next forward. An average that
    has nearly arrived is not told, nor a sum whose addends change their sign.
    """

    code = "NUM123"
    name = "addend-rounded-away"
    category = Category.CORRECTNESS
    law = 9
    preview = True

    def on_sum_observed(self, event: SumObserved) -> Iterator[Finding]:
        self.armed = True
        if not event.num_missed or event.num_missed < _LEAST_SHARE * event.num_added:
            return
        steady = event.num_missed >= _LEAST_ELEMENTS if event.averaged else event.looks >= _LEAST_LOOKS and event.one_way
        if not steady:
            return
        what = "average" if event.averaged else "sum"
        several = event.num_elements > 1
        yield self.finding(
            f"the {what} stands still: what is added to it is rounded away in {event.dtype}",
            at=event.site,
            event=event,
            label=f"{event.value:.6g} plus {event.addend:.3g} is {event.value:.6g} again: the next number is {event.spacing:.3g} away",
            evidence={
                "dtype": event.dtype,
                "value": event.value,
                "addend": event.addend,
                "spacing": event.spacing,
                "still": event.num_missed,
                "added_to": event.num_added,
            },
            proof=Proof.LAW,
            proof_note=(
                (f"{event.num_missed} of {event.num_added} elements" if several else "it")
                + f" stood still over {event.span} {event.between}s, though in each of {event.looks_still} looks something other than zero "
                "was added, of the same sign"
            ),
            help=f"keep the {what} in float32, or a count as a number of Python's: `.item()`",
        )
