"""DAT110: 8-bit values were divided by 255 two times."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import InputValues
from tensan.core.events.things import typed
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule


class PixelsScaledTwice(Rule):
    """
    ## What it does

    Finds models that are trained on pixels which were divided by 255 twice, so that the brightest is 0.004.

    ## Why is this bad?

    Inputs are 255 times too small: the first layer sees almost the same picture each time, and learning is slow or stops at a
    constant answer. Often one division hides in a transform that already scales, such as `ToTensor`.

    ## Example

    ```python
    X = images.float() / 255
    for x, y in loader:
        out = model(x / 255)
    ```

    ## Use instead

    ```python
    X = images.float() / 255
    for x, y in loader:
        out = model(x)
    ```

    ## Known problems

    Pixels that are also shifted (by a mean) are not recognised.
    """

    code = "DAT110"
    name = "pixels-scaled-twice"
    category = Category.SUSPICIOUS
    law = 8
    effect = "wrong-data"

    def on_input_values(self, event: InputValues) -> Iterator[Finding]:
        self.armed = True
        if not event.scaled_twice:
            return
        given = typed(event.dtype, event.shape)
        told = "divides by 255 what was divided before" if event.scaled_at is not None else f"{given} of values up to {event.maximum:.4f}"
        yield self.finding(
            f"the model gets 8-bit values that were divided by 255 twice: its largest input is {event.maximum:.4f}",
            at=event.scaled_at or event.site,
            event=event,
            label=told,
            evidence={"largest": event.maximum, "input": given},
            related=[("the model gets them here", event.site)] if event.scaled_at is not None else (),
            proof_note=f"all values lie between 0 and 1/255, and each is a whole multiple of 1/255² ({given})",
            help="divide once: take this division out, or the one before it (`ToTensor` divides by 255 itself)",
        )
