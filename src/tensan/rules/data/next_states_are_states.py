"""DAT130: each state of a batch is its own next state, since the environment moves the array that it has given out."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.targets import NextStatesSeen
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence

_LEAST_STEPS = 2
#: States that must differ from each other: of one alone nothing else can be said. All that was kept of an episode may be one.
_DIFFERENT = 3


class NextStatesAreStates(Rule):
    """
    ## What it does

    Finds values that are learned from the discounted values of the next states, where each next state is the state itself, and an
    environment of the program writes into the array that its `step` gives out.

    ## Why is this bad?

    What was kept in a replay buffer is not a copy: the array goes on to change with the environment, and state and next state are one. The
    agent learns from transitions that never took place. Nothing fails, and the loss is small.

    ## Example

    ```python
    def step(self, action):
        self.position += self.moves[action]
        return self.position, reward, done
    ```

    ## Use instead

    ```python
    def step(self, action):
        self.position = self.position + self.moves[action]
        return self.position, reward, done
    ```

    Or give out a copy: `return self.position.copy(), reward, done`.

    ## Known problems

    Only environments that the program has written itself, with `step` and `reset`, are read.
    """

    code = "DAT130"
    name = "next-states-are-states"
    category = Category.CORRECTNESS
    law = 11
    preview = True
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._evidence: dict[Place, Evidence[NextStatesSeen]] = {}
        self._moves = False

    def on_next_states_seen(self, event: NextStatesSeen) -> Iterator[Finding]:
        self.armed = True
        self._moves = self._moves or event.num_same < event.num_rows
        if self._moves or not event.is_apart or not event.is_edited or event.num_different < _DIFFERENT:
            return
        evidence = self._evidence.setdefault(event.site, Evidence(_LEAST_STEPS))
        for seen in evidence.add(event):
            yield self._finding(seen)

    def _finding(self, event: NextStatesSeen) -> Finding:
        return self.finding(
            "each state of the batch is its own next state: the environment moves the array that it has given out",
            at=event.site,
            event=event,
            label=f"`{event.name}` is written into and given out, so that all that was kept of an episode is one array",
            evidence={"rows": event.num_rows, "same": event.num_same},
            related=[("the next states are valued here", event.used)] if event.used != event.site else [],
            proof_note=f"all {event.num_same} next states of a batch are, value by value, the states themselves, in each recorded step",
            help=f"make a new array, `{event.name} = {event.name} + ...`, or give out a copy of it",
        )
