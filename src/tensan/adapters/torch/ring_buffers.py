"""Finds buffers that are filled in turns, such as a queue of negatives, whose position the program never moves."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple

from tensan.adapters.torch.statements import statement_at, statements, users_trees
from tensan.adapters.torch.trace import storage_of
from tensan.adapters.torch.unread_names import assigned, is_read, reads_all
from tensan.core.events.layers import RingWritten
from tensan.core.events.things import Operation
from tensan.core.sites import Location, Site
from tensan.core.trees import body_of, called_name, location, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder
    from tensan.adapters.torch.trace import Trace

#: Read a number off what they are given, and leave it as it was.
_READING = frozenset({"int", "float", "item", "print", "len"})
#: Recorded steps that are looked at.
MOST_LOOKS = 12


class _Ring(NamedTuple):
    """A buffer and its position, as the program writes them."""

    buffer: str
    pointer: str
    advanced: Location | None


class RingBuffers:
    """What was read in the source about each statement that writes to a buffer."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0 if recorder.watch.wants(RingWritten) else MOST_LOOKS
        self._known: dict[tuple[str, int], _Ring | None] = {}

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        if self._looks >= MOST_LOOKS:
            return
        self._looks += 1
        buffers: dict[int, Any] | None = None
        for storage, indices in trace.writes.items():
            for index in indices:
                part = _part_written(trace.operations, index)
                site = trace.operations[index].site
                if part is None or not isinstance(site, Site):
                    continue
                if buffers is None:
                    buffers = self._buffers()
                buffer = buffers.get(storage)
                ring = self._ring(site) if buffer is not None else None
                axis, start, end = part
                if buffer is None or ring is None or not 0 <= axis < buffer.dim() or not 0 <= start < end < buffer.shape[axis]:
                    continue
                self.recorder.watch.emit(
                    RingWritten(
                        step=self.recorder.watch.steps,
                        site=site,
                        buffer=ring.buffer,
                        pointer=ring.pointer,
                        start=start,
                        count=end - start,
                        length=buffer.shape[axis],
                        advanced=ring.advanced,
                    )
                )

    def _buffers(self) -> dict[int, Any]:
        roots = list(self.recorder.inventory.entered)
        return {storage_of(buffer): buffer for root in roots for buffer in root.buffers() if buffer.dim() and buffer.is_floating_point()}

    def _ring(self, site: Site) -> _Ring | None:
        key = site.key
        if key not in self._known:
            self._known[key] = _read(site)
        return self._known[key]


def _part_written(operations: list[Operation], index: int) -> tuple[int, int, int] | None:
    """Returns axis, start and end of the part of an array that an operation overwrites; None where it does anything else."""
    operation = operations[index]
    if operation.name != "copy" or not operation.inputs or operation.inputs[0].producer < 0:
        return None
    cut = operations[operation.inputs[0].producer]
    arguments = cut.settings.get("arguments", ())
    if cut.settings.get("aten") != "aten::slice" or not isinstance(arguments, tuple) or len(arguments) < 3:
        return None
    axis, start, end = arguments[:3]
    whole = isinstance(axis, int) and isinstance(start, int) and isinstance(end, int)
    return (axis, start, end) if whole else None


def _read(site: Site) -> _Ring | None:
    """Reads the statement that writes: which buffer, and from which attribute it takes the position that nothing moves."""
    found, body = statement_at(site.code, site.key[1]), body_of(site.code)
    if found is None or not isinstance(body, ast.FunctionDef) or not isinstance(found[0], ast.Assign) or reads_all(body):
        return None
    target = found[0].targets[0]
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Attribute):
        return None
    lower = next((node.lower for node in walk(target.slice) if isinstance(node, ast.Slice) and node.lower is not None), None)
    name = lower.id if isinstance(lower, ast.Name) else ""
    given = [value for statement, _ in statements(body) for each, value in assigned(statement) if _is_name(each, name)]
    pointers = {node.attr for value in given[:1] for node in walk(value) if isinstance(node, ast.Attribute) and _of_self(node)}
    if len(pointers) != 1:
        return None
    buffer, pointer = target.value.attr, pointers.pop()
    if not _only_read(pointer) or not _read_whole(buffer):
        return None
    later = [
        location(site.code.co_filename, statement)
        for statement, chain in statements(body)
        for each, value in assigned(statement)
        if _is_name(each, name) and _names(value, name) and not is_read(body, statement, chain, name)
    ]
    return _Ring(buffer, pointer, later[0] if later else None)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name != ""


def _names(value: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in walk(value))


def _of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _only_read(pointer: str) -> bool:
    """Tells whether the program does nothing with an attribute, once it is a registered buffer, but read its number."""
    made = False
    for _, tree in users_trees():
        parents = {id(child): node for node in walk(tree) for child in ast.iter_child_nodes(node)}
        for node in walk(tree):
            if isinstance(node, ast.Constant) and node.value == pointer:
                around = parents.get(id(node))
                registers = isinstance(around, ast.Call) and called_name(around) == "register_buffer"
                made = made or registers
                if not registers:
                    return False  # it may be written by its name
            elif isinstance(node, ast.Attribute) and node.attr == pointer and not _is_number_read(node, parents):
                return False
    return made


def _is_number_read(node: ast.Attribute, parents: dict[int, ast.AST]) -> bool:
    outer: ast.AST = node
    while isinstance(parents.get(id(outer)), (ast.Subscript, ast.Attribute)):
        outer = parents[id(outer)]
        if isinstance(outer, ast.Subscript) and not isinstance(outer.ctx, ast.Load):
            return False
    around = parents.get(id(outer))
    return isinstance(around, ast.Call) and called_name(around) in _READING


def _read_whole(buffer: str) -> bool:
    """Tells whether some expression takes a buffer as a whole."""
    for _, tree in users_trees():
        cut = {id(node.value) for node in walk(tree) if isinstance(node, ast.Subscript)}
        if any(
            isinstance(node, ast.Attribute) and node.attr == buffer and isinstance(node.ctx, ast.Load) and id(node) not in cut
            for node in walk(tree)
        ):
            return True
    return False
