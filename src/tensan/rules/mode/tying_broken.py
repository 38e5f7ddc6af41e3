"""MOD103: parameters that were one have become two, and both are trained."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.events.things import Parameter
from tensan.core.events.training import Backward, TieChange
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence

_LEAST_BACKWARDS = 2


class _Tie(msgspec.Struct):
    """A tie that was broken."""

    change: TieChange
    apart: Evidence[tuple[Backward, Parameter, Parameter]] = msgspec.field(default_factory=lambda: Evidence(_LEAST_BACKWARDS))


class TyingBroken(Rule):
    """
    ## What it does

    Finds parameters that two layers shared, that became two when one layer was replaced, and that are then trained apart.

    ## Why is this bad?

    Tied weights, such as those of an embedding and of the output layer, are one parameter by design. After a replacement
    the model has more parameters than it says, the two copies drift apart, and code that relies on the tie is wrong.

    ## Example

    ```python
    model.out.weight = model.emb.weight
    model.emb = nn.Embedding(larger, 32)
    model.out = nn.Linear(32, larger, bias=False)
    ```

    ## Use instead

    ```python
    model.emb = nn.Embedding(larger, 32)
    model.out = nn.Linear(32, larger, bias=False)
    model.out.weight = model.emb.weight
    ```

    ## Known problems

    A new layer of another shape ends the tie for good reason, and so does one that starts from a copy of the shared values.
    Neither is told, but where one function ties and then puts a copy there, before anything is trained: the tie was for nothing.
    """

    code = "MOD103"
    name = "tying-broken"
    category = Category.CORRECTNESS
    law = 12
    effect = "wrong-state"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._ties: dict[tuple[str, tuple[str, str]], _Tie] = {}

    def on_tie_change(self, event: TieChange) -> None:
        self.armed = True
        self._ties.setdefault((event.root, event.names), _Tie(event))

    def on_backward(self, event: Backward) -> Iterator[Finding]:
        self.armed = self.armed or event.num_ties > 0
        for tie in self._ties.values():
            pair = _apart(tie.change, event)
            if pair is None:
                tie.apart.interrupt()
                continue
            for backward, left, right in tie.apart.add((event, *pair)):
                yield self._finding(tie.change, backward, left, right)

    def _finding(self, change: TieChange, event: Backward, left: Parameter, right: Parameter) -> Finding:
        return self.finding(
            f"`{left.name}` and `{right.name}` were one parameter and are trained apart now",
            at=change.site,
            event=event,
            label="ends the tie",
            evidence={"parameters": [str(left), str(right)]},
            related=[("they were tied here", change.tied_at), ("trained apart here", event.site)],
            proof_note=f"in {_LEAST_BACKWARDS} backward passes or more each got a gradient of its own, and they have one shape still",
            help=f"tie them again after the replacement: on the model, `{right.name} = {left.name}`",
            subjects=[left.id, right.id, change.root],
        )


def _apart(change: TieChange, event: Backward) -> tuple[Parameter, Parameter] | None:
    """Returns the two parameters of a broken tie where backward reaches both and nothing says that it is meant.

    The one that was told of by id may have been replaced in its turn: then it is found by its name.
    """
    by_id = {leaf.id: leaf for leaf in event.leaves}
    by_name = {leaf.name: leaf for leaf in event.leaves if not change.root or leaf.root == change.root}
    left, right = (by_id.get(identifier) or by_name.get(name) for identifier, name in zip(change.parameters, change.names, strict=True))
    if left is None or right is None or left.id == right.id or left.shape != right.shape or left.loaded != right.loaded:
        return None
    return left, right
