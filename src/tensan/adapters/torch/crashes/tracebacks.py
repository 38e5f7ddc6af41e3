"""Takes out of a traceback what watching has put there: torch calls a module another way while anybody's hooks are set."""

from __future__ import annotations

import dis
import linecache
import os
from functools import lru_cache
from types import CodeType, TracebackType

from torch.nn.modules import module as modules

from tensan.adapters.torch.live import live
from tensan.adapters.torch.variables import names_of

_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))) + os.sep
_MODULES = modules.__file__
#: The dispatcher's own frame, through which an operation that we were told of is run.
_DISPATCHED = os.path.join("torch", "_ops.py")
#: Frames through which torch calls a dispatch mode.
_LEADING = (os.path.join("torch", "_compile.py"), os.path.join("torch", "_dynamo", "eval_frame.py"))
_HOOKS = (
    "_global_backward_pre_hooks",
    "_global_backward_hooks",
    "_global_forward_pre_hooks",
    "_global_forward_hooks",
)


def as_bare(traceback: TracebackType | None) -> TracebackType | None:
    """Returns a traceback as it would be if nobody watched."""
    links: list[TracebackType] = []
    while traceback is not None:
        links.append(traceback)
        traceback = traceback.tb_next
    only_ours = _only_our_hooks()
    kept: list[TracebackType] = []
    skip = False
    for number, link in enumerate(links):
        code, following = link.tb_frame.f_code, links[number + 1] if number + 1 < len(links) else None
        if skip:
            skip = False
            continue
        if code.co_filename.endswith(_DISPATCHED) and number and _is_ours(links[number - 1]):
            continue
        if code.co_filename.endswith(_LEADING) and _leads_to_us(links, number):
            continue
        hooked = code.co_filename == _MODULES and code.co_name == "_call_impl" and following is not None
        if hooked and only_ours and following is not None and following.tb_frame.f_code.co_name == "inner" and _has_no_hooks(link):
            at = _plain_call(code)
            if at is not None:
                link, skip = TracebackType(None, link.tb_frame, *at), True
        kept.append(link)
    result: TracebackType | None = None
    for link in reversed(kept):
        result = link if link.tb_next is result else _followed(link, result)
    return result


def _is_ours(link: TracebackType) -> bool:
    return link.tb_frame.f_code.co_filename.startswith(_OURS)


def _leads_to_us(links: list[TracebackType], number: int) -> bool:
    following = next((link for link in links[number:] if not link.tb_frame.f_code.co_filename.endswith(_LEADING)), None)
    return following is not None and _is_ours(following)


def _followed(link: TracebackType, following: TracebackType | None) -> TracebackType:
    link.tb_next = following
    return link


def _only_our_hooks() -> bool:
    recorder = live.recorder
    ours = 2 if recorder is not None and recorder.forwards.hooks else 0
    return sum(len(getattr(modules, name)) for name in _HOOKS) <= ours


def _has_no_hooks(link: TracebackType) -> bool:
    owner = names_of(link.tb_frame).get("self")
    return owner is not None and not (
        owner._backward_hooks or owner._backward_pre_hooks or owner._forward_hooks or owner._forward_pre_hooks
    )


@lru_cache(maxsize=4)
def _plain_call(code: CodeType) -> tuple[int, int] | None:
    """Returns the instruction and the line at which a module without hooks calls its forward."""
    for item in dis.get_instructions(code):
        line = item.positions.lineno if item.positions is not None else None
        if line is None or not item.opname.startswith("CALL_FUNCTION_EX"):
            continue
        if linecache.getline(code.co_filename, line).strip() == "return forward_call(*args, **kwargs)":
            return item.offset, line
    return None
