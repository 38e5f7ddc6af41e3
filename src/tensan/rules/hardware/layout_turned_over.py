"""HDW122: pictures are copied from one layout to the other and back, again and again within one step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensan.core.events.things import Operation
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence, counted

#: Times that values return to the layout that they had before; once is what a model does that works in the other layout inside.
_LEAST_RETURNS = 3
#: Recorded steps in a row that must show it.
_LEAST_STEPS = 2


class LayoutTurnedOver(Rule):
    """
    ## What it does

    Finds models within which the same values go from channels first to channels last and back several times in each step, by copies that
    the program makes or by convolutions that give another layout than they are given.

    ## Why is this bad?

    Every change of layout reads and writes all values. In a model that is kept in channels last, one `contiguous()` in each block makes
    two of them for each block, which may cost more than the layout gains.

    ## Example

    ```python
    model = model.to(memory_format=torch.channels_last)

    def forward(self, x):
        return F.relu(self.conv(x)).contiguous()      # back to channels first, in each block
    ```

    ## Use instead

    ```python
    def forward(self, x):
        return F.relu(self.conv(x))                   # stays as it is; `reshape` where a view is not possible
    ```

    ## Known problems

    The results are right. Some operations need one of the layouts; then the cost is what it is, and the report says how much. What the
    backward copies is not seen.
    """

    code = "HDW122"
    name = "layout-turned-over"
    category = Category.PERFORMANCE
    law = 16
    preview = True  # how much the copies cost depends on the device, and no program of the zoo works in channels last yet

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen: Evidence[tuple[Loss, list[Operation]]] = Evidence(_LEAST_STEPS)
        self._told: set[Place] = set()

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        relaid = [operation for operation in loss.operations if operation.settings.get("relaid")]
        self.armed = self.armed or len(relaid) > 1
        returns = _returns(loss.operations) if len(relaid) > _LEAST_RETURNS else []
        if len(returns) < _LEAST_RETURNS:
            self._seen.interrupt()
            return
        for told, copies in self._seen.add((loss, returns)):
            made = [copy for copy in copies if copy.name != "convolution"]
            if made and made[0].site not in self._told:
                self._told.add(made[0].site)
                yield self._finding(told, made, len(copies))

    def _finding(self, loss: Loss, made: list[Operation], returns: int) -> Finding:
        first = made[0]
        places = {copy.site for copy in made}
        size = sum(_bytes(operation) for operation in loss.operations if operation.settings.get("relaid"))
        to, back = str(first.settings.get("relaid")), "channels last"
        if to == back:
            back = "channels first"
        return self.finding(
            f"pictures go from {back} to {to} and back {counted(returns, 'time')} in one step",
            at=first.site,
            event=loss,
            label=f"copies {first.inputs[0] if first.inputs else ''} to {to}",
            evidence={"returns": returns, "copies": len(made), "bytes": size, "lines": len(places)},
            related=[("and here", copy.site) for copy in made[1:] if copy.site != first.site][:1],
            proof=Proof.LAW,
            proof_note=f"{returns} operations of a recorded step lay values as they had lain before the last change of layout; all changes "
            f"together write {size / 1e6:.3g} MB, beside what the backward does",
            help="keep one layout from the input to the head: leave `contiguous()` out, and use `reshape` or `permute` where a view fails",
        )


def _returns(operations: Sequence[Operation]) -> list[Operation]:
    """Returns the changes of layout behind which the nearest one on the same way of values was the opposite."""
    #: For each operation, how its values were laid by the last change on their way; empty where there was none.
    laid: list[str] = []
    found: list[Operation] = []
    for operation in operations:
        before = next((laid[value.producer] for value in operation.inputs if 0 <= value.producer < len(laid) and laid[value.producer]), "")
        relaid = operation.settings.get("relaid")
        if isinstance(relaid, str) and relaid:
            if before and before != relaid:
                found.append(operation)
            before = relaid
        laid.append(before)
    return found


def _bytes(operation: Operation) -> int:
    size = operation.settings.get("bytes")
    return size if isinstance(size, int) else 0
