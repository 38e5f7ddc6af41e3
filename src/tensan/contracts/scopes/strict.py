"""`tensan.strict`: one policy for conditions that frameworks pass over or only warn of, while a block runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Literal, get_args

from tensan.contracts.scopes import gradients
from tensan.contracts.scopes.block import Block
from tensan.contracts.scopes.conditions import CONDITIONS, Condition
from tensan.contracts.scopes.filters import filtered
from tensan.contracts.scopes.switches import ALWAYS_WARN, DETERMINISTIC
from tensan.core.errors import SettingsError, UsageError
from tensan.core.settings import STRICT

Strictness = Literal["raise", "warn", "ignore"]
POLICIES: tuple[Strictness, ...] = get_args(Strictness)
#: As Python's filters name them; a line in a loop warns once.
_ACTIONS = {"raise": "error", "warn": "default", "ignore": "ignore"}
_OF_JAX = {"raise": "raise", "warn": "warn", "ignore": "allow"}


def strict(policy: Strictness | None = None, *conditions: str) -> Block:
    """Raises, warns or ignores, while a block runs, where frameworks silently do what is rarely meant, or only warn of it.

    Blocks may be nested: of each condition the innermost one that names it decides. At the end filters and switches are as they were,
    also after an exception. What is meant is what happens in the thread of the block; the switch of nondeterministic operations is one
    for the process. A library that is imported inside of the block is left as it is.

    Args:
        policy: `raise`, `warn` or `ignore`; left out, what the environment variable TENSAN_STRICT says, and `raise` where it says nothing.
        *conditions: the names of those that are meant, all where none is given. The guide has the table.

    Raises:
        tensan.core.errors.UsageError: when a policy or a condition has another name.
    """
    chosen = _of_environment() if policy is None else policy
    if chosen not in POLICIES:
        raise UsageError(f"tensan.strict: policy: {chosen!r} is none of {', '.join(POLICIES)}")
    unknown = [name for name in conditions if name not in CONDITIONS]
    if unknown:
        raise UsageError(f"tensan.strict: condition: {unknown[0]!r} is none of {', '.join(CONDITIONS)}")
    meant = [CONDITIONS[name] for name in dict.fromkeys(conditions or CONDITIONS)]
    written = f"tensan.strict({', '.join(map(repr, (chosen, *conditions)))})"
    return Block(written, lambda: _open(chosen, meant))


def _of_environment() -> Any:
    """Returns the policy that the environment names."""
    named = os.environ.get(STRICT, "").lower() or "raise"
    if named not in POLICIES:
        raise SettingsError(where="environment", key=STRICT, problem=f"{named!r} is none of {', '.join(POLICIES)}")
    return named


@contextmanager
def _open(policy: Strictness, meant: Iterable[Condition]) -> Iterator[None]:
    there = [condition for condition in meant if condition.imported]
    names = {condition.name for condition in there}
    with ExitStack() as block:
        if any(condition.library == "torch" and condition.words for condition in there):
            block.enter_context(ALWAYS_WARN.at(True))
        if "nondeterministic-operation" in names and (policy != "ignore" or _refuses()):
            block.enter_context(DETERMINISTIC.at((True, policy != "raise")))
        if "undefined-gradient" in names:
            block.enter_context(gradients.watched(policy))
        if "floating-point" in names:
            action: Any = policy
            block.enter_context(sys.modules["numpy"].errstate(divide=action, over=action, invalid=action))
        if "rank-promotion" in names:
            block.enter_context(sys.modules["jax"].numpy_rank_promotion(_OF_JAX[policy]))
        block.enter_context(filtered(_ACTIONS[policy], [condition for condition in there if condition.words]))
        yield


def _refuses() -> bool:
    """Whether operations without a deterministic form are refused or told at the moment; else there is nothing to ignore."""
    return sys.modules["torch"].are_deterministic_algorithms_enabled()
