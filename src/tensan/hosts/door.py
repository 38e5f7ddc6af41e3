"""What the doors share: a process is watched once, however many doors are open."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensan.launch.session import Session


def is_asked() -> bool:
    """Tells whether the environment asks for a watch, by `TENSAN=1`."""
    return os.environ.get("TENSAN") == "1"


def begin(**settings: Any) -> Session | None:
    """Begins to watch this process; returns None where it is watched already, as under `tensan run`, or switched off by `TENSAN=0`.

    Settings that are wrong are told in one line, and the program runs without us: it is well under way when a door opens.
    """
    from tensan.core.errors import TensanError
    from tensan.launch.session import Session, switched_off

    if switched_off() or Session.running() is not None:
        return None
    try:
        return Session.start(flags=settings)
    except TensanError as error:
        print(f"tensan: error: {error}; the program runs without it", file=sys.stderr)
        return None
