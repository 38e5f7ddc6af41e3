"""What is made of a broken promise: raise, warn, or off. A `with` block rules over the environment, and that over the decorator."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, get_args
from weakref import WeakKeyDictionary

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
        policy: what is made of a broken promise.
    """

    def __init__(self, own: Policy) -> None:
        self.own = self.policy = own
        self._functions: WeakKeyDictionary[Callable[..., Any], Callable[[bool], None]] = WeakKeyDictionary()

    def add(self, function: Callable[..., Any], put: Callable[[bool], None]) -> None:
        """Takes a function with a contract, and what takes its checks out and puts them back."""
        self._functions[function] = put
        put(self.policy == "off")

    def put(self, above: Policy | None) -> None:
        """Takes the policy of the environment or of a block, None for none."""
        self.policy = above or self.own
        for put in list(self._functions.values()):
            put(self.policy == "off")

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
    found: Policy | None = next((each for each in POLICIES if each == policy), None)
    if found is None:
        raise UsageError(f"{where}: policy: {policy!r} is none of {', '.join(POLICIES)}")
    return found


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


def of_environment() -> Policy | None:
    """Returns the policy that the environment names, None where it names none.

    Raises:
        SettingsError: when it names something else.
    """
    named = os.environ.get(CONTRACTS, "").lower()
    if not named:
        return None
    found: Policy | None = next((each for each in POLICIES if each == named), None)
    if found is None:
        raise SettingsError(where="environment", key=CONTRACTS, problem=f"{named!r} is none of {', '.join(POLICIES)}")
    return found


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
_above: Policy | None = of_environment()
_everywhere()
