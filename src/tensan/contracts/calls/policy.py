"""What is made of a broken promise: raise, warn, or off. A `with` block rules over the environment, and that over the decorator."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, get_args

from tensan.core.errors import SettingsError, UsageError
from tensan.core.faults import ContractViolation
from tensan.core.settings import CONTRACTS

Policy = Literal["raise", "warn", "off"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


class ContractWarning(UserWarning):
    """A promise that did not hold, under the policy `warn`; or one that could not be checked, and why."""


class Switch:
    """The policy in force for all contracts whose decorators name the same one.

    Attributes:
        own: what their decorators name.
        off: whether nothing is checked; the one thing that a call looks at first.
        policy: what is made of a broken promise.
    """

    __slots__ = ("off", "own", "policy")

    def __init__(self, own: Policy) -> None:
        self.own = own
        self.put("")

    def put(self, above: str) -> None:
        """Takes the policy of the environment or of a block, "" for none."""
        self.policy = above or self.own
        self.off = self.policy == "off"

    def broken(self, message: str, cause: BaseException | None = None) -> None:
        """Makes of a broken promise what the policy says."""
        if self.policy == "raise":
            raise ContractViolation(message) from cause
        if self.policy == "warn":
            warnings.warn(message, ContractWarning, stacklevel=outside())


def checked(policy: str, *, where: str) -> Policy:
    """Returns a policy by its name.

    Raises:
        UsageError: for another name.
    """
    if policy not in POLICIES:
        raise UsageError(f"{where}: policy: {policy!r} is none of {', '.join(POLICIES)}")
    return policy  # pyright: ignore[reportReturnType]


@contextmanager
def policy(name: str) -> Iterator[None]:
    """Sets the policy of all contracts of the process, its threads among them, while the block runs.

    Raises:
        UsageError: for another name than `raise`, `warn` or `off`.
    """
    global _above
    before, _above = _above, checked(name, where="tensan.contract.policy")
    _everywhere()
    try:
        yield
    finally:
        _above = before
        _everywhere()


def of_environment() -> str:
    """Returns the policy that the environment names, "" where it names none.

    Raises:
        SettingsError: when it names something else.
    """
    named = os.environ.get(CONTRACTS, "").lower()
    if named and named not in POLICIES:
        raise SettingsError(where="environment", key=CONTRACTS, problem=f"{named!r} is none of {', '.join(POLICIES)}")
    return named


def _everywhere() -> None:
    for switch in SWITCHES.values():
        switch.put(_above)


def outside() -> int:
    """Returns how many frames up, seen from where this is called, the code is that called what has the contract."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back is not None and (
        str(frame.f_globals.get("__name__", "")).startswith(__package__ or "tensan.")
        or frame.f_code.co_filename.startswith("<contract of ")
    ):
        frame, levels = frame.f_back, levels + 1
    return levels


SWITCHES = {name: Switch(name) for name in POLICIES}
_above: str = of_environment()
_everywhere()
