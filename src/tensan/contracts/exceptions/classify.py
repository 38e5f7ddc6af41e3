"""Says what an exception is. It looks at the classes and words of the exception and at its traceback, and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from tensan.contracts.exceptions import grpc, jax, keras, numpy, onnxruntime, origin, tensorflow, torch, words
from tensan.contracts.exceptions.law import Law
from tensan.core.faults import Fault, Layer, Phase

#: What each framework says of its own exceptions. Built-in classes are asked of all of them, its own first.
BY_FRAMEWORK = {
    "torch": torch.LAWS,
    "jax": jax.LAWS,
    "tensorflow": tensorflow.LAWS,
    "keras": keras.LAWS,
    "onnxruntime": onnxruntime.LAWS,
    "grpc": grpc.LAWS,
    "numpy": numpy.LAWS,
}
_REST = torch.REST + jax.REST + tensorflow.REST + onnxruntime.REST + grpc.REST
#: What is no part of what an exception says: colours, TensorFlow's names of nodes and devices, Keras's list of all arguments.
_DECORATION = re.compile(r"\x1b\[[0-9;]*m|\{\{\w+ [^}]*\}\}|\[Op:\w+\]|\n\nArguments received by .*", re.DOTALL)


class Verdict(msgspec.Struct, frozen=True):
    """What an exception is.

    Attributes:
        error: the class of the taxonomy.
        layer: the part of the stack that failed.
        phase: what the program was doing.
        recoverable: whether the process can go on.
        retryable: whether the same call, unchanged, may succeed the next time.
        hint: the first thing to try.
        framework: whose exception it is; "" where that cannot be told.
        basis: what it was told by: "law" (its class, or words that only this framework says), "words" (a framework raised it, and what
            it says is said the same way everywhere), "class" (only its class tells).
    """

    error: type[Fault]
    layer: Layer
    phase: Phase
    recoverable: bool
    retryable: bool
    hint: str
    framework: str
    basis: str

    @property
    def code(self) -> str:
        """The code of the class."""
        return self.error.code

    @property
    def page(self) -> str:
        """Where the page of the class is, from the root of the documentation."""
        return self.error.page()


def classify(error: BaseException) -> Verdict | None:
    """Says which class of the taxonomy an exception is, or None for one that is no fault of a framework's making.

    The exception is looked at and left as it is. No framework is imported.

    Args:
        error: any exception, caught or not.
    """
    if isinstance(error, Fault):
        return _verdict(Law("", "", _declared(error)), error, "class", "")
    if not isinstance(error, Exception) or isinstance(error, ExceptionGroup):
        return None
    raised_by = origin.framework(error)
    if raised_by is None:
        return None
    names, text = origin.names(error), _words(error)
    for basis, framework, laws in _asked(raised_by):
        if law := next((law for law in laws if law.holds(names, text)), None):
            return _verdict(law, error, basis, framework)
    return None


def _asked(raised_by: str) -> Iterator[tuple[str, str, tuple[Law, ...]]]:
    """Yields the laws in the order in which they are asked: the framework's own, those of others, what all say alike, the bare classes."""
    others = [name for name in BY_FRAMEWORK if name != raised_by]
    yield from (("law", name, BY_FRAMEWORK.get(name, ())) for name in (raised_by, *others))
    if raised_by:
        yield "words", raised_by, words.LAWS
    yield "class", raised_by, _REST


def _words(error: BaseException) -> str:
    try:
        return _DECORATION.sub("", str(error))
    except Exception:  # noqa: BLE001 - an exception that cannot be printed is still to be classified, by its class
        return ""


def _declared(error: Fault) -> type[Fault]:
    return next(kind for kind in type(error).__mro__ if issubclass(kind, Fault) and kind.__module__ == Fault.__module__)


def _verdict(law: Law, error: BaseException, basis: str, framework: str) -> Verdict:
    means = law.means
    return Verdict(
        error=means,
        layer=means.layer,
        phase=law.phase or origin.phase(error) or means.phase,
        recoverable=means.recoverable,
        retryable=means.retryable if law.retryable is None else law.retryable,
        hint=law.hint or means.hint,
        framework=framework,
        basis=basis,
    )
