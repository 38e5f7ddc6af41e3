"""The decorator: contracts on functions, methods, modules as classes and as instances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from types import MethodType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from tensan.contracts.calls import policy as policies
from tensan.contracts.calls import tracing
from tensan.contracts.calls.layers import lawful
from tensan.contracts.calls.policy import Policy, Switch
from tensan.contracts.calls.promise import Asked, promise
from tensan.contracts.calls.triggers import Raises, Trigger
from tensan.contracts.calls.wrapper import guarded
from tensan.core.errors import UsageError

if TYPE_CHECKING:
    from tensan.contracts.calls.trigger_cases import TriggerCase

_Target = TypeVar("_Target")


class Contract:
    """Promises what goes into a call and what comes out, and checks it: `@tensan.contract("x: f32[B, T, D] -> f32[B, T]")`."""

    @overload
    def __call__(
        self,
        text: str = "",
        /,
        *,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        finite: str | Iterable[str] = (),
        grad: Mapping[str, bool] | None = None,
        raises: Raises | None = None,
        policy: Policy = "raise",
    ) -> Callable[[_Target], _Target]: ...
    @overload
    def __call__(self, text: _Target, /) -> _Target: ...
    def __call__(
        self,
        text: Any = "",
        /,
        *,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        finite: str | Iterable[str] = (),
        grad: Mapping[str, bool] | None = None,
        raises: Raises | None = None,
        policy: Policy = "raise",
    ) -> Any:
        """Returns a decorator for a function, a method, a class with a `forward` or `__call__`, or an instance of one.

        Args:
            text: types and axes of arguments and of the result, such as `x: f32[B, T, D], mask: bool[B, T] | None -> f32[B, 2*D]`. What it
                does not name is taken from annotations of jaxtyping. Without it the decorator may stand bare: `@tensan.contract`.
            ranges: the least and the most of the values of an argument, of `return`, or of a part of it, such as `return.0`.
            finite: of which of them no value is NaN or infinite.
            grad: of which a gradient must be recorded, or must not.
            raises: which exceptions may come out, each with the condition that triggers it: an expression of the arguments and of the
                attributes of `self`, "" for at any time.
            policy: what is made of a broken promise, where neither a block nor the environment variable TENSAN_CONTRACTS says.

        Raises:
            tensan.core.errors.UsageError: when the text cannot be read or does not fit the function, with the place in it.
        """
        own = policies.checked(policy, where="tensan.contract")
        asked = Asked(text if isinstance(text, str) else "", ranges, finite, grad, raises)

        def decorate(target: Any) -> Any:
            return _decorated(target, asked, own)

        return decorate if isinstance(text, str) else decorate(text)

    def layers(self, model: _Target, *, policy: Policy = "raise") -> _Target:
        """Gives each layer of a torch model a contract: of the axis that its weight meets, and of its type. Messages have the layer's path.

        Args:
            model: the model; layers with a `forward` of their own are left alone.
            policy: as in a contract.

        Returns:
            The model.
        """
        switch = policies.SWITCHES[policies.checked(policy, where="tensan.contract.layers")]
        for layer, label, text in lawful(model):
            _on_instance(layer, Asked(text), switch, label)
        return model

    def policy(self, name: Policy) -> AbstractContextManager[None]:
        """Sets what is made of broken promises, in the whole process, while a `with` block runs: `raise`, `warn` or `off`."""
        return policies.policy(name)

    def triggers(self, target: Any) -> tuple[Trigger, ...]:
        """Returns what a function, class or instance declares to raise and when, to make tests from.

        Raises:
            tensan.core.errors.UsageError: when it has no contract.
        """
        function = target if hasattr(target, "__contract__") else getattr(target, _entry(target) or "", None)
        held = getattr(function, "__contract__", None)
        if function is None or held is None:
            raise UsageError(f"tensan.contract.triggers: {target!r} has no contract")
        return tuple(Trigger(function, each.exception, each.text, each) for each in held.declared or ())

    def cases(self, target: Any, *examples: tuple[Any, ...], inputs: Iterable[tuple[Any, ...]] = ()) -> list[TriggerCase]:
        """Makes a test of each exception that is declared, for `pytest.mark.parametrize`: what makes its condition true must raise it.

        Args:
            target: a function, class or instance with a contract.
            *examples: the arguments of calls that succeed; each is broken in many ways, one argument at a time.
            inputs: the arguments of more calls, for conditions that no broken example makes true.

        Raises:
            tensan.core.errors.UsageError: when it has no contract, or there is nothing to try.
        """
        from tensan.contracts.calls.trigger_cases import cases_of

        return cases_of(self.triggers(target), examples, inputs)


def _decorated(target: Any, asked: Asked, own: Policy) -> Any:
    if isinstance(target, (staticmethod, classmethod)):
        return type(target)(_decorated(target.__func__, asked, own))
    tracing.prepare()
    switch = policies.SWITCHES[own]
    if isinstance(target, type):
        entry = _entry(target)
        if not entry:
            raise UsageError(f"contract of {target.__qualname__}: the class has neither a forward nor a __call__; decorate its method")
        function = getattr(target, entry)
        setattr(target, entry, guarded(function, promise(function, asked, switch, label=f"{target.__qualname__}.{entry}")))
        return target
    if callable(getattr(target, "forward", None)):
        return _on_instance(target, asked, switch, f"{type(target).__qualname__}.forward")
    if not callable(target):
        raise UsageError(f"tensan.contract: {target!r} is no function, class or module")
    return guarded(target, promise(target, asked, switch))


def _on_instance(target: Any, asked: Asked, switch: Switch, label: str) -> Any:
    forward = target.forward
    # As a method, so that a copy of the instance has one of its own.
    function = getattr(forward, "__func__", None)
    if function is None:
        target.forward = guarded(forward, promise(forward, asked, switch, label=label))
    else:
        target.forward = MethodType(guarded(function, promise(function, asked, switch, label=label)), target)
    return target


def _entry(target: Any) -> str:
    """Returns the method that calls of a class, or of an instance, come to."""
    kind = target if isinstance(target, type) else type(target)
    return next((name for name in ("forward", "__call__") if any(name in vars(each) for each in kind.__mro__)), "")


contract = Contract()
