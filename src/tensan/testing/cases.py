"""The folders of cases: which programs there are, and which lines of the bad ones are marked as guilty."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tensan.core.rule import Rule

#: Look-alikes that each rule must stay silent on, at least.
FEWEST_GOOD = 2

_MARKER = re.compile(r"#~(?P<alternative>\??)\s*(?P<code>[A-Z]+\d+)\s*$")


class CaseError(Exception):
    """A case folder is not as it must be, so that running it would prove nothing."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """One program of a case.

    Attributes:
        path: where it lies.
        rule: the rule that its folder belongs to.
        is_bad: whether the rule must speak.
        guilty: lines marked `#~ CODE`; each must be named, unless there are alternatives.
        alternatives: lines marked `#~? CODE`, as good a place as those.
    """

    path: Path
    rule: type[Rule]
    is_bad: bool
    guilty: frozenset[int] = frozenset()
    alternatives: frozenset[int] = frozenset()

    @property
    def marked(self) -> frozenset[int]:
        """The lines that a finding may stand on."""
        return self.guilty | self.alternatives

    @property
    def name(self) -> str:
        """What tests call it: `SHP101-broadcast-in-loss/bad`."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def has_report(self) -> bool:
        """Whether its report is kept beside it and compared."""
        return self.path.name == "bad.py"


def programs(folder: Path, *, rules: Sequence[type[Rule]]) -> list[Program]:
    """Returns the programs of all cases in a folder, by name.

    Args:
        folder: holds the case folders, each named `CODE-name`.
        rules: the rules that there are.

    Raises:
        CaseError: for a folder that no rule owns, that lacks `bad.py` or look-alikes, or whose markers are missing or of another rule.
    """
    owners = {f"{rule.code}-{rule.name}": rule for rule in rules}
    found: list[Program] = []
    for place in sorted(entry for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith((".", "_"))):
        rule = owners.get(place.name)
        if rule is None:
            raise CaseError(f"{place}: no rule has this code and name (a case folder is named CODE-name)")
        found += _programs_of(place, rule)
    return found


def _programs_of(place: Path, rule: type[Rule]) -> list[Program]:
    bad = [_marked(path, rule) for path in sorted(place.glob("bad*.py"))]
    good = [_unmarked(path, rule) for path in sorted(place.glob("good*.py"))]
    if not (place / "bad.py").is_file():
        raise CaseError(f"{place}: has no bad.py")
    if len(good) < FEWEST_GOOD:
        raise CaseError(f"{place}: has {len(good)} good*.py, where at least {FEWEST_GOOD} look-alikes are wanted")
    return bad + good


def _marked(path: Path, rule: type[Rule]) -> Program:
    guilty, alternatives = set(), set()
    for line, marker in _markers(path):
        if marker["code"] != rule.code:
            raise CaseError(f"{path}:{line}: is marked {marker['code']} in a case of {rule.code}")
        (alternatives if marker["alternative"] else guilty).add(line)
    if not guilty:
        raise CaseError(f"{path}: no line is marked `#~ {rule.code}`")
    return Program(path=path, rule=rule, is_bad=True, guilty=frozenset(guilty), alternatives=frozenset(alternatives))


def _unmarked(path: Path, rule: type[Rule]) -> Program:
    for line, _ in _markers(path):
        raise CaseError(f"{path}:{line}: is marked, but the program is good")
    return Program(path=path, rule=rule, is_bad=False)


def _markers(path: Path) -> Iterator[tuple[int, re.Match[str]]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        marker = _MARKER.search(line)
        if marker is not None:
            yield number, marker
        elif "#~" in line:
            raise CaseError(f"{path}:{number}: a marker is `#~ CODE` or `#~? CODE` at the end of the line")
