"""The language of contracts: `x: f32[B, T, D], mask: bool[B, T] | None -> (f32[B, T, V], _)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from tensan.contracts.calls.arrays import Anything, Array, Group, Item, Record
from tensan.contracts.calls.axes import Axes, Axis, dotted, formula, needs
from tensan.contracts.calls.dtypes import ALLOWED, dtypes
from tensan.core.errors import UsageError

_T = TypeVar("_T")
_NAME = re.compile(r"[^\W\d]\w*")
_DTYPES = re.compile(r"[\w.]+(\|\w+)*")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Written:
    """What a text promises: of each argument, with the place of its name in the text, and of the result."""

    arguments: dict[str, Item]
    places: dict[str, int]
    result: Item | None


class Reader:
    """Reads one text from left to right.

    Args:
        text: the text.
        where: what it is the contract of.
        names: arguments of that.
    """

    def __init__(self, text: str, *, where: str, names: tuple[str, ...] = ()) -> None:
        self.text, self.where, self.names, self.at = text, where, names, 0

    def contract(self) -> Written:
        """Reads arguments and the result."""
        arguments: dict[str, Item] = {}
        places: dict[str, int] = {}
        result = None
        while not self._end() and not self._next("->"):
            if arguments:
                self._must(",", "',' or '->'")
            place = self._here()
            name = self._name("the name of an argument")
            if name in arguments:
                raise self.error(f"{name} is promised twice", place)
            self._must(":", f"':' after {name}")
            arguments[name], places[name] = self._item(), place
        if self._take("->"):
            result = self._item()
        if not self._end():
            raise self.error("expected the end")
        return Written(arguments, places, result)

    def error(self, problem: str, place: int | None = None) -> UsageError:
        """Returns the error that shows where in the text the problem is."""
        at = self._here() if place is None else place
        line = self.text.replace("\n", " ")
        return UsageError(f"contract of {self.where}: {problem}, at character {at + 1}:\n    {line}\n    {' ' * at}^")

    def _item(self) -> Item:
        if self._take("("):
            return Group(tuple(self._several(")", self._item)))
        if self._take("{"):
            return Record(tuple(self._several("}", self._entry)))
        if (word := _NAME.match(self.text, self._here())) and word[0] == "_":
            self.at = word.end()
            return Anything()
        return self._array()

    def _entry(self) -> tuple[str, Item]:
        key = self._name("a key")
        self._must(":", f"':' after {key}")
        return key, self._item()

    def _array(self) -> Array:
        start = self._here()
        named = _DTYPES.match(self.text, start)
        allowed, like = None, ""
        if named:
            allowed = dtypes(named[0])
            if named[0].partition(".")[0] in self.names:
                allowed, like = None, named[0]
            elif allowed is None:
                raise self.error(f"{named[0]!r} is no type of elements; allowed are {ALLOWED}, or an argument that has it")
            self.at = named.end()
            if not self._next("["):
                raise self.error(f"expected '[' after {named[0]}: {named[0]}[...] for any axes, {named[0]}[] for none")
        self._must("[", "an array such as f32[B, T], '(', '{' or _")
        axes = self._several("]", self._axis)
        if len([axis for axis in axes if axis.many]) > 1:
            raise self.error("one of '...' and '*name' may stand for any number of axes, not two", start)
        text = self.text[start : self.at]
        optional = self._take("|")
        if optional:
            self._must("None", "None after '|'")
        return Array(text, Axes.of(axes), allowed, optional, like)

    def _axis(self) -> Axis:
        start, depth, end = self._here(), 0, self.at
        while end < len(self.text) and (depth or self.text[end] not in ",]"):
            depth += {"(": 1, ")": -1}.get(self.text[end], 0)
            if depth < 0 or self.text.startswith("->", end):
                break
            end += 1
        read = axis(self.text[start:end].strip())
        if isinstance(read, str):
            raise self.error(read, start)
        self.at = end
        return read

    def _several(self, close: str, read: Callable[[], _T]) -> list[_T]:
        found: list[_T] = []
        while not self._take(close):
            if found:
                self._must(",", f"',' or '{close}'")
                if self._take(close):
                    break
            if self._end():
                raise self.error(f"expected '{close}'")
            found.append(read())
        return found

    def _name(self, what: str) -> str:
        word = _NAME.match(self.text, self._here())
        if word is None:
            raise self.error(f"expected {what}")
        self.at = word.end()
        return word[0]

    def _here(self) -> int:
        space = _SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at
        return self.at

    def _end(self) -> bool:
        return self._here() == len(self.text)

    def _next(self, word: str) -> bool:
        return self.text.startswith(word, self._here())

    def _take(self, word: str) -> bool:
        if not self._next(word):
            return False
        self.at += len(word)
        return True

    def _must(self, word: str, what: str) -> None:
        if not self._take(word):
            raise self.error(f"expected {what}")


def axis(text: str) -> Axis | str:
    """Returns what one axis of a text says, or what is wrong with it."""
    if text == "...":
        return Axis(text, many=True)
    many, rest = text.startswith("*"), text.removeprefix("*")
    try:
        node = ast.parse(rest.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        node = None
    if node is None:
        return f"{text!r} is no axis" if text else "expected an axis: a name, a size, an expression, _ or ..."
    if isinstance(node, ast.Name):
        return Axis(text, name="" if rest.startswith("_") else rest, many=many)
    if isinstance(node, ast.Constant) and type(node.value) is int and not many:
        return Axis(text, size=node.value)
    computed = formula(node)
    if computed is None or many:
        return f"{text!r} is no axis: a name, a size, an expression of names and sizes with + - * //, _, ... or *name"
    return Axis(text, name=dotted(node)) if dotted(node) else Axis(text, formula=computed, needs=needs(node))
