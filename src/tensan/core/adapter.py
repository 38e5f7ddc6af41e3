"""What an adapter must do: emit events, compute statistics, answer asks, for one framework."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from tensan.core.asks import Answer, Ask
from tensan.core.watch import Watch


@runtime_checkable
class Adapter(Protocol):
    """The only part that knows a framework.

    Attributes:
        module: the top-level module whose import arms it, such as `torch`; the adapter itself never imports it before.
        tested: versions of the framework that the tests ran with, as a requirement such as `>=2.6,<2.14`.
    """

    module: ClassVar[str]
    tested: ClassVar[str]

    def install(self, watch: Watch) -> None:
        """Starts to emit; called once the framework has been imported. Patches are made once per process."""

    def answer(self, ask: Ask) -> Answer:
        """Runs a recorded step again with one thing changed, or says why it cannot."""
        ...

    def capture(self) -> object:
        """Takes the state that a replay needs."""
        ...

    def restore(self, state: object) -> None:
        """Puts a captured state back, bit for bit."""

    def finish(self, *, status: str) -> None:
        """Tells what can only be told at the end of the run, as a `RunEnd` event."""
