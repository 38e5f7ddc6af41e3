"""Digests of code: of a function as it runs, of the program's own functions and classes that it names, and of plain values it refers to."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from tensan.core.errors import UsageError
from tensan.core.sites import is_users
from tensan.determinism.cache.digest import digest_of


def digest_of_code(function: Callable[..., Any]) -> str:
    """Returns a digest of all code of the program that a function comes to by names, itself among it.

    What runs is compared, not what is written: a comment changes nothing, nor does a file that was edited after it was imported.
    """
    taken = hashlib.sha256()
    for text, _ in _pieces(function):
        taken.update(f"{text}\n".encode("utf-8", "surrogatepass"))
    return taken.hexdigest()


def unseen_by_digest(function: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of what such code refers to though its content has no digest: models, tables, connections."""
    return tuple(dict.fromkeys(name for _, name in _pieces(function) if name))


def _pieces(function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """Yields what the digest is made of; and, for what has no content that can be told, its name."""
    waiting: list[Any] = [function]
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, type):
            waiting += [each for each in vars(value).values() if callable(each) or isinstance(each, (staticmethod, classmethod, property))]
            waiting += [base for base in value.__bases__ if _is_own(base)]
        for each in _functions(value):
            yield from ((text, "") for text in _of_code(each.__code__))
            for name, named in _named(each):
                if isinstance(getattr(type(named), "fingerprint", None), property) or _is_own(named):
                    waiting.append(named)
                    yield f"{name} is {getattr(named, 'fingerprint', '')}", ""
                else:
                    digest = _plain(named)
                    # Functions and classes of libraries have names of their own; their version is the author's business.
                    yield f"{name} = {digest}", "" if digest or hasattr(named, "__qualname__") else name


def _functions(value: Any) -> Iterator[FunctionType]:
    if isinstance(value, property):
        value = value.fget
    if isinstance(value, (staticmethod, classmethod, MethodType)):
        value = value.__func__
    value = inspect.unwrap(value) if callable(value) and not isinstance(value, type) else value
    if isinstance(value, FunctionType):
        yield value


def _of_code(code: CodeType) -> Iterator[str]:
    """Yields what a code object does, without where it stands."""
    yield code.co_code.hex()
    yield " ".join((*code.co_names, "|", *code.co_varnames, "|", *code.co_freevars, "|", *code.co_cellvars))
    yield f"{code.co_argcount} {code.co_posonlyargcount} {code.co_kwonlyargcount} {code.co_flags}"
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _of_code(constant)
        else:
            yield _plain(constant) or repr(constant)


def _named(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yields what the names in a function stand for where it was defined: of modules of the program what is asked of them."""
    names = sorted(set(_names(function.__code__)))
    for name in names:
        if name in function.__globals__:
            value = function.__globals__[name]
            if not isinstance(value, ModuleType):
                yield name, value
            elif is_users(getattr(value, "__file__", None) or ""):
                yield from ((f"{name}.{inner}", vars(value)[inner]) for inner in names if inner in vars(value))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:
            continue  # not filled yet


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_own(value: Any) -> bool:
    if isinstance(value, type):
        return any(is_users(each.__code__.co_filename) for member in vars(value).values() for each in _functions(member))
    return any(is_users(each.__code__.co_filename) for each in _functions(value))


def _plain(value: Any) -> str:
    """Returns the digest of a value that a function refers to; nothing for a library's own, or what has none."""
    try:
        return digest_of(value, where="")
    except UsageError:
        return ""
