"""Finds columns that a trainer takes out of each batch, because the model does not name them, and that the program asks for there."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch import stored
from tensan.adapters.torch.fetching import fetching
from tensan.adapters.torch.variables import names_of
from tensan.core.events.data import ColumnsDropped
from tensan.core.sites import Location, function_of, is_users
from tensan.core.trees import body_of, location, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.loaders import LoaderRecord
    from tensan.adapters.torch.recorder import Recorder

#: What takes the columns out, and whose frame runs the training.
_COLLATOR = "transformers.trainer_utils", "RemoveColumnsCollator"
_TRAINER = "transformers.trainer"
#: Methods that are handed a batch, or the parts of one by name.
_OF_TRAINER = "compute_loss", "training_step", "prediction_step"
_OF_MODEL = ("forward",)
#: Frames that are looked through for the trainer.
MOST_FRAMES = 24


class DroppedColumns:
    """Looks at loaders that a trainer of Transformers has made, when they begin."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._told: set[str] = set()

    def begun(self, record: LoaderRecord, loader: Any) -> None:
        """A loader begins an epoch."""
        watch, kind = self.recorder.watch, type(loader.collate_fn)
        if (kind.__module__, kind.__name__) != _COLLATOR or record.id in self._told or not watch.wants(ColumnsDropped):
            return
        self._told.add(record.id)
        kept = getattr(loader.collate_fn, "signature_columns", None)
        trainer = _trainer()
        if not isinstance(kept, (list, tuple)) or trainer is None:
            return
        dropped = _columns(loader.dataset) - set(kept)
        read = next(((column, place) for function in _functions(trainer) for column, place in _reads(function) if column in dropped), None)
        watch.emit(
            ColumnsDropped(
                step=watch.steps,
                site=record.begun_at,
                columns=tuple(sorted(dropped)),
                model=type(trainer.model).__name__,
                read=read[0] if read is not None else "",
                reader=read[1] if read is not None else None,
            )
        )


def _trainer() -> Any:
    """Returns the trainer whose training runs."""
    frame: FrameType | None = sys._getframe(1)
    for _ in range(MOST_FRAMES):
        if frame is None:
            return None
        if frame.f_globals.get("__name__") == _TRAINER and frame.f_code.co_varnames[:1] == ("self",):
            return names_of(frame).get("self")
        frame = frame.f_back
    return None


def _columns(dataset: Any) -> set[str]:
    """Returns the names in the items of a data set, as the source of its `__getitem__` writes them, or those in a list's first item."""
    inner, _ = stored.underlying(dataset, [])
    if type(inner) in (list, tuple):
        return {key for key in inner[0] if isinstance(key, str)} if inner and type(inner[0]) is dict else set()
    function = fetching(inner)
    body = body_of(function.__code__) if function is not None else None
    return set(_written(body)) if body is not None else set()


def _written(body: ast.AST) -> Iterator[str]:
    for node in walk(body):
        if isinstance(node, ast.Dict):
            yield from (key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                yield node.slice.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
            yield from (keyword.arg for keyword in node.keywords if keyword.arg is not None)


def _functions(trainer: Any) -> Iterator[FunctionType]:
    """Yields the functions of the program that are handed a batch from which columns have been taken out."""
    for owner, names in ((trainer, _OF_TRAINER), (trainer.model, _OF_MODEL)):
        for name in names:
            yield from _own(getattr(type(owner), name, None))
    for function in (trainer.data_collator, getattr(trainer, "compute_loss_func", None)):
        yield from _own(function)
        yield from _own(vars(type(function)).get("__call__"))


def _own(function: Any) -> Iterator[FunctionType]:
    if isinstance(function, FunctionType) and is_users(function.__code__.co_filename):
        yield function


def _reads(function: FunctionType) -> Iterator[tuple[str, Location]]:
    """Yields the columns that a function asks for in a way that does not fail where there is none: `batch.get(name)`, `name in batch`."""
    body = body_of(function.__code__)
    for node in walk(body) if body is not None else ():
        asked: ast.AST | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if node.func.attr == "get" or (node.func.attr == "pop" and len(node.args) + len(node.keywords) > 1):
                asked = node.args[0] if isinstance(node.func.value, ast.Name) else None
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In) and isinstance(node.comparators[0], ast.Name):
            asked = node.left
        if isinstance(asked, ast.Constant) and isinstance(asked.value, str):
            yield asked.value, location(function.__code__.co_filename, node, function_of(function.__code__))
