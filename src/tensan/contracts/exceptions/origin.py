"""Where an exception comes from: the framework whose code raised it. No framework is imported to tell."""

from __future__ import annotations

import dis
from types import FrameType, TracebackType

from tensan.core.faults import Phase

#: The packages of each framework.
FRAMEWORKS = {
    "torch": "torch",
    "torchvision": "torch",
    "jax": "jax",
    "jaxlib": "jax",
    "opt_einsum": "jax",
    "tensorflow": "tensorflow",
    "keras": "keras",
    "onnxruntime": "onnxruntime",
    "onnx": "onnx",
    "grpc": "grpc",
    "numpy": "numpy",
}
#: What a program does while code of these modules is under way; the innermost that is met decides.
_PHASES = {
    "torch.autograd": Phase.BACKWARD,
    "torch.optim": Phase.STEP,
    "torch._dynamo": Phase.TRACE,
    "torch.export": Phase.TRACE,
    "torch.jit": Phase.TRACE,
    "torch.fx": Phase.TRACE,
    "jax._src.interpreters.partial_eval": Phase.TRACE,
    "tensorflow.python.eager.polymorphic_function": Phase.TRACE,
    "keras.src.optimizers": Phase.STEP,
}


def names(error: BaseException) -> frozenset[str]:
    """Returns the names of its classes as laws know them: `torch.OutOfMemoryError`, `torch.*`, `RuntimeError`."""
    found = set()
    for kind in type(error).__mro__:
        package = kind.__module__.partition(".")[0]
        found |= {kind.__name__} if package == "builtins" else {f"{package}.{kind.__name__}", f"{package}.*"}
    # `except jax.errors.JaxRuntimeError` and jaxlib's own name of it are one thing.
    return frozenset(found | {f"jax.{name.removeprefix('jaxlib.')}" for name in found if name.startswith("jaxlib.")})


def framework(error: BaseException) -> str | None:
    """Returns the framework whose code raised it, "" where nothing tells, None where the program's own Python code did.

    The class tells, else the module of the innermost frame. Compiled code leaves no frame: then the values tell that the failing expression
    names.
    """
    if found := _of_class(type(error)):
        return found
    last = _last(error.__traceback__)
    if last is None:
        return ""
    if found := FRAMEWORKS.get(_module(last).partition(".")[0]):
        return found
    failed = next((step for step in dis.get_instructions(last.tb_frame.f_code) if step.offset == last.tb_lasti), None)
    if failed is None:
        return ""
    return None if failed.opname in ("RAISE_VARARGS", "RERAISE") else _of_values(last.tb_frame, failed)


def phase(error: BaseException) -> Phase | None:
    """Returns what the program was doing, where the modules that were under way tell."""
    link, found = error.__traceback__, None
    while link is not None:
        module = _module(link)
        found = next((phase for prefix, phase in _PHASES.items() if module == prefix or module.startswith(prefix + ".")), found)
        link = link.tb_next
    return found


def _last(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback


def _module(link: TracebackType) -> str:
    return str(link.tb_frame.f_globals.get("__name__", ""))


def _of_class(kind: type) -> str:
    return next((found for base in kind.__mro__ if (found := FRAMEWORKS.get(base.__module__.partition(".")[0]))), "")


def _of_values(frame: FrameType, failed: dis.Instruction) -> str:
    """Returns the framework of the first value that the failing expression names, and which has one."""
    seen = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}
    for step in dis.get_instructions(frame.f_code):
        if step.opname.startswith("LOAD_") and isinstance(step.argval, str) and step.argval in seen and _within(step, failed):
            value = seen[step.argval]
            package = str(getattr(value, "__module__", None) or getattr(value, "__name__", "")).partition(".")[0]
            if found := FRAMEWORKS.get(package) or _of_class(value if isinstance(value, type) else type(value)):
                return found
    return ""


def _within(step: dis.Instruction, whole: dis.Instruction) -> bool:
    inner, outer = step.positions, whole.positions
    if inner is None or outer is None or None in (*inner, *outer):
        return False
    return (outer.lineno, outer.col_offset) <= (inner.lineno, inner.col_offset) and (inner.end_lineno, inner.end_col_offset) <= (
        outer.end_lineno,
        outer.end_col_offset,
    )
