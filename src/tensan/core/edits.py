"""An edit of the user's source that can be written down exactly, and what can be made of it: the new text, a diff, a patch."""

from __future__ import annotations

import ast
import difflib
import linecache
import os
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from tensan.core.trees import location


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """A span of a file and the text that takes its place; an empty span is an insertion.

    Lines and columns are one-based and count characters; `end_column` is exclusive.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    replacement: str


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """A way to put something right.

    Attributes:
        text: as help says it: `labels.squeeze(1)`.
        edits: what to write where; empty where that is not known exactly.
    """

    text: str
    edits: tuple[Edit, ...] = ()


def nearest(repairs: Iterable[Repair]) -> tuple[Edit, ...]:
    """Returns the edits of the first repair that is known exactly."""
    return next((repair.edits for repair in repairs if repair.edits), ())


def replacing(path: str, node: ast.AST, text: str) -> Edit:
    """Returns the edit that puts a text in the place of a node."""
    at = location(path, node)
    return Edit(path=path, line=at.line, column=at.column, end_line=at.end_line, end_column=at.end_column, replacement=text)


def applied(text: str, edits: Iterable[Edit]) -> str | None:
    """Returns a file's text after some edits, or None where they do not fit it or overlap."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    spans = []
    for edit in set(edits):
        if not (1 <= edit.line <= edit.end_line <= len(lines) + 1):
            return None
        spans.append((starts[edit.line - 1] + edit.column - 1, starts[edit.end_line - 1] + edit.end_column - 1, edit.replacement))
    spans.sort()
    after, at = [], 0
    for start, end, replacement in spans:
        if start < at or end < start or end > len(text):
            return None
        after += [text[at:start], replacement]
        at = end
    return "".join([*after, text[at:]])


def by_file(edits: Iterable[Edit]) -> Mapping[str, Sequence[Edit]]:
    """Returns edits by the file that they are of."""
    found: dict[str, list[Edit]] = {}
    for edit in edits:
        found.setdefault(edit.path, []).append(edit)
    return found


def diff(edits: Iterable[Edit], *, context: int = 3, folder: str = "") -> str:
    """Returns a unified diff that `git apply` takes, of all files that the edits are of; empty where they no longer fit.

    Args:
        edits: what to write; those that do not fit their file together with the others before them are left out.
        context: lines around each change.
        folder: what paths are relative to; by default the working folder.
    """
    parts = []
    for path, several in by_file(edits).items():
        before = "".join(linecache.getlines(path))
        kept: list[Edit] = []
        for edit in several:
            if applied(before, [*kept, edit]) is not None:
                kept.append(edit)
        after = applied(before, kept)
        if after is None or after == before:
            continue
        name = os.path.relpath(os.path.realpath(path), os.path.realpath(folder or os.getcwd())).replace(os.sep, "/")
        lines = difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}", n=context)
        parts += [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]
    return "".join(parts)
