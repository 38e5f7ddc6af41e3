"""Silencing a finding on purpose: in the line, in the file, in a `with` block, or by path; never all rules at once.

`# tensan: ignore[name-or-code] reason` on the guilty line (or alone on the line above), `# tensan: file-ignore[...]` anywhere.
"""

from __future__ import annotations

import ast
import fnmatch
import linecache
import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from tensan.core.findings import Told
from tensan.core.sites import is_users, shown_path
from tensan.core.trees import walk

_COMMENT = re.compile(r"#\s*tensan:\s*(?P<scope>file-ignore|ignore)\[(?P<names>[^\]]*)\]\s*(?P<reason>.*)")


class Ignore(msgspec.Struct, frozen=True, kw_only=True):
    """One comment that silences."""

    path: str
    line: int
    names: frozenset[str]
    whole_file: bool = False
    reason: str = ""

    def covers(self, told: Told) -> bool:
        """Tells whether it silences a finding."""
        if told.path != self.path or not (self.names & {told.code, told.name}):
            return False
        return self.whole_file or told.line in (self.line, self.line + 1 if _alone(self.path, self.line) else self.line)


@lru_cache(maxsize=512)
def ignores_in(path: str) -> tuple[Ignore, ...]:
    """Returns the ignores that a file's comments hold; a blanket form (no name) is none."""
    found = []
    for number, text in enumerate(linecache.getlines(path), 1):
        match = _COMMENT.search(text)
        names = frozenset(name.strip() for name in match["names"].split(",") if name.strip()) if match else frozenset()
        if match and names:
            found.append(
                Ignore(path=path, line=number, names=names, whole_file=match["scope"] == "file-ignore", reason=match["reason"].strip())
            )
    return tuple(found)


@lru_cache(maxsize=512)
def _lines_of_block(path: str, line: int) -> range:
    """Returns the lines of the `with` statement that stands at a line, none where none does."""
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except SyntaxError:  # changed since it was read
        return range(0)
    blocks = [node for node in walk(tree) if isinstance(node, (ast.With, ast.AsyncWith)) and node.lineno <= line < node.body[0].lineno]
    return max((range(node.lineno, (node.end_lineno or line) + 1) for node in blocks), key=lambda lines: lines.start, default=range(0))


def _alone(path: str, line: int) -> bool:
    return linecache.getline(path, line).lstrip().startswith("#")


class Suppressor:
    """Decides whether a finding is silenced, and remembers which ignores were of use.

    Args:
        per_file: selectors by path pattern, as in `per-file-ignores`.
        baseline: fingerprints that are already known.
    """

    def __init__(self, *, per_file: Mapping[str, Iterable[str]] | None = None, baseline: Iterable[str] = ()) -> None:
        self._per_file = {pattern: frozenset(names) for pattern, names in (per_file or {}).items()}
        self._baseline = frozenset(baseline)
        self.scoped: list[frozenset[str]] = []
        self._blocks: set[tuple[str, int, frozenset[str]]] = set()
        self.used: set[Ignore] = set()

    def begin_block(self, names: frozenset[str], path: str, line: int) -> None:
        """Silences rules where a `with` block begins: for what is found while it runs, and for what is found of its lines later on."""
        self.scoped.append(names)
        self._blocks.add((path if path.startswith("<") else os.path.abspath(path), line, names))  # as findings write it

    def silences(self, told: Told) -> bool:
        """Tells whether a finding is silenced."""
        names = {told.code, told.name}
        if any(names & scope for scope in self.scoped) or told.fingerprint in self._baseline:
            return True
        if told.path is None:
            return False
        for path, line, silenced in self._blocks:
            if names & silenced and path == told.path and told.line in _lines_of_block(path, line):
                return True
        for pattern, silenced in self._per_file.items():
            if names & silenced and (fnmatch.fnmatch(told.path, pattern) or fnmatch.fnmatch(shown_path(told.path), pattern)):
                return True
        for ignore in ignores_in(told.path) if is_users(told.path) else ():
            if ignore.covers(told):
                self.used.add(ignore)
                return True
        return False

    def unused(self, executed: Mapping[str, set[int]]) -> list[Ignore]:
        """Returns the ignores that silenced nothing although their line is known to have run.

        Args:
            executed: lines that were seen running, by file. A run cannot tell of other lines.
        """
        # Python may have compiled the script under a relative path; findings, and so the ignores that were of use, are absolute.
        return [
            ignore
            for path, lines in ((os.path.abspath(path), lines) for path, lines in executed.items())
            for ignore in ignores_in(path)
            if ignore not in self.used
            and not ignore.whole_file
            and lines & {ignore.line, ignore.line + 1 if _alone(path, ignore.line) else ignore.line}
        ]
