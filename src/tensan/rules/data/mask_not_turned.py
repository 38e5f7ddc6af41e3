"""DAT133: images are mirrored or turned, and the masks that say what is where in them are not."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import ImagesTurned
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule

#: Masks that must have stayed behind their image.
_ENOUGH = 3


class MaskNotTurned(Rule):
    """
    ## What it does

    Finds training on pairs of an image and a mask of the same size whose images are mirrored or turned, and whose masks are not, or in
    another way: because the data set turns the image alone, or draws twice, or because the training loop does.

    ## Why is this bad?

    A mask says for each pixel what lies there. Once its image is mirrored it says so of the pixel opposite, and the model learns from
    wrong labels in a good part of its batches. The loss falls all the same, since the other part is right.

    ## Example

    ```python
    if random.random() < 0.5:
        image = image.flip(-1)
    return image, mask
    ```

    ## Use instead

    ```python
    if random.random() < 0.5:
        image, mask = image.flip(-1), mask.flip(-1)
    return image, mask
    ```

    ## Known problems

    Images are compared with the arrays that a data set of the program keeps, or with what the loader has delivered. What is read from files
    for each item, cropped, or turned by another angle than a quarter is not known again. Boxes and points are not looked at.
    """

    code = "DAT133"
    name = "mask-not-turned"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._told = False

    def on_images_turned(self, event: ImagesTurned) -> Iterator[Finding]:
        self.armed = self.armed or event.num_pairs > 0
        if self._told or event.num_left < _ENOUGH:
            return
        self._told = True
        yield self.finding(
            "images are turned and the masks that belong to them are not",
            at=event.site,
            event=event,
            label=f"of an image and its mask one lies {event.way}, the other does not",
            evidence={"pairs": event.num_pairs, "turned": event.num_turned, "left": event.num_left},
            proof=Proof.LAW,
            proof_note=f"of {event.num_pairs} pairs that were compared with what they were made of, {event.num_left} lie in two ways, "
            f"and {event.num_along} were turned together",
            help="turn both by one and the same draw: `image, mask = image.flip(-1), mask.flip(-1)`",
        )
