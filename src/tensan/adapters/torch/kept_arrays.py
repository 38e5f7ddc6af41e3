"""Looks for transitions that hold the very array of an environment, and not what it was when they were kept."""

from __future__ import annotations

import ast
import dataclasses
from collections import Counter, deque
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import torch

from tensan.adapters.torch.statements import users_trees
from tensan.adapters.torch.stored import is_array
from tensan.adapters.torch.variables import variables
from tensan.core.sites import Location, is_users
from tensan.core.trees import location, walk

#: Things in reach that are looked at, how deep they are followed, and transitions at each end of a container.
MOST_THINGS = 2_000
DEEPEST = 2
MOST_KEPT = 64
MOST_PARTS = 8
#: Fewer transitions that hold the array say nothing: those of this moment may do so.
LEAST_KEPT = 8
LEAST_SHARED = 3


class Kept(NamedTuple):
    """How many transitions of one container hold one array, and the statement that puts them there, where there is one alone."""

    number: int
    place: Location | None


def kept(owner: str, name: str) -> Kept:
    """Returns in which container the most transitions hold the array that an environment in reach has.

    Args:
        owner: name of the environment's class.
        name: attribute in which it has the array.
    """
    containers: list[tuple[str, Any]] = []
    places: set[tuple[int, int] | None] = set()
    for called, thing in _in_reach():
        if type(thing) in (list, deque):
            containers.append((called, thing))
        elif any(kind.__name__ == owner for kind in type(thing).__mro__):
            places |= {_place(vars(thing).get(name))} - {None}
    counted = [(_holding(each, places), called) for called, each in containers if each] if places else []
    number, called = max(counted, default=(0, ""))
    return Kept(number, _filled_at(called)) if number >= LEAST_KEPT else Kept(0, None)


def _in_reach() -> Iterator[tuple[str, Any]]:
    """Yields lists, deques and objects of the program that running functions know, and those that such objects hold, with their names."""
    waiting = [(name, value, 0) for name, value, _ in islice(variables(2), MOST_THINGS)]
    seen: set[int] = set()
    for name, thing, depth in waiting:
        if id(thing) in seen or len(waiting) > 2 * MOST_THINGS:
            continue
        seen.add(id(thing))
        if type(thing) in (list, deque):
            yield name, thing
        elif _is_of_program(thing):
            yield name, thing
            if depth < DEEPEST:
                waiting += [(inner, value, depth + 1) for inner, value in list(vars(thing).items())]


def _filled_at(name: str) -> Location | None:
    """Returns the one statement that appends to a container of that name."""
    found = [
        location(path, node)
        for path, tree in users_trees()
        for node in walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("append", "appendleft")
        and ast.unparse(node.func.value).rpartition(".")[2] == name
    ]
    return found[0] if len(found) == 1 else None


def _is_of_program(thing: Any) -> bool:
    """Tells by the methods of a thing's class, and without asking the thing itself, whether the program has written that class."""
    if isinstance(thing, (type, torch.nn.Module)):
        return False
    codes = (getattr(value, "__code__", None) for value in list(vars(type(thing)).values()))
    written = any(code is not None and is_users(code.co_filename) for code in codes)
    return written and isinstance(getattr(thing, "__dict__", None), dict)


def _holding(container: Any, places: set[tuple[int, int] | None]) -> int:
    """Returns in how many transitions, among the first and the last of a container, an array stands that is not of that moment alone.

    It is the one that the environment has now, or, in at least half of the transitions, state and next state at once, as in several others:
    a next state that is not written into is the state of one more transition alone.
    """
    ends = {id(each): each for each in (*islice(container, MOST_KEPT), *islice(reversed(container), MOST_KEPT))}
    lying = [[place for part in _parts(each) if (place := _place(part))] for each in ends.values()]
    present = Counter(place for each in lying for place in set(each) & places)
    often = Counter(place for each in lying for place in set(each))
    twice = sum(any(times > 1 and often[place] >= LEAST_SHARED for place, times in Counter(each).items()) for each in lying)
    return max(*present.values(), twice if 2 * twice >= len(lying) else 0, 0)


def _parts(transition: Any) -> list[Any]:
    """Returns what a transition is made of: a tuple, a list, a dictionary, or a record."""
    if isinstance(transition, (tuple, list)):
        return list(transition[:MOST_PARTS])
    if isinstance(transition, dict):
        return list(islice(dict.values(transition), MOST_PARTS))
    if dataclasses.is_dataclass(transition) and not isinstance(transition, type):
        return (
            [transition.__dict__.get(field.name) for field in dataclasses.fields(transition)[:MOST_PARTS]]
            if hasattr(transition, "__dict__")
            else []
        )
    return []


def _place(value: Any) -> tuple[int, int] | None:
    """Returns where an array lies and its size, for the beginning of an array lies there too; None for what is none."""
    if not is_array(value):
        return None
    if isinstance(value, torch.Tensor):
        plain = type(value) is torch.Tensor and value.layout is torch.strided and not value.is_meta and value.numel() > 0
        return (value.data_ptr(), value.nbytes) if plain else None
    return (int(value.__array_interface__["data"][0]), value.nbytes) if value.size else None
