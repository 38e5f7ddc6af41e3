"""Reads where the program changes the dataset of one split, as in `val_set.dataset.transform = plain`, which is the other splits' too.

Only what surely ran counts: statements that stand in no loop and under no condition, of functions that loaders were built or read in.
And only an attribute that nothing else in the program sets: where it is set for each phase anew, both phases get their own.
"""

from __future__ import annotations

import ast
import sys
import weakref
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

from torch.utils.data import Subset

from tensan.adapters.torch import stored
from tensan.adapters.torch.statements import resolve, statements, users_trees
from tensan.adapters.torch.variables import names_of, users_frames
from tensan.core.events.data import SplitsShared
from tensan.core.sites import Location, function_of
from tensan.core.trees import body_of, called_name, location, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.loaders import LoaderRecord
    from tensan.adapters.torch.recorder import Recorder

#: Functions that are looked at, innermost first, and methods in which a dataset is asked for an attribute.
MOST_FRAMES = 6
MOST_METHODS = 16
#: Epochs of loaders of splits that are looked at, and pairs of splits that are told.
MOST_LOOKS = 64
MOST_TOLD = 16


class Setting(NamedTuple):
    """A statement that sets an attribute, and surely runs where its function does.

    Attributes:
        split: the expression of a split whose dataset is changed; None where any other object is.
        is_sure: whether nothing before it leaves the function.
    """

    place: Location
    attribute: str
    target: str
    value: str
    split: ast.expr | None
    is_sure: bool


class _Named(NamedTuple):
    """Which split is meant, its dataset, that one's class by name, and what names fetching an item asks for.

    Both may be gone when the run is over: their references, of which there is one for each thing, still tell them apart.
    """

    split: weakref.ref[Any]
    dataset: weakref.ref[Any]
    kind: str
    read: frozenset[str]


