"""Looks for switches that were given as text: in Python every text but the empty one is true, `"False"` as well."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch.source import in_file
from tensan.core.events.source import SwitchGivenAsText
from tensan.core.sites import Place, Site, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: What people write for "no". Not "none", which is the name of a reduction.
NO = frozenset({"false", "f", "no", "n", "off", "0"})


def says_no(value: object) -> bool:
    """Tells whether something is a text that says no."""
    return isinstance(value, str) and value.strip().lower() in NO


class Switches:
    """Keeps nothing: each is told when it is given."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def parsed(self, action: Any, text: str, value: object) -> None:
        """`argparse` has made a value of a text."""
        if value is True and action.type is bool and says_no(text):
            place = here(4)
            option = next(iter(action.option_strings), action.dest)
            self._tell(option, text, "argparse", _declared(place, option) or place)

    def given(self, kind: str, arguments: Mapping[str, object]) -> None:
        """A loader or an optimizer was built with these arguments."""
        for name, value in arguments.items():
            if says_no(value):
                self._tell(name, str(value), kind, here(4))

    def _tell(self, name: str, text: str, given_to: str, place: Place) -> None:
        if place is not None:
            watch = self.recorder.watch
            watch.emit(SwitchGivenAsText(step=watch.steps, site=place, name=name, text=text, given_to=given_to))


def _declared(place: Place, option: str) -> Place:
    """Returns where the program declares an option, if it does so in the file that reads it."""

    def declares(node: ast.AST) -> bool:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument"):
            return False
        return any(isinstance(item, ast.Constant) and item.value == option for item in node.args)

    return in_file(place.code.co_filename, declares) if isinstance(place, Site) else None
