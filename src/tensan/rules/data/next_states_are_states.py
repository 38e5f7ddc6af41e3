"""DAT130: the states that are kept for later are one array, since the environment moves the one that it has given out."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.targets import NextStatesSeen
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule


class NextStatesAreStates(Rule):
    """
    ## What it does

    Finds values that are learned from the discounted values of the next states, where an environment of the program writes into the
    array that its `step` gives out, and the transitions that are kept hold that very array.

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

    Only environments that the program has written itself, with `step` and `reset`, are read. Kept transitions are looked through where
    the running functions, or objects that they know, hold them in a list or a deque.
    """

    code = "DAT130"
    name = "next-states-are-states"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"

    def on_next_states_seen(self, event: NextStatesSeen) -> Iterator[Finding]:
        self.armed = True
        if event.num_kept and event.is_edited:
            yield self._finding(event)

    def _finding(self, event: NextStatesSeen) -> Finding:
        keeps = event.edited is not None and event.edited != event.site
        written = f"`{event.name}` is written into and given out"
        edited = [(written, event.edited)] if keeps else []
        used = [("the next states are valued here", event.used)] if event.used != event.site else []
        return self.finding(
            "the states that are kept are one and the same array: the environment moves the array that it has given out",
            at=event.site,
            event=event,
            label="keeps the array itself, not what is in it now" if keeps else written,
            evidence={"rows": event.num_rows, "same": event.num_same, "kept": event.num_kept},
            related=[*edited, *used],
            proof_note=f"{event.num_kept} transitions hold the very array that the environment has, or one array as state and next state",
            help=f"make a new array, `{event.name} = {event.name} + ...`, or give out a copy of it",
        )
