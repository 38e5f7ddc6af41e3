"""Graphs of earlier steps that the program keeps alive by holding losses or outputs."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.training import Backward, GraphsKept
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.repairs import detached

#: Steps after which a program could have been caught.
_ENOUGH = 13


class GraphsKeptAlive(Rule):
    """
    ## What it does
    Finds a sum or a list that holds losses (or outputs) of earlier steps together with their graphs, which have been differentiated
    already.

    ## Why is this bad?
    A tensor that requires gradient holds the whole graph it was computed by. Adding it to a sum or a list keeps one graph for each step,
    so that memory grows until it is used up, hours later, in a line that has nothing to do with it. Nothing can be done with these
    graphs any more: the backward has freed what they would need.

    ## Example
    ```python
    loss.backward()
    total += loss              # a tensor: holds the graphs of all steps so far
    history.append(loss)
    ```

    ## Use instead
    ```python
    total += loss.item()       # or loss.detach(), which does not wait for the device
    history.append(loss.detach())
    ```

    ## Known problems
    Sums and lists that are begun anew before a dozen steps are over are left alone: they do not grow.
    """

    code = "HDW101"
    name = "graphs-kept-alive"
    category = Category.PERFORMANCE
    law = 16

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._steps: set[int] = set()

    def on_backward(self, backward: Backward) -> None:
        if not self.armed:
            self._steps.add(backward.step)
            self.armed = len(self._steps) >= _ENOUGH

    def on_graphs_kept(self, kept: GraphsKept) -> Iterator[Finding]:
        self.armed = True
        what = "a sum of losses" if kept.kind == "sum" else "a list"
        yield self.finding(
            f"`{kept.name}` keeps the graph of every step alive, so that memory grows with each step",
            at=kept.taken or kept.site,
            event=kept,
            label=f"`{kept.name}`, {what}, holds the graphs of {kept.steps} earlier steps, {kept.nodes} nodes each",
            evidence={"holder": kept.name, "graphs": kept.steps, "of": kept.looked_at, "nodes": kept.nodes},
            related=[("differentiated here", kept.site if kept.taken is not None else None)],
            proof_note=f"the graphs of {kept.steps} steps that have been differentiated are still there, and reachable from `{kept.name}`",
            help="add what it is worth, not the tensor with its graph: `loss.item()`, or `loss.detach()`",
            repairs=detached(kept.taken or kept.site),
        )
