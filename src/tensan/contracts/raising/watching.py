"""Hears which raise sites a running program comes to, by a tracer that stays out of all functions without one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable
from types import CodeType, FrameType
from typing import Any

from tensan.contracts.raising.sites import RaiseSite


class Watching:
    """A context manager; the sites that were come to are in `hit`.

    Args:
        sites: those to listen for.
    """

    def __init__(self, sites: Iterable[RaiseSite]) -> None:
        self.hit: set[RaiseSite] = set()
        self._by_path: dict[str, dict[int, RaiseSite]] = {}
        for site in sites:
            self._by_path.setdefault(site.path, {}).update(dict.fromkeys(range(site.line, site.end + 1), site))
        self._codes: dict[CodeType, bool] = {}

    def __enter__(self) -> Watching:
        """Begins to listen.

        Raises:
            RuntimeError: when a debugger or a coverage tool traces already, whose results would be lost.
        """
        if sys.gettrace() is not None:
            raise RuntimeError(
                "raise coverage: another tracer is active (a debugger, or coverage.py without sys.monitoring): run them apart"
            )
        threading.settrace(self._called)
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        wanted = self._codes.get(code)
        if wanted is None:
            lines = self._by_path.get(code.co_filename, {})
            wanted = self._codes[code] = any(line in lines for _, _, line in code.co_lines() if line is not None)
        if not wanted:
            return None
        frame.f_trace_lines = False
        return self._happened

    def _happened(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "exception" and argument[2] is not None and argument[2].tb_next is None:  # raised here, not passed through
            site = self._by_path[frame.f_code.co_filename].get(frame.f_lineno)
            if site is not None:
                self.hit.add(site)
        return self._happened
