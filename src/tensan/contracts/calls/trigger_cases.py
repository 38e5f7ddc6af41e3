"""Makes tests of what a contract declares to be raised: inputs that make each condition true, from an example that succeeds."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tensan.contracts.calls.triggers import Trigger, meant
from tensan.contracts.raising.inputs import Variant, variants
from tensan.core.errors import UsageError
from tensan.core.faults import ContractViolation


@dataclass(frozen=True, slots=True)
class TriggerCase:
    """One declared exception, to be made a test: `case.check()`.

    Attributes:
        trigger: what is declared.
        inputs: those that make its condition true.
        declared: all that the function declares.
    """

    trigger: Trigger
    inputs: tuple[Variant, ...]
    declared: tuple[Trigger, ...] = field(repr=False)

    def __str__(self) -> str:
        return str(self.trigger)

    def check(self) -> None:
        """Checks that the exception is raised by inputs that make its condition true, but for those that make another one true as well.

        Raises:
            tensan.errors.ContractViolation: when nothing is raised, or what is not declared for that input; when it is never raised; and
                when no input makes the condition true.
        """
        if not self.inputs:
            raise ContractViolation(f"{self.trigger}: no input that was tried makes the condition true; give one with inputs=")
        fired = [variant for variant in self.inputs if self._fires(variant)]
        if not fired:
            names = ", ".join(variant.name for variant in self.inputs)
            raise ContractViolation(f"{self.trigger}: it was never raised, by none of the inputs {names}")

    def _fires(self, variant: Variant) -> bool:
        try:
            self.trigger.fires(*copy.deepcopy(variant.arguments))
        except ContractViolation as broken:
            raised = broken.__cause__
            if not self.trigger.condition or (isinstance(raised, Exception) and self._meant_for_another(raised, variant)):
                return False  # at any time is not at each; and of two conditions that are true the function looks at one first
            raise ContractViolation(f"input {variant}: {broken}") from raised
        return True

    def _meant_for_another(self, raised: Exception, variant: Variant) -> bool:
        return any(meant(raised, other.exception) and holds(other, variant) for other in self.declared if other is not self.trigger)


def cases_of(triggers: tuple[Trigger, ...], examples: tuple[tuple[Any, ...], ...], inputs: Iterable[tuple[Any, ...]]) -> list[TriggerCase]:
    """Returns a case for each trigger.

    Args:
        triggers: of one function.
        examples: arguments of calls that succeed.
        inputs: arguments of more calls.

    Raises:
        UsageError: when there is neither, or one is no tuple.
    """
    tried = [Variant(f"input {number}", given) for number, given in enumerate(inputs)]
    for each in (*examples, *(variant.arguments for variant in tried)):
        if not isinstance(each, tuple):
            raise UsageError(f"tensan.contract.cases: expected the arguments of a call as a tuple, got a {type(each).__name__}")
    tried += [variant for example in examples for variant in variants(example)]
    if not tried:
        raise UsageError("tensan.contract.cases: give the arguments of at least one call that succeeds, as a tuple")
    return [TriggerCase(trigger, tuple(each for each in tried if holds(trigger, each)), triggers) for trigger in triggers]


def holds(trigger: Trigger, variant: Variant) -> bool:
    """Tells whether a condition is true of an input; one that cannot even be asked of it is not."""
    try:
        return trigger.holds(*variant.arguments)
    except Exception:  # noqa: BLE001 - a condition is the user's code, made for inputs that are less broken
        return False
