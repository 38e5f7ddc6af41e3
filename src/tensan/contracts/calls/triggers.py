"""What may be raised, and when: each exception that is declared with the condition that triggers it, as data to make tests from."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from tensan.contracts.exceptions.classify import classify
from tensan.core.errors import UsageError
from tensan.core.faults import ContractViolation

Raises = Mapping[type[Exception], str]


@dataclass(frozen=True, slots=True)
class Condition:
    """An exception that is declared, and when it is raised.

    Attributes:
        exception: its class; what `tensan.errors.classify` says to be of this class is meant too.
        text: an expression of the arguments and the attributes of `self`; "" for at any time.
    """

    exception: type[Exception]
    text: str
    _code: CodeType | None = field(default=None, compare=False, repr=False)

    def holds(self, arguments: Mapping[str, Any], names: dict[str, Any]) -> bool:
        """Tells whether it is true of these arguments; `names` are those of the module."""
        return self._code is None or bool(eval(self._code, names, _Names(arguments)))


@dataclass(frozen=True, slots=True)
class Trigger:
    """A declared exception of a function, to be made a test: `trigger.fires(*arguments)` with arguments that should trigger it.

    Attributes:
        function: what has the contract.
        exception: the class that is declared.
        condition: when it is raised, "" for at any time.
    """

    function: Callable[..., Any]
    exception: type[Exception]
    condition: str
    _condition: Condition = field(repr=False)

    def holds(self, *arguments: Any, **named: Any) -> bool:
        """Tells whether the condition is true of these arguments."""
        given = inspect.signature(self.function).bind(*arguments, **named)
        given.apply_defaults()
        owner = getattr(self.function, "__self__", None)
        return self._condition.holds({**({} if owner is None else {"self": owner}), **given.arguments}, names_of(self.function))

    def fires(self, *arguments: Any, **named: Any) -> Exception:
        """Calls the function and returns the exception that was declared.

        Raises:
            ContractViolation: when the condition is not true of these arguments, or nothing is raised, or something else.
        """
        if not self.holds(*arguments, **named):
            raise ContractViolation(f"{self}: the condition is not true of these arguments")
        try:
            self.function(*arguments, **named)
        except Exception as error:
            if meant(error, self.exception):
                return error
            raise ContractViolation(f"{self}: raised {type(error).__name__} instead: {error}") from error
        raise ContractViolation(f"{self}: the condition is true, and nothing was raised")

    def __str__(self) -> str:
        when = f" when {self.condition}" if self.condition else ""
        return f"{self.function.__qualname__}: {self.exception.__name__}{when}"


class _Names(dict[str, Any]):
    """The names in a condition: arguments, then attributes of `self`."""

    def __missing__(self, name: str) -> Any:
        if "self" in self and hasattr(self["self"], name):
            return getattr(self["self"], name)
        raise KeyError(name)


def conditions(raises: Raises, *, where: str) -> tuple[Condition, ...]:
    """Returns what is declared.

    Raises:
        UsageError: for what is no class of exceptions, or no expression.
    """
    found = []
    for exception, text in raises.items():
        if not (isinstance(exception, type) and issubclass(exception, Exception)):
            raise UsageError(f"contract of {where}: raises: {exception!r} is no class of exceptions")
        if not isinstance(text, str):
            raise UsageError(f"contract of {where}: raises: {exception.__name__}: expected a condition as a string, got {text!r}")
        try:
            code = compile(text, f"<condition of {exception.__name__}>", "eval") if text else None
        except SyntaxError as error:
            at = error.offset or len(text) + 1
            raise UsageError(f"contract of {where}: raises: {exception.__name__}: {text!r}: {error.msg}, at character {at}") from error
        found.append(Condition(exception, text, code))
    return tuple(found)


def undeclared(error: Exception, declared: tuple[Condition, ...], arguments: Mapping[str, Any], names: dict[str, Any]) -> str:
    """Returns why an exception should not have come out, "" where it may."""
    # A class with an underscore is a signal between parts of a library, such as the one that ends a checkpoint's recomputation.
    if isinstance(error, (ContractViolation, StopIteration, StopAsyncIteration)) or type(error).__name__.startswith("_"):
        return ""
    raised = f"{type(error).__name__} ({error})"
    meaning = [condition for condition in declared if meant(error, condition.exception)]
    if not meaning:
        allowed = ", ".join(condition.exception.__name__ for condition in declared) or "none"
        return f"raised {raised}, which is not declared; declared: {allowed}"
    for condition in meaning:
        try:
            if condition.holds(arguments, names):
                return ""
        except Exception as trouble:  # noqa: BLE001 - a condition is the user's code, and what it raises is told
            return f"raised {raised}, and its condition {condition.text!r} cannot be told: {type(trouble).__name__}: {trouble}"
    texts = " or ".join(repr(condition.text) for condition in meaning)
    return f"raised {raised}, which is declared for {texts}, and that is not so"


def meant(error: Exception, declared: type[Exception]) -> bool:
    """Tells whether an exception is of a declared class, by itself or by what `classify` says of it."""
    if isinstance(error, declared):
        return True
    verdict = classify(error)
    return verdict is not None and issubclass(verdict.error, declared)


def names_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Returns the names of the module where a function was written."""
    return getattr(inspect.unwrap(getattr(function, "__func__", function)), "__globals__", {})
