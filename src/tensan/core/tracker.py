"""Where a run's findings and figures go beside the report: the services in which its user keeps such things."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

import msgspec

from tensan.core.report import Report


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """What is handed over.

    Attributes:
        report: what was found, with the curves that went into the run file.
        page: the report as one HTML page.
        exception: type, message and traceback of what ended the script, if anything did.
        ended: when the script's own code ended, in nanoseconds since the epoch; None while it goes on.
        amends: whether this run was handed over before, and only what came of trying fixes is new.
    """

    report: Report
    page: str = ""
    exception: tuple[str, str, str] | None = None
    ended: int | None = None
    amends: bool = False


#: Hands a delivery over, on a thread that is given up after a while, and returns in one line what was lost; empty if nothing was. Under
#: `--prove` it is called a second time, with what amends the first: by then the user's run may be closed, and is not opened again.
Send = Callable[[Delivery], str]


@runtime_checkable
class Tracker(Protocol):
    """Takes a run's findings and figures to a service. It is used only where its user asked for it, by `--track`.

    It changes nothing that the script logs, and imports no tracker that the script has not imported. Where it cannot be used at all, its
    constructor raises a `UsageError`.

    Attributes:
        name: its name on the command line.
        in_script: whether it writes into a run that the script itself has opened; these are what `--track auto` means. The others get
            the run last of all.
    """

    name: ClassVar[str]
    in_script: ClassVar[bool]

    def begin(self, run_file: Path, deliver: Callable[[], None]) -> None:
        """Prepares, before the script starts.

        Args:
            run_file: where all that happens is written as it happens.
            deliver: to be called where the user's run is closed before the script ends. Otherwise that is done at the script's end.
        """

    def aim(self) -> Send | None:
        """Finds the user's run, on the thread that used it and without asking any server; None where there is none."""
