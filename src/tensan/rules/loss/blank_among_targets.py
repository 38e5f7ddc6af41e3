"""LOS123: the targets of a CTC loss hold its blank."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.targets import BlanksCounted
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import counted

#: Rows with a blank among their targets that must have been seen.
_LEAST_ROWS = 3


class BlankAmongTargets(Rule):
    """
    ## What it does

    Finds CTC losses whose targets, within the lengths that the program states, hold the loss's blank: because its index is that of a real
    symbol, or because the lengths count the padding.

    ## Why is this bad?

    The blank stands for "no symbol here", and the loss puts one between any two symbols by itself. As a target it is a symbol that no
    decoder ever gives out: what it stood for is never recognised, and frames are spent on padding. Nothing fails, and the loss falls.

    ## Example

    ```python
    loss = nn.CTCLoss()(log_probs, labels, frames, lengths)  # labels: 0 to 25, and 0 is the blank
    ```

    ## Use instead

    ```python
    loss = nn.CTCLoss(blank=26)(log_probs, labels, frames, lengths)
    ```

    ## Known problems

    Targets of nothing but blanks pass: a recording without a word may be given one.
    """

    code = "LOS123"
    name = "blank-among-targets"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._held: dict[Place, list[BlanksCounted]] = {}
        self._rows: dict[Place, int] = {}
        self._made: dict[Place, Place] = {}

    def on_blanks_counted(self, event: BlanksCounted) -> Iterator[Finding]:
        self.armed = True
        if event.inside:
            self._made[event.site] = event.made
        if not event.inside and not event.at_end:
            return
        self._held.setdefault(event.site, []).append(event)
        self._rows[event.site] = self._rows.get(event.site, 0) + max(event.inside, event.at_end)
        if self._rows[event.site] >= _LEAST_ROWS:
            for seen in self._held.pop(event.site):
                yield self._symbol(seen) if event.site in self._made else self._padding(seen)

    def _symbol(self, event: BlanksCounted) -> Finding:
        made = self._made[event.site]
        return self.finding(
            f"the blank of the CTC loss, {event.blank}, is also the index of a symbol in its targets",
            at=made or event.site,
            event=event,
            label=f"its blank is {event.blank}",
            evidence=_evidence(event),
            related=[("the targets are given to it here", event.site)] if made is not None else [],
            proof_note=f"within the stated lengths {event.num_blanks} of {event.num_targets} targets are {event.blank}",
            help="give it an index that no symbol has, `blank=len(symbols)`, or number the symbols from 1",
        )

    def _padding(self, event: BlanksCounted) -> Finding:
        whole = f", which are {event.width} for all, the whole width" if event.width else " that are stated"
        return self.finding(
            "the lengths of the CTC loss's targets count their padding, which is its blank",
            at=event.measured or event.site,
            event=event,
            label="the lengths" if event.measured is not None else f"{counted(event.at_end, 'target')} end in the blank",
            evidence=_evidence(event),
            related=[("the targets are given to the loss here", event.site)] if event.measured is not None else [],
            proof_note=f"within the lengths{whole}, {event.at_end} of {event.rows} targets end in {event.blank}",
            help="give the number of symbols of each target, `torch.tensor([len(target) for target in targets])`, before padding",
        )


def _evidence(event: BlanksCounted) -> dict[str, object]:
    return {"blank": event.blank, "blanks": event.num_blanks, "targets": event.num_targets, "inside": event.inside, "at end": event.at_end}
