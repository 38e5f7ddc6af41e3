"""The one place where patched functions look up whether anybody watches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder


class Live:
    """What is live in this process: a recorder in the watched one, a messenger in its workers, neither elsewhere.

    Attributes:
        recorder: hears of everything; None makes every wrapper fall through.
        worker: the recorder of the parent process, in a forked worker, where only its channel may be used.
    """

    __slots__ = ("recorder", "worker")

    def __init__(self) -> None:
        self.recorder: Recorder | None = None
        self.worker: Recorder | None = None


live = Live()
