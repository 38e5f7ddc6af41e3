"""Applies a unified diff to a folder: exactly where its lines are, whatever the numbers in its headers say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec

from tensan.core.errors import UsageError

MOST_CHARACTERS, MOST_FILES = 100_000, 50
NOTHING = "/dev/null"
#: Lines of git's that say what is not tried here.
_OTHER = ("rename ", "copy ", "old mode", "Binary files", "GIT binary")
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")


class Hunk(msgspec.Struct, frozen=True, kw_only=True):
    """A run of lines and what takes their place; `line` is where the diff says that they are."""

    line: int
    before: tuple[str, ...]
    after: tuple[str, ...]


def apply(text: str, folder: Path) -> list[str]:
    """Applies a diff and returns the files that it changes.

    Raises:
        UsageError: when it is no diff, leaves the folder, does not fit, or what it makes is no Python.
    """
    if len(text) > MOST_CHARACTERS:
        raise UsageError(f"diff: expected at most {MOST_CHARACTERS} characters, got {len(text)}")
    changed: dict[str, str | None] = {}
    for old, new, hunks in _files(text):
        name = _named(new if old == NOTHING else old, folder)
        if NOTHING not in (old, new) and _named(new, folder) != name:
            raise UsageError(f"diff: only changes of text are tried here, got {old!r} that becomes {new!r}")
        if len(changed) == MOST_FILES:
            raise UsageError(f"diff: expected at most {MOST_FILES} files")
        known = changed.get(name)
        before = known if known is not None else "" if old == NOTHING else _text(folder / name, name)
        changed[name] = None if new == NOTHING else _patched(before, hunks, name)
    if not changed:
        raise UsageError("diff: expected a unified diff: `--- a/FILE`, `+++ b/FILE`, then hunks that begin with `@@`")
    for name, made in changed.items():
        _write(folder / name, name, made)
    return list(changed)


def _files(text: str) -> Iterator[tuple[str, str, list[Hunk]]]:
    """Yields each file's old and new name and its hunks."""
    lines = text.replace("\r\n", "\n").split("\n")
    other = next((line for line in lines if line.startswith(_OTHER)), None)
    if other is not None:
        raise UsageError(f"diff: only changes of text are tried here, got {other!r}")
    heads = [
        number
        for number in range(len(lines) - 2)
        if lines[number].startswith("--- ") and lines[number + 1].startswith("+++ ") and lines[number + 2].startswith("@@")
    ]
    for head, end in pairwise([*heads, len(lines)]):
        names = [line[4:].partition("\t")[0].strip() for line in lines[head : head + 2]]
        yield names[0], names[1], list(_hunks(lines[head + 2 : end], names[1]))


def _hunks(lines: list[str], name: str) -> Iterator[Hunk]:
    starts = [number for number, line in enumerate(lines) if line.startswith("@@")]
    for start, end in pairwise([*starts, len(lines)]):
        head, body = _HUNK.match(lines[start]), lines[start + 1 : end]
        if head is None:
            raise UsageError(f"diff: {name}: expected `@@ -LINE,COUNT +LINE,COUNT @@`, got {lines[start]!r}")
        body = body[: next((number for number, line in enumerate(body) if line.startswith(("diff ", "index "))), len(body))]
        while body and not body[-1]:  # the end of the message, not of the file
            body.pop()
        wrong = next((line for line in body if line[:1] not in ("", " ", "-", "+", "\\")), None)
        if wrong is not None:
            raise UsageError(f"diff: {name}: a line of a hunk begins with a space, + or -, got {wrong!r}")
        yield Hunk(
            line=int(head[1]),
            before=tuple(line[1:] for line in body if line[:1] in ("", " ", "-")),
            after=tuple(line[1:] for line in body if line[:1] in ("", " ", "+")),
        )


def _named(name: str, folder: Path) -> str:
    """Returns a path under the folder, without the `a/` or `b/` that git puts before it."""
    if name.startswith(("a/", "b/")) and not (folder / name).exists():
        name = name[2:]
    path = folder / name
    try:
        inside = path.resolve().is_relative_to(folder.resolve()) and path.resolve() != folder.resolve()
    except (OSError, ValueError, RuntimeError):
        inside = False
    if not inside:
        raise UsageError(f"diff: {name!r} lies outside of the root")
    return name


def _text(path: Path, name: str) -> str:
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"diff: {name}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _patched(text: str, hunks: list[Hunk], name: str) -> str:
    """Returns the text with every hunk applied, each at the place that is nearest to where the diff says."""
    ending = "\r\n" if "\r\n" in text else "\n"
    lines, shift = text.replace("\r\n", "\n").split("\n"), 0
    for number, hunk in enumerate(hunks, 1):
        before, wanted = list(hunk.before), max(hunk.line - 1, 0) + shift
        if before:
            places = [at for at in range(len(lines) - len(before) + 1) if lines[at : at + len(before)] == before]
            if not places:
                missing = next((line for line in before if line not in lines), before[0])
                raise UsageError(f"diff: {name}: hunk {number} does not fit: the file has no such lines, see {missing!r}")
            wanted = min(places, key=lambda at: abs(at - wanted))
        lines[wanted : wanted + len(before)] = hunk.after
        shift += len(hunk.after) - len(before)
    return ending.join(lines)


def _write(path: Path, name: str, text: str | None) -> None:
    if text is None:
        path.unlink(missing_ok=True)
        return
    if path.suffix == ".py":
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError) as error:
            where = f":{error.lineno}" if isinstance(error, SyntaxError) else ""
            raise UsageError(f"diff: {name}{where}: what it makes is no Python: {getattr(error, 'msg', None) or error}") from error
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    except (OSError, UnicodeEncodeError) as error:
        raise UsageError(f"diff: {name}: cannot be written: {getattr(error, 'strerror', None) or error}") from error
