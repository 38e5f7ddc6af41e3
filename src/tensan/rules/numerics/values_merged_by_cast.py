"""NUM124: a cast makes many values the same, since they share an offset that is too large for the new type."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.numerics import ValuesCast
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule

#: Different values that there must be, and the part of them that may be left.
_LEAST_VALUES = 16
_MOST_LEFT = 1 / 3
#: How much larger what all values share must be than what tells them apart.
_LEAST_OFFSET = 64
#: What differs by less than this part of a value, in an array with fractions, may be rounding.
_LEAST_RANGE = 1e-6


class ValuesMergedByCast(Rule):
    """
    ## What it does

    Finds casts to `float32`, `float16` or `bfloat16` in the code around a model that leave a third or less of the different values of an
    array, because all of them share a large offset: Unix timestamps, Julian dates, running ids.

    ## Why is this bad?

    A `float32` has 24 binary digits. Timestamps of today are about 1.7 billion, and there the numbers that it can hold lie 128 apart: what
    happened within two minutes happens at once. A difference that is taken afterwards cannot bring back what the cast has thrown away.

    ## Example

    ```python
    elapsed = stamps.float() - start          # steps of 128 seconds
    ```

    ## Use instead

    ```python
    elapsed = (stamps - start).float()
    ```

    ## Known problems

    Only arrays of one axis that the program still holds, or has given to its own functions, are looked at. Tables are not: columns of them
    may be left out later.
    """

    code = "NUM124"
    name = "values-merged-by-cast"
    category = Category.SUSPICIOUS
    law = 9
    effect = "wrong-data"

    def on_values_cast(self, event: ValuesCast) -> Iterator[Finding]:
        self.armed = True
        if event.num_before < _LEAST_VALUES or event.num_after > _MOST_LEFT * event.num_before:
            return
        offset, width = min(abs(event.low), abs(event.high)), event.high - event.low
        if event.low * event.high <= 0 or offset < _LEAST_OFFSET * width:
            return
        if event.before.startswith("float") and width < _LEAST_RANGE * offset:
            return
        yield self.finding(
            f"`{event.text}` makes {event.num_before} different values {event.num_after}: their offset is too large for {event.after}",
            at=event.made,
            event=event,
            label=f"{event.after} holds one number in {event.spacing:g} here; the values lie {event.gap:g} apart",
            evidence={
                "before": event.num_before,
                "after": event.num_after,
                "spacing": event.spacing,
                "gap": event.gap,
                "low": event.low,
                "high": event.high,
            },
            proof=Proof.LAW,
            proof_note=(
                f"of {event.num_values} values from {event.low:.12g} to {event.high:.12g}, {event.num_before} differ in {event.before} and "
                f"{event.num_after} in {event.after}"
            ),
            help=f"take the offset off first and cast then: `({event.source} - {event.source}.min())`; or cast to float64",
        )
