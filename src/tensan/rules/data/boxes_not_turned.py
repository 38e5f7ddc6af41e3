"""DAT134: images are mirrored, and the boxes that say where things are in them are not."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import BoxesTurned
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule

#: Images whose boxes must have stayed where they were.
_ENOUGH = 3


class BoxesNotTurned(Rule):
    """
    ## What it does

    Finds training on images with boxes whose images are mirrored while the boxes stay where they were, because the data set or the
    training loop turns the image alone.

    ## Why is this bad?

    A box says where something is. Once the image is mirrored it is around the place opposite, and the model learns from wrong places
    in a good part of its batches: boxes drift to the middle, where both are half right.

    ## Example

    ```python
    if random.random() < 0.5:
        image = image.flip(-1)
    return image, boxes
    ```

    ## Use instead

    ```python
    if random.random() < 0.5:
        image = image.flip(-1)
        boxes = torch.stack([width - boxes[:, 2], boxes[:, 1], width - boxes[:, 0], boxes[:, 3]], 1)
    return image, boxes
    ```

    ## Known problems

    Images are compared with the arrays that a data set of the program keeps, or with what the loader has delivered: what is read from
    files for each item or is cropped is not known again. Boxes are arrays whose rows are two corners in order, or that the data set calls
    boxes; they must be learned from as they were delivered, in another unit at most, and lie in one array for a batch.
    """

    code = "DAT134"
    name = "boxes-not-turned"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._told = False

    def on_boxes_turned(self, event: BoxesTurned) -> Iterator[Finding]:
        self.armed = self.armed or event.num_samples > 0
        if self._told or event.num_left < _ENOUGH or event.num_along:
            return
        self._told = True
        yield self.finding(
            "images are mirrored and the boxes in them stay where they were",
            at=event.site,
            event=event,
            label=f"an image lies {event.way}, and its boxes do not",
            evidence={"images": event.num_samples, "left": event.num_left},
            proof=Proof.LAW,
            proof_note=f"of {event.num_samples} images that were compared with what they were made of, {event.num_left} are mirrored while "
            f"their boxes are the stored ones, and none was mirrored along with its boxes",
            help="mirror the boxes by the same draw: x of each corner becomes `width - x`, and left and right change places",
        )
