"""DAT120: integer arithmetic leaves the range of its type while the data is prepared."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import EpochStart
from tensan.core.events.numerics import IntegersWrapped
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule


class IntegersWrappedAround(Rule):
    """
    ## What it does

    Finds arithmetic on `uint8` and other short integers, in a dataset or on data that a model is given, whose results leave the range of
    the type and wrap around.

    ## Why is this bad?

    Neither NumPy nor PyTorch says a word: in `uint8`, 100 - 128 is 228, and 2 * 200 is 144. Dark becomes bright, the
    image is torn along its contours, and the model learns from that.

    ## Example

    ```python
    def __getitem__(self, i):
        image = self.images[i] - 128          # uint8
        return torch.from_numpy(image).float() / 128, self.labels[i]
    ```

    ## Use instead

    ```python
    def __getitem__(self, i):
        image = self.images[i].astype(np.float32) - 128
        return torch.from_numpy(image) / 128, self.labels[i]
    ```

    ## Known problems

    Of a dataset the first two fetches are looked at, and of the code around the model what its names still hold. Arithmetic that takes a
    remainder afterwards or sits in a choice, such as `np.where(a > b, a - b, b - a)`, is meant to wrap and is not told.
    """

    code = "DAT120"
    name = "integers-wrapped-around"
    category = Category.SUSPICIOUS
    law = 11
    effect = "wrong-data"

    def on_epoch_start(self, event: EpochStart) -> None:
        self.armed = True

    def on_integers_wrapped(self, event: IntegersWrapped) -> Iterator[Finding]:
        self.armed = True
        yield self.finding(
            f"`{event.text}` wraps around: its results do not fit into {event.dtype}",
            at=event.made,
            event=event,
            label=f"{event.left} and {event.right}: {event.exact} becomes {event.became}",
            evidence={
                "share": round(event.share, 3),
                "left": event.left,
                "right": event.right,
                "exact": event.exact,
                "became": event.became,
            },
            proof_note=f"{event.share:.0%} of the results, computed again in wider integers, lie outside of {event.dtype}",
            help="convert first: `.astype(np.float32)` in NumPy, `.float()` in torch",
        )
