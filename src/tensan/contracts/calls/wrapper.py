"""The function that stands in for one with a contract: it has the same arguments, so that with contracts off it costs one more call."""

from __future__ import annotations

import functools
import inspect
import itertools
import linecache
from collections.abc import Callable
from inspect import Parameter
from typing import Any

from tensan.contracts.calls.promise import Promise

#: Arguments keep their places and names, so nothing is packed into `*args` and `**kwargs`, and torch's compiler traces it as it is. What is
#: called is held by closures: that compiler takes globals of one name, in what is made here, for one thing. With contracts off the function
#: itself is put where the checks were, so that not even a flag is looked at.
_WHOLE = """\
def _tensan_make(_tensan_function, _tensan_enter, _tensan_leave, _tensan_escaped):
    def _tensan_checked({parameters}):
        _tensan_bindings = _tensan_enter({{{needed}}})
{calling}
        return _tensan_leave(_tensan_bindings, _tensan_result)
    def {name}({parameters}):
        return _tensan_called({call})
    def _tensan_put(off):
        nonlocal _tensan_called
        _tensan_called = _tensan_function if off else _tensan_checked
    _tensan_called = _tensan_checked
    return {name}, _tensan_put
"""
_CALLING = "        _tensan_result = _tensan_function({call})"
_DECLARED = """\
        try:
            _tensan_result = _tensan_function({call})
        except Exception as _tensan_error:
            _tensan_escaped(_tensan_error, {{{every}}})
            raise"""
_numbers = itertools.count(1)


def guarded(function: Callable[..., Any], promise: Promise) -> Callable[..., Any]:
    """Returns a function that checks the promise around each call of this one."""
    parameters = list(inspect.signature(function).parameters.values())
    call = ", ".join(_passed(each) for each in parameters)
    calling = _CALLING if promise.declared is None else _DECLARED
    source = _WHOLE.format(
        name=_name(function),
        parameters=_declared(parameters),
        call=call,
        needed=_by_name(promise.needed),
        calling=calling.format(call=call, every=_by_name(each.name for each in parameters)),
    )
    names: dict[str, Any] = {"__name__": __name__}
    # The source is kept for tracebacks, and for TensorFlow, which reads it to convert what the function calls.
    path = f"<contract of {promise.label} {next(_numbers)}>"
    linecache.cache[path] = len(source), None, source.splitlines(keepends=True), path
    exec(compile(source, path, "exec"), names)
    made, put = names["_tensan_make"](function, promise.enter, promise.leave, promise.escaped)
    promise.switch.add(made, put)
    functools.update_wrapper(made, function)
    defaults = [each.default for each in parameters if each.default is not Parameter.empty and each.kind is not Parameter.KEYWORD_ONLY]
    made.__defaults__ = tuple(defaults) or None
    made.__kwdefaults__ = {
        each.name: each.default for each in parameters if each.kind is Parameter.KEYWORD_ONLY and each.default is not Parameter.empty
    } or None
    made.__contract__ = promise
    return made


def _name(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() else "call"


def _by_name(names: Any) -> str:
    return ", ".join(f"{name!r}: {name}" for name in names)


def _declared(parameters: list[Parameter]) -> str:
    """Returns the parameters as they are declared; what each default is, is put into the function later."""
    words: list[str] = []
    for index, each in enumerate(parameters):
        default = "" if each.default is Parameter.empty else "=None"
        if each.kind is Parameter.KEYWORD_ONLY and not any(word.startswith("*") for word in words):
            words.append("*")
        stars = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}.get(each.kind, "")
        words.append(f"{stars}{each.name}{default}")
        after = parameters[index + 1].kind if index + 1 < len(parameters) else None
        if each.kind is Parameter.POSITIONAL_ONLY and after is not Parameter.POSITIONAL_ONLY:
            words.append("/")
    return ", ".join(words)


def _passed(each: Parameter) -> str:
    stars = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}.get(each.kind, "")
    return f"{each.name}={each.name}" if each.kind is Parameter.KEYWORD_ONLY else f"{stars}{each.name}"
