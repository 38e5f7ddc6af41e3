"""MOD110: a tensor operation that returns its result was called as if it worked in place."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.source import Discarded
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.folding import EVERYTHING
from tensan.core.rule import Rule

#: Headline, label, proof and help for statements that reach nothing.
_STATEMENTS = {
    "context": (
        "`{0.call}(...)` makes a context manager that is thrown away",
        "is never entered, so all stays as it was",
        "the statement ran, and what it returned was thrown away at once: nothing can enter it any more",
        "put what it is meant for into its block: `with {0.call}(...):`",
    ),
    "rebound": (
        "assigning to the loop's variable `{0.name}` leaves the parameter as it was",
        "from here on `{0.name}` names a new tensor, and nobody reads it",
        "the statement ran, and until the loop gives `{0.name}` its next value nothing reads it",
        "write into the parameter: `{0.name}.data.copy_(...)`, or an operation in place under `torch.no_grad()`",
    ),
    "temporary": (
        "an entry is assigned in what `state_dict()` returned, which nobody keeps",
        "the dict is a new one at each call: {0.of} stays as it was",
        "the statement ran, and no name holds the dict that it wrote to",
        "change the dict and give it back with `load_state_dict(...)`, or write to the parameter or `param_groups` itself",
    ),
}

#: What functions are called on, and methods are not.
_FUNCTIONS = ("torch.", "F.", "nn.")


class ResultDiscarded(Rule):
    """
    ## What it does

    Finds calls such as `scores.masked_fill(mask, -inf)` or `self.dropout(x)` whose result is thrown away, although working it
    out is all that they do, context managers that are made in a statement of their own, such as `torch.no_grad()`, and assignments
    that write to something that nobody keeps.

    ## Why is this bad?

    The tensor stays as it was: nothing is masked, clamped or normalised, and no error is raised. In PyTorch only methods
    whose name ends in an underscore change their tensor.

    ## Example

    ```python
    scores.masked_fill(mask, float("-inf"))
    ```

    ## Use instead

    ```python
    scores = scores.masked_fill(mask, float("-inf"))
    ```

    ## Known problems

    Outside of the model's forward and the loss only statements of the functions that are running at a backward, a step or the
    start of an evaluation are looked at, and only where they surely run. Moves to a device are left out where nothing is moved.
    """

    code = "MOD110"
    name = "result-discarded"
    category = Category.CORRECTNESS
    law = 15
    explains = frozenset({"wrong-gradient", "wrong-scale", "wrong-data", "non-finite", "no-effect", "unmasked"})

    def on_loss(self, event: Loss) -> None:
        self.armed = self.armed or bool(event.operations)

    def on_discarded(self, event: Discarded) -> Iterator[Finding]:
        if event.kind == "uncalled":
            return
        self.armed = True
        if event.kind in _STATEMENTS:
            message, label, proof, help = _STATEMENTS[event.kind]
            yield self.finding(
                message.format(event),
                at=event.site,
                event=event,
                label=label.format(event),
                evidence={"context" if event.kind == "context" else "assigned": event.call},
                proof_note=proof.format(event),
                help=help.format(event),
                subjects=[EVERYTHING],
            )
            return
        of_tensor = event.kind == "call" and not event.call.startswith(_FUNCTIONS)
        subject = event.subject if of_tensor else "its input"
        assigned = event.subject if of_tensor and event.subject.isidentifier() else "..."
        of = f"`{event.call}(...)`"
        what = "works on a new tensor" if event.name in event.call and not event.call.endswith(f".{event.name}") else "returns its result"
        yield self.finding(
            f"the result of {of} is thrown away, so the call does nothing",
            at=event.site,
            event=event,
            label=f"{what}; {f'`{subject}`' if of_tensor and len(subject) < 40 else 'its input'} stays as it was",
            evidence={"call": event.call, "given": str(event.value) if event.value is not None else ""},
            proof_note="it ran, wrote to no tensor that was there before, and nothing reads what it returned",
            help=_help(event, assigned),
            subjects=[EVERYTHING],
        )


def _help(event: Discarded, assigned: str) -> str:
    text = f"keep the result: `{assigned} = {event.call}(...)`"
    if event.in_place and event.call.endswith(f".{event.name}") and not event.call.startswith(_FUNCTIONS):
        text += f", or work in place: `{event.call}_(...)`"
    return text