class SharedSplits:
    """Loaders of splits, by what each reads, and the statements that were in force when each of them began an epoch."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._read: dict[str, _Named] = {}
        self._named: dict[CodeType, dict[Setting, _Named]] = {}
        self._under: dict[Setting, set[str]] = {}
        self._told: dict[Setting, bool] = {}
        self._looks = 0

    def built(self, loader: Any) -> None:
        """A loader was made: the functions that run know its split by name."""
        if type(loader.dataset) is Subset and self.recorder.watch.wants(SplitsShared):
            self._look(stored.underlying(loader.dataset, [])[0])

    def begun(self, record: LoaderRecord, loader: Any) -> None:
        """A loader began an epoch."""
        if type(loader.dataset) is not Subset or self._looks >= MOST_LOOKS or not self.recorder.watch.wants(SplitsShared):
            return
        self._looks += 1
        dataset = stored.underlying(loader.dataset, [])[0]
        try:
            self._read[record.id] = _named(loader.dataset, dataset)
        except TypeError:  # a list, which has no attributes either
            return
        self._look(dataset)
        running = {frame.f_code: frame.f_lineno for frame in users_frames(sys._getframe(1))}
        for code, named in self._named.items():
            for attribute in {setting.attribute for setting, each in named.items() if each.dataset() is dataset}:
                setting = _in_force(code, attribute, running.get(code, sys.maxsize))
                each = named.get(setting) if setting is not None else None
                if setting is not None and each is not None and each.dataset() is dataset and self._is_told(code, setting, each):
                    self._under.setdefault(setting, set()).add(record.id)

    def _is_told(self, code: CodeType, setting: Setting, named: _Named) -> bool:
        if setting not in self._told:  # asked while the program runs: afterwards its modules are gone
            self._told[setting] = _is_told(code, setting, named)
        return self._told[setting]

    def _look(self, dataset: Any) -> None:
        for frame in users_frames(sys._getframe(1), most=MOST_FRAMES):
            settings = [each for each in settings_in(frame.f_code) if each.split is not None]
            names = names_of(frame) if settings else {}
            for setting in settings:
                split = _split_of(setting.split, names, frame.f_globals)
                ran = setting.is_sure or setting.place.line < frame.f_lineno
                if split is not None and ran and stored.underlying(split, [])[0] is dataset:
                    self._named.setdefault(frame.f_code, {})[setting] = _named(split, dataset)

    def finish(self) -> None:
        """The run is over: which loaders were learned from is known."""
        if not self.recorder.watch.wants(SplitsShared):
            return
        used = [(record, self._read[record.id]) for record in self.recorder.loaders.all if record.id in self._read]
        pairs = [
            (train, learned, other, held)
            for train, learned in used
            for other, held in used
            if train.trained and not other.trained and learned.dataset is held.dataset and learned.split is not held.split
        ]
        for train, learned, other, held in pairs[:MOST_TOLD]:
            code, setting = self._between(train, learned, other, held)
            before = _named_before(self._named[code], setting) if code is not None and setting is not None else None
            names_held = setting is not None and code is not None and self._named[code][setting].split is held.split
            self.recorder.watch.emit(
                SplitsShared(
                    step=self.recorder.watch.steps,
                    site=setting.place if setting is not None else None,
                    train=train.event(),
                    other=other.event(),
                    target=setting.target if setting is not None else "",
                    attribute=setting.attribute if setting is not None else "",
                    value=setting.value if setting is not None else "",
                    names_other=names_held,
                    overwritten=before.place if before is not None else None,
                )
            )

    def _between(self, train: LoaderRecord, learned: _Named, other: LoaderRecord, held: _Named) -> tuple[CodeType | None, Setting | None]:
        """Returns the statement that was in force for both loaders and names the split of one of them."""
        for code, named in self._named.items():
            for setting, each in named.items():
                both = {train.id, other.id} <= self._under.get(setting, set())
                of_one = each.split is held.split or (each.split is learned.split and _named_before(named, setting) is not None)
                if both and of_one:
                    return code, setting
        return None, None


@lru_cache(maxsize=256)
def settings_in(code: CodeType) -> tuple[Setting, ...]:
    """Returns the statements of a function that set an attribute and run whenever the function does, in the order of the source."""
    body = body_of(code)
    if body is None:
        return ()
    leaves = [node.lineno for node in walk(body) if isinstance(node, (ast.Return, ast.Raise))] if code.co_name != "<module>" else []
    found = []
    for statement, blocks in statements(body):
        if not isinstance(statement, ast.Assign) or not all(_is_always(block) for block, _ in blocks):
            continue
        for target in statement.targets:
            if isinstance(target, ast.Attribute):
                place = location(code.co_filename, statement, function_of(code))
                sure = not any(line < statement.lineno for line in leaves)
                found.append(
                    Setting(place, target.attr, ast.unparse(target), ast.unparse(statement.value), _through_dataset(target.value), sure)
                )
    return tuple(sorted(found, key=lambda each: each.place.line))


def _is_always(block: ast.AST) -> bool:
    main = isinstance(block, ast.If) and any(isinstance(part, ast.Name) and part.id == "__name__" for part in walk(block.test))
    return main or isinstance(block, (ast.With, ast.AsyncWith))


def _through_dataset(owner: ast.expr) -> ast.expr | None:
    """Returns `x` of an expression `x.dataset`."""
    return owner.value if isinstance(owner, ast.Attribute) and owner.attr == "dataset" else None


def _split_of(expression: ast.expr | None, *scopes: Any) -> Any:
    """Returns the split that an expression names; of `split.dataset.dataset` the outer one, which a loader reads."""
    found = None
    while expression is not None:
        thing = resolve(expression, *scopes)
        found = thing if type(thing) is Subset else found
        expression = _through_dataset(expression)
    return found


def _in_force(code: CodeType, attribute: str, line: int) -> Setting | None:
    """Returns the statement that set an attribute last when its function had come to a line."""
    done = [each for each in settings_in(code) if each.attribute == attribute and each.place.line < line]
    return done[-1] if done else None


def _named_before(named: dict[Setting, _Named], setting: Setting) -> Setting | None:
    """Returns a statement that set the same attribute to something else, through another split of the same dataset."""
    own = named[setting]
    return next(
        (
            each
            for each, other in named.items()
            if each.attribute == setting.attribute
            and each.place.line < setting.place.line
            and each.value != setting.value
            and other.dataset is own.dataset
            and other.split is not own.split
        ),
        None,
    )


def _is_told(code: CodeType, setting: Setting, named: _Named) -> bool:
    """Tells whether a statement makes items another, which no other part of the program takes back."""
    same = any(
        each.attribute == setting.attribute and each.value == setting.value and each.place.line < setting.place.line
        for each in settings_in(code)
    )
    return (
        not same
        and not _copies(setting)
        and setting.attribute in named.read
        and not _is_set_elsewhere(code, setting.attribute)
        and not _was_built_with(code, setting, named.kind)
    )


def _copies(setting: Setting) -> bool:
    """Tells whether a value is taken from another split: then both are meant to be alike."""
    return f".dataset.{setting.attribute}" in setting.value


def _named(split: Any, dataset: Any) -> _Named:
    return _Named(weakref.ref(split), weakref.ref(dataset), type(dataset).__name__, _names_read(type(dataset)))


def _names_read(kind: type) -> frozenset[str]:
    """Returns the names that fetching an item asks for, in the method that does it and those that it calls."""
    found: set[str] = set()
    waiting = ["__getitem__", "__getitems__"]
    for method in waiting:
        code = getattr(getattr(kind, method, None), "__code__", None)
        if isinstance(code, CodeType):
            found |= set(code.co_names)
            waiting += [name for name in code.co_names if name not in waiting and len(waiting) < MOST_METHODS and hasattr(kind, name)]
    return frozenset(found)


def _is_set_elsewhere(code: CodeType, attribute: str) -> bool:
    """Tells whether an attribute of that name is set anywhere but in constructors and by the sure statements of one function."""
    sure = {(each.place.path, each.place.line) for each in settings_in(code) if each.attribute == attribute}
    for path, tree in users_trees():
        built = {part for node in walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__" for part in walk(node)}
        for node in walk(tree):
            if isinstance(node, ast.Attribute) and node.attr == attribute and not isinstance(node.ctx, ast.Load):
                if node not in built and (path, node.lineno) not in sure:
                    return True
            elif isinstance(node, ast.Call) and called_name(node) in ("setattr", "__setattr__"):
                given = [part.value for part in node.args[:2] if isinstance(part, ast.Constant)]
                if attribute in given or (not given and len(node.args) > 1):
                    return True
    return False


def _was_built_with(code: CodeType, setting: Setting, kind: str) -> bool:
    """Tells whether each dataset of that class was built with the very value, so that the statement changes nothing."""
    tree = body_of(code)
    calls = [node for node in walk(tree) if isinstance(node, ast.Call) and called_name(node) == kind] if tree is not None else []
    return bool(calls) and all(
        any(ast.unparse(part) == setting.value for part in call.args)
        or any(item.arg == setting.attribute and ast.unparse(item.value) == setting.value for item in call.keywords)
        for call in calls
    )
