"""Follows a run file from outside the watched process and exports what it holds.

Everything that can be slow, hang or fail happens here. It ends with the script, or a bounded time after it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tensan.sinks.opentelemetry import ENDING, ERRAND, OUTCOME, Ending, Errand, Outcome, write

if TYPE_CHECKING:
    from tensan.sinks.opentelemetry.telemetry import Telemetry

_POLL_SECONDS = 0.1


def main(place: str) -> None:
    """Exports one run; never returns."""
    folder = Path(place)
    errand, outcome = msgspec.json.decode((folder / ERRAND).read_bytes(), type=Errand), Outcome()
    try:
        from tensan.sinks.opentelemetry.telemetry import Telemetry  # a second's worth of imports, on no time of the script's

        telemetry = Telemetry(errand, outcome)
        _follow(telemetry, folder, errand)
        # A collector may take for ever, and so may all that the SDK does before it gives up.
        last = threading.Thread(target=telemetry.shutdown, daemon=True)
        last.start()
        last.join(errand.patience)
    except Exception as error:  # noqa: BLE001 - told in the run's own report
        outcome.made.setdefault("runs", 1)
        outcome.reason = f"{type(error).__name__}: {error}"
    if _is_alive(errand.process):
        with contextlib.suppress(OSError):  # nobody waits any longer
            write(folder / OUTCOME, outcome)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)  # what still waits for a collector is left behind


def _follow(telemetry: Telemetry, folder: Path, errand: Errand) -> None:
    """Hands on all records until the script has ended, and then how it did."""
    ending, rest, over = folder / ENDING, b"", False
    with Path(errand.run_file).open("rb") as stream:
        while not over:
            time.sleep(_POLL_SECONDS)
            over = ending.exists() or not _is_alive(errand.process)  # asked before the last look, or the last records might be missed
            *lines, rest = (rest + stream.read()).split(b"\n")
            for line in lines:
                item = msgspec.json.decode(line)
                telemetry.take(item["kind"], item["record"])
    telemetry.end(msgspec.json.decode(ending.read_bytes(), type=Ending) if ending.exists() else None)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    try:  # a process that nobody has waited for yet is over all the same
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return True
