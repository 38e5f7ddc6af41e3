"""Reads off the source of a dataset where it makes a generator anew for each item, always from one seed, and draws noise from it.

No hook tells: most kinds of generators are written in C. So only what surely runs for each item counts, and only a seed
that surely is the same for all of them.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch import stored
from tensan.adapters.torch.fetching import fetching
from tensan.adapters.torch.made_data import DRAWING
from tensan.adapters.torch.statements import statements, users_trees
from tensan.core.events.randomness import ItemsSeeded
from tensan.core.sites import Location, is_users
from tensan.core.trees import body_of, called_name, location, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

_MAKING = frozenset({"default_rng", "RandomState", "Random", "manual_seed"})
_NOISE = DRAWING | {"integers", "randn_like", "normal_", "uniform_", "bernoulli_", "rand_like"}
#: Blocks whose statements run whenever the block is reached.
_ALWAYS = (ast.With, ast.AsyncWith)


class Made(NamedTuple):
    """A generator that is made for each item: what makes it, the seed as a number, and where."""

    maker: str
    seed: int
    place: Location


class ItemGenerators:
    """The datasets that were looked at, by the function that fetches their items."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._seen: set[str] = set()

    def begun(self, loader_id: str, dataset: Any) -> None:
        """A loader began an epoch."""
        if loader_id in self._seen or not self.recorder.watch.wants(ItemsSeeded):
            return
        self._seen.add(loader_id)
        joined = stored.underlying(dataset, [])[0]
        parts = joined.datasets if type(joined) is torch.utils.data.ConcatDataset else [joined]
        kinds = {type(part): part for part in (stored.underlying(part, [])[0] for part in parts)}
        for made in (made for part in kinds.values() for made in made_for_each(part)):
            self.recorder.watch.emit(
                ItemsSeeded(
                    step=self.recorder.watch.steps, generator=made.maker, seed=str(made.seed), loader=loader_id, made=made.place, anew=True
                )
            )


def made_for_each(dataset: Any) -> Iterator[Made]:
    """Yields the generators that a dataset makes for each item, always from the same seed, to draw noise from them."""
    reading = fetching(dataset)
    if reading is None:
        return
    yield from made_in(reading, dataset)
    body = body_of(reading.__code__)
    for call in sure_calls(body) if body is not None else ():
        function = _method(call.func, dataset) or reading.__globals__.get(getattr(call.func, "id", ""))
        if isinstance(function, FunctionType) and function is not reading and is_users(function.__code__.co_filename):
            yield from made_in(function, dataset)


def _method(node: ast.expr, dataset: Any) -> Any:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return inspect.getattr_static(type(dataset), node.attr, None)
    return None


def made_in(function: FunctionType, dataset: Any, *, drawn: Callable[[ast.FunctionDef, str], bool] | None = None) -> Iterator[Made]:
    """Yields the generators that a function makes each time it runs, always from the same seed.

    Args:
        function: of the user's.
        dataset: what it is a method of, for the seed may be kept there; None for a plain function.
        drawn: tells, by the function's tree and the generator's name, whether it is of the kind that is looked for; by default whether
            noise is drawn from it.
    """
    code = function.__code__
    body = body_of(code)
    if not isinstance(body, ast.FunctionDef):
        return
    for call in sure_calls(body):
        made = called_name(call) in _MAKING and isinstance(call.func, ast.Attribute | ast.Name)
        seed = _seed(call, function, dataset) if made else None
        name = _name_of(call, body) if seed is not None else None
        if seed is not None and name is not None and (drawn or _draws_noise)(body, name):
            maker = call.func.value if called_name(call) == "manual_seed" and isinstance(call.func, ast.Attribute) else call.func
            yield Made(ast.unparse(maker).removesuffix("()"), seed, location(code.co_filename, call, code.co_qualname))


