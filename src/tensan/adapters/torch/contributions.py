"""Remembers of an optimizer's gradients which backwards they were made by, and whether another optimizer has stepped on those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensan.core.sites import Place, Site

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord

#: Backwards that are remembered between two steps.
MOST_PARTS = 64


class _Part:
    __slots__ = ("reached", "site", "used")

    def __init__(self, site: Site, reached: set[int]) -> None:
        self.site, self.reached, self.used = site, reached, False


class Contributions:
    """What the gradients of one optimizer are a sum of, since nothing but backwards has written to them."""

    def __init__(self) -> None:
        self._parts: list[_Part] = []
        #: Whether its first step used nothing but what was made for it, and the second more: later such sums may be meant.
        self._began_alone = self._goes_on = False

    def differentiates(self, record: OptimizerRecord, *, site: Place, reached: set[int]) -> None:
        """A backward is about to add to the gradients."""
        if self._parts and record.is_unchanged(record.after_backward) is not True:
            self._parts = []  # cleared, or written to by somebody else
        if isinstance(site, Site) and len(self._parts) < MOST_PARTS:
            self._parts.append(_Part(site, reached))
        else:
            self._parts = []

    def forget(self) -> None:
        """The gradients were cleared, or their own optimizer has used them."""
        self._parts = []

    def used_by(self, other: frozenset[int]) -> None:
        """Another optimizer, which holds these parameters and none of this one's, has stepped."""
        for part in self._parts:
            part.used = part.used or not other.isdisjoint(part.reached)

    def stepping(self, *, steps: int) -> Place:
        """Its optimizer is about to step, for the first time where it has done no steps.

        Returns:
            Where a backward ran that was another optimizer's, and after whose step one at another line was added for this one's.
        """
        found = self._left_over()
        if steps == 0:
            self._began_alone = found is None and bool(self._parts)
        elif steps == 1:
            self._goes_on = self._began_alone and found is not None
        return found if self._goes_on else None

    def _left_over(self) -> Place:
        if len(self._parts) < 2 or self._parts[-1].used:
            return None
        own = {part.site.key for part in self._parts if not part.used}
        return next((part.site for part in self._parts if part.used and part.site.key not in own), None)
