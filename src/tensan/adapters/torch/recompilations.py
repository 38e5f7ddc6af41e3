"""Reads off the compiler's own notes, once the script has ended, which functions it had to compile again and again, and why."""

from __future__ import annotations

import sys
from types import CodeType
from typing import TYPE_CHECKING, Any

from tensan.core.events.run import Recompiled
from tensan.core.sites import Location, Place, is_users
from tensan.core.trees import body_of

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder


def tell(recorder: Recorder) -> None:
    """Tells of each function that was compiled more than once, or that there was none."""
    dynamo: Any = sys.modules.get("torch._dynamo")
    if dynamo is None or not recorder.watch.wants(Recompiled):
        return
    limit = getattr(dynamo.config, "recompile_limit", None) or getattr(dynamo.config, "cache_size_limit", 0)
    watch, found = recorder.watch, dict(getattr(dynamo.utils, "guard_failures", ()))
    for code, reasons in found.items():
        # A reason begins with the name of the version that did not fit: `0/3: tensor 'x' size mismatch ...`.
        versions = {str(reason).partition(":")[0] for reason in reasons}
        watch.emit(
            Recompiled(
                step=watch.steps,
                site=_definition(code) or recorder.compiled_at,
                function=code.co_qualname,
                versions=len(versions),
                limit=limit,
                reason=str(reasons[-1]).partition(": ")[2].partition("\n")[0].partition("  # ")[0].strip(),
                compiled=recorder.compiled_at,
            )
        )
    if not found:
        watch.emit(Recompiled(step=watch.steps, limit=limit, compiled=recorder.compiled_at))


def _definition(code: CodeType) -> Place:
    """Returns where one of the program's own functions is defined."""
    body = body_of(code) if is_users(code.co_filename) and code.co_name != "<module>" else None
    if body is None:
        return None
    line, column = body.lineno, body.col_offset + 1  # type: ignore[attr-defined]
    return Location(path=code.co_filename, line=line, column=column, function=code.co_qualname)