def sure_calls(body: ast.AST) -> Iterator[ast.Call]:
    """Yields the calls in those statements of a function that run whenever it does."""
    leaves = [node.lineno for node in walk(body) if isinstance(node, (ast.Return, ast.Raise))]
    for statement, chain in statements(body):
        simple = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return, ast.AugAssign))
        if simple and all(isinstance(block, _ALWAYS) for block, _ in chain) and not any(line < statement.lineno for line in leaves):
            choices = {part for node in walk(statement) if isinstance(node, (ast.IfExp, ast.BoolOp, ast.Lambda)) for part in walk(node)}
            yield from (node for node in walk(statement) if isinstance(node, ast.Call) and node not in choices)


def _seed(call: ast.Call, function: FunctionType, dataset: Any) -> int | None:
    """Returns the seed that a call gives, where it is the same each time."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if len(given) != 1:
        return None
    seed: Any = None
    node = given[0]
    if isinstance(node, ast.Constant):
        seed = node.value
    elif isinstance(node, ast.Name) and node.id in function.__code__.co_names and not _is_set_again(node.id):
        seed = function.__globals__.get(node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self" and not _is_set_again(node.attr):
        seed = inspect.getattr_static(dataset, node.attr, None)
    return seed if type(seed) is int else None


def _is_set_again(name: str) -> bool:
    """Tells whether the program may set a name or an attribute of that name more than once: anywhere but in a constructor or at the top."""
    for _, tree in users_trees():
        once = {part for node in walk(tree) for whole in _run_once(node) for part in walk(whole)}
        for node in walk(tree):
            named = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
            sets = named == name and not isinstance(getattr(node, "ctx", None), ast.Load) and node not in once
            if sets or (isinstance(node, ast.Constant) and node.value == name):
                return True
    return False


def _run_once(node: ast.AST) -> list[ast.AST]:
    """Returns what of a part of a program runs once: a constructor, a constant at the top, the constants of a class."""
    if isinstance(node, ast.ClassDef):
        return [each for each in node.body if isinstance(each, (ast.Assign, ast.AnnAssign)) and isinstance(each.value, ast.Constant)]
    constructs = isinstance(node, ast.FunctionDef) and node.name == "__init__"
    constant = isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.col_offset == 0
    return [node] if constructs or constant else []


def _name_of(call: ast.Call, body: ast.FunctionDef) -> str | None:
    """Returns the name that a function gives the generator: the one it is assigned to, or the one that is seeded."""
    for node in walk(body):
        if isinstance(node, ast.Assign) and node.value is call and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            return node.targets[0].id
    seeded = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "manual_seed" else None
    if not isinstance(seeded, ast.Name):
        return None
    made = (node for node in walk(body) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call))
    own = any(called_name(node.value) == "Generator" and ast.unparse(node.targets[0]) == seeded.id for node in made)  # type: ignore[arg-type]
    return seeded.id if own else None


def _draws_noise(body: ast.FunctionDef, name: str) -> bool:
    """Tells whether all that is drawn from a generator is noise of this item: nothing that the item then looks up its own part in."""
    draws = [node for node in walk(body) if isinstance(node, ast.Call) and draws_from(node, name)]
    return bool(draws) and all(called_name(draw) in _NOISE for draw in draws) and not _is_indexed(body, draws)


def draws_from(call: ast.Call, name: str) -> bool:
    """Tells whether a call draws from the generator of that name."""
    of = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and call.func.value.id == name
    given = any(isinstance(item.value, ast.Name) and item.value.id == name for item in call.keywords)
    return (of and called_name(call) != "manual_seed") or given or any(isinstance(item, ast.Name) and item.id == name for item in call.args)


def _is_indexed(body: ast.FunctionDef, draws: list[ast.Call]) -> bool:
    """Tells whether what an item gets of the numbers hangs on which item it is: rows of a table, or a place in a row of draws."""
    index = {argument.arg for argument in body.args.args[1:]} if body.name == "__getitem__" else set[str]()
    names: set[str] = set()
    for node in walk(body):
        if isinstance(node, ast.Assign) and any(part in draws for part in walk(node.value)):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in walk(body):
        table = isinstance(node, ast.Subscript) and (node.value in draws or (isinstance(node.value, ast.Name) and node.value.id in names))
        repeated = isinstance(node, (ast.For, ast.While, ast.comprehension)) or (node in draws)
        if table or (repeated and any(isinstance(part, ast.Name) and part.id in index for part in walk(node))):
            return True
    return False
