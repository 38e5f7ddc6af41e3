"""What the program's own text says and nobody reads."""

from __future__ import annotations

from tensan.core.events.base import Event
from tensan.core.events.things import Parameter, Value


class UnreadAttribute(Event, frozen=True, kw_only=True):
    """The program set a switch where nothing reads it.

    Attributes:
        kind: `module` or `parameter`; owner: what that one is called.
        name: the attribute; value: what it was set to.
        num_parameters: how many parameters are otherwise than it says; parameters: some of them.
    """

    kind: str
    owner: str
    name: str
    value: bool
    num_parameters: int = 0
    parameters: tuple[Parameter, ...] = ()


class Discarded(Event, frozen=True, kw_only=True):
    """A statement ran that can have no effect.

    Attributes:
        kind: `call` where the result of an out-of-place operation was thrown away, `module` where that of a module was,
            `uncalled` where a method was named but not called, `context` where a context manager was made and never entered.
        call: how the program writes it, without its arguments; subject: what it is called on.
        name: the method, function or kind of module that the result is of; of: class of the thing whose method was not called.
        value: what it was given.
        in_place: whether there is a twin that works in place.
    """

    kind: str
    call: str
    name: str
    of: str = ""
    value: Value | None = None
    subject: str = ""
    in_place: bool = False


class SwitchGivenAsText(Event, frozen=True, kw_only=True):
    """A switch was given a text that says no, and every text but the empty one counts as true.

    Attributes:
        name: of the switch; text: what it was given.
        given_to: class of what was built with it, or `argparse` where that made True of the text.
    """

    name: str
    text: str
    given_to: str
