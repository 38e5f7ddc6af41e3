"""A replay token: a short text that says how a deterministic run began, and what was met in it, so that another can begin alike."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from tensan.core.findings import Told

#: Failures that a token names, and digits of each one's fingerprint.
MOST_FOUND = 4
_DIGITS = 6
#: Keys that are no version of anything.
_KEYS = ("seed", "step", "found", "switches", "threads", "hash", "sum")
#: What a failure is called that no rule has named.
RAISED = "raised"


class Met(msgspec.Struct, frozen=True):
    """A failure and the optimizer steps done before it.

    Attributes:
        name: the rule's code, or `raised`.
        place: the first digits of the finding's fingerprint, which is another one for another line.
    """

    name: str
    step: int
    place: str = ""

    def __str__(self) -> str:
        return f"{self.name}@{self.step}" + (f"@{self.place}" if self.place else "")


def met(told: Told) -> Met:
    """Returns a finding as tokens name it."""
    return Met(told.code, told.step, told.fingerprint[:_DIGITS])


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """How a run began, and what came of it so far.

    Attributes:
        step: optimizer steps done.
        found: the first failures that were met.
        switches: `strict`, or `warn` where operations without a deterministic form are only warned of.
        threads: of torch's operations, which decide in which order sums are taken; 0 where torch was not there.
        hash: what PYTHONHASHSEED was, on which the order of sets of text depends; `random` where it was not set.
        versions: of python, the libraries that were seeded, and the kind of processor.
    """

    seed: int
    step: int = 0
    found: tuple[Met, ...] = ()
    switches: str = "strict"
    threads: int = 0
    hash: str = "random"
    versions: Mapping[str, str] = {}

    def after(self, step: int, *, found: Iterable[Met], raised: bool) -> Token:
        """Returns the token of a run that began so, after some steps.

        Args:
            step: optimizer steps done.
            found: failures, in any order.
            raised: whether the script has ended in an exception.
        """
        first = sorted(found, key=lambda each: each.step)[: MOST_FOUND - raised]
        return msgspec.structs.replace(self, step=step, found=(*first, *([Met(RAISED, step)] if raised else [])))

    def __str__(self) -> str:
        parts = {"seed": str(self.seed), "step": str(self.step)}
        parts |= {"found": "+".join(map(str, self.found))} if self.found else {}
        parts |= {"switches": self.switches, "threads": str(self.threads), "hash": self.hash}
        parts |= {name: version.replace(" ", "-") for name, version in self.versions.items()}
        text = ",".join(f"{key}:{value}" for key, value in parts.items())
        return f"{text},sum:{_sum(text)}"


def parse(text: str) -> Token:
    """Reads a token.

    Raises:
        ValueError: when it is none, or was changed on the way.
    """
    body, separator, total = text.strip().strip("\"'").rpartition(",sum:")
    if not separator or _sum(body) != total:
        raise ValueError(f"expected a replay token as a report shows it, whole and unchanged (seed:...,sum:...), got {text!r}")
    values = dict(part.split(":", 1) for part in body.split(","))
    return Token(
        seed=int(values["seed"]),
        step=int(values["step"]),
        found=tuple(_met(part) for part in values.get("found", "").split("+") if part),
        switches=values["switches"],
        threads=int(values["threads"]),
        hash=values["hash"],
        versions={key: value for key, value in values.items() if key not in _KEYS},
    )


def expected_steps(asked: str | None) -> frozenset[int]:
    """Returns the steps at which something is known to come, where a run is replayed."""
    return frozenset(each.step for each in parse(asked).found) if asked is not None else frozenset()


def differences(token: Token, *, versions: Mapping[str, str], hash: str) -> Iterator[str]:
    """Yields what is not as it was when a token was made, and so may make its run another one."""
    for name, version in token.versions.items():
        now = versions.get(name, "not there").replace(" ", "-")
        if now != version:
            yield f"{name} was {version} and is {now}"
    if token.hash != "random" and token.hash != hash:
        yield f"PYTHONHASHSEED was {token.hash} and is {hash}: start python with PYTHONHASHSEED={token.hash}"


def recurrence(token: Token, found: Iterable[Met]) -> Iterator[str]:
    """Yields for each failure of a token whether it came again at its step."""
    found = list(found)
    for each in token.found:
        again = [other for other in found if other.name == each.name]
        if each in again:
            yield f"{each.name} of step {each.step} came again at that step" + (" and line" if each.place else "")
        elif any(other.step == each.step for other in again):
            yield f"{each.name} of step {each.step} came again at that step; more was recorded this time, which names another line"
        elif again:
            yield f"{each.name} of step {each.step} came at step {again[0].step} instead"
        else:
            yield f"{each.name} of step {each.step} did not come again"


def replays(token: Token | None, asked: str | None) -> Iterator[str]:
    """Yields what a report says of determinism.

    Args:
        token: of the run itself; None where it is not deterministic.
        asked: the token that the user gave, if any.
    """
    if token is not None:
        yield f"replay: a deterministic run, seed {token.seed}; the same again: --replay {token}"
        if token.hash == "random":
            yield "replay: the order of sets of text is another in each process; PYTHONHASHSEED=0 before python starts fixes it"
    if asked is None:
        return
    if token is None:
        yield "replay: nothing was replayed, since the script has not called tensan.deterministic"
        return
    for line in recurrence(parse(asked), token.found):
        yield f"replay: {line}"


def _met(text: str) -> Met:
    name, step, *place = text.split("@")
    return Met(name, int(step), *place)


def _sum(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"
