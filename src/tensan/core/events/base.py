"""What all events are, who listens to them, and which kinds there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from tensan.core.sites import Place


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something the program did; `step` counts the optimizer steps done before it."""

    step: int = 0
    site: Place = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _KINDS.setdefault(handler_name(cls), []).append(cls)


# By the name of the method that listens to them; third parties' events are here as well, once they are defined.
_KINDS: dict[str, list[type[Event]]] = {}


@cache
def handler_name(event: type[Event]) -> str:
    """Returns the name of the method that listens to an event: `on_optimizer_step` for `OptimizerStep`."""
    return "on_" + re.sub(r"(?<!^)(?=[A-Z])", "_", event.__name__).lower()


@cache
def heard_by(listener: type) -> tuple[tuple[type[Event], str], ...]:
    """Returns the kinds of events that a class listens to, each with the name of the method that does."""
    names = sorted({name for base in listener.__mro__ for name in vars(base) if name.startswith("on_")})
    return tuple((kind, name) for name in names for kind in _KINDS.get(name, ()))


def event_types() -> Iterator[type[Event]]:
    """Yields every kind of event there is, third parties' included."""
    for kinds in _KINDS.values():
        yield from kinds
