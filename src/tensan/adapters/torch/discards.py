"""Finds calls whose result is thrown away although it is all that they do, and methods that are named but not called.

Three ways lead there, and all need that the statement has run. In a recorded step each operation knows the instruction that
called it, and where the next one throws the result away, the source says which call it was. So it is with a context manager when
it is made. In the training loop's own frames, which are there to be read at each step that is looked at, statements that surely
run are found in the source, and what they are called on is looked up among the frame's names. Nothing of the program is run for it.
"""

from __future__ import annotations

import ast
import dis
import inspect
import sys
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional

from tensan.adapters.torch.inventory import dtype_name
from tensan.adapters.torch.statements import (
    UNKNOWN,
    body_of,
    resolve,
    root_name,
    statements,
    targets_of,
    users_modules,
)
from tensan.adapters.torch.trials import is_trial
from tensan.adapters.torch.variables import names_of
from tensan.core.events.source import Discarded
from tensan.core.events.things import Operation, Value
from tensan.core.sites import Place, Site, function_of, is_users
from tensan.core.trees import location, tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder
    from tensan.adapters.torch.trace import Trace

_POP, _CACHE = dis.opmap["POP_TOP"], dis.opmap["CACHE"]
#: Steps at which a statement of the loop is looked up before it is given up.
MOST_LOOKS = 12


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Return another look at the same memory: what is written through it is not lost.
VIEWS = _words(
    "as_strided detach squeeze unsqueeze swapaxes swapdims t transpose view reshape flatten narrow select expand permute unflatten"
)
#: Work out something new and leave the tensor as it was; each has a twin with an underscore that does change it.
COPIES = (
    frozenset(name for name in dir(torch.Tensor) if name[0] != "_" and name[-1] != "_" and hasattr(torch.Tensor, f"{name}_"))
    - VIEWS
    - {"resize", "resize_as", "requires_grad", "share_memory", "set", "bernoulli"}
)
#: Have no such twin, and are told only where an operation was seen to run and its result to go nowhere.
ALSO = _words("to float half double bfloat16 long int type softmax log_softmax clone roll flip repeat contiguous where")
#: Words that other things than tensors answer to as well.
_COMMON = _words("add put log scatter round clip t sub index_add")
FUNCTIONS = frozenset(
    name
    for name, item in vars(functional).items()
    if callable(item) and not name.startswith("_") and not name.endswith("_") and name not in ("batch_norm", "instance_norm", "embedding")
)
#: Statements of these kinds run whenever the block does that they stand in.
_ALWAYS = (ast.For, ast.With)


class _Candidate:
    """A statement of a frame that may do nothing."""

    __slots__ = ("chain", "looks", "statement")

    def __init__(self, statement: ast.Expr | ast.Assign, chain: tuple[tuple[ast.AST, str], ...]) -> None:
        self.statement, self.chain, self.looks = statement, chain, 0


class Discards:
    """What was found, and which code has been read."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._candidates: dict[int, tuple[CodeType, list[_Candidate], dict[int, tuple[tuple[ast.AST, str], ...]]]] = {}
        self._pops: dict[tuple[int, int], tuple[CodeType, bool]] = {}
        self._expressions: dict[str, dict[tuple[int | None, ...], ast.expr]] = {}
        self._told: set[tuple[str, int, int]] = set()

    # ---- the training loop's frames ----

    def look(self) -> None:
        """Looks through the frames of the program that are running now; code without a suspicious statement costs nothing."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            code = frame.f_code
            known = self._candidates.get(id(code))
            if known is None:
                known = self._candidates[id(code)] = self._read(code)
            if known[1]:
                self._judge_frame(frame, known[1], known[2])
            frame = frame.f_back

    def _read(self, code: CodeType) -> tuple[CodeType, list[_Candidate], dict[int, tuple[tuple[ast.AST, str], ...]]]:
        """Returns the suspicious statements of a function, and the blocks around each of its lines."""
        if not is_users(code.co_filename) or not _names_some(code):
            return code, [], {}
        body = body_of(code)
        if body is None:
            return code, [], {}
        found, chains = [], {}
        for statement, chain in statements(body):
            chains[statement.lineno] = chain
            if isinstance(statement, ast.Assign) and (_fills_temporary(statement) or _rebinds(statement, chain, body)):
                found.append(_Candidate(statement, chain))
            elif isinstance(statement, ast.Expr):
                value = statement.value
                if isinstance(value, ast.Attribute) or (isinstance(value, ast.Call) and (_does_nothing(value) or not _methods(value)[1:])):
                    found.append(_Candidate(statement, chain))
        return code, found, chains

    def _judge_frame(self, frame: FrameType, candidates: list[_Candidate], chains: dict[int, tuple[tuple[ast.AST, str], ...]]) -> None:
        now = _chain_at(chains, frame.f_lineno)
        for candidate in list(candidates):
            candidate.looks += 1
            if candidate.looks > MOST_LOOKS:
                candidates.remove(candidate)
                continue
            if now is None or not _has_run(candidate, frame.f_lineno, now):
                continue
            scopes = (names_of(frame), frame.f_globals)
            value = candidate.statement.value
            if isinstance(candidate.statement, ast.Assign):
                told = self._judge_assignment(frame.f_code, candidate.statement, scopes)
            elif isinstance(value, ast.Attribute):
                kind = _uncalled(resolve(value.value, *scopes), value.attr)
                told = kind and self._tell(frame.f_code, value, kind="uncalled", name=value.attr, of=kind)
            else:
                assert isinstance(value, ast.Call)
                if not _does_nothing(value):
                    self._judge_called(value, scopes)
                    candidates.remove(candidate)
                    continue
                tensor = _subject(value, scopes)
                told = isinstance(tensor, torch.Tensor) and self._tell(
                    frame.f_code, value, kind="call", name=_first_name(value), value=_value(tensor)
                )
            if told:
                candidates.remove(candidate)

    def _judge_called(self, call: ast.Call, scopes: tuple[Any, ...]) -> None:
        """Looks for variables that are given a new value in vain in a function of the program that has been called, and returned."""
        code = _code_called(call.func, scopes)
        if code is None or not is_users(code.co_filename) or not _names_some(code) or (body := body_of(code)) is None:
            return
        for statement, chain in statements(body):
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.BinOp) and _rebinds(statement, chain, body):
                surely = all(isinstance(block, _ALWAYS) and suite == "body" for block, suite in chain)
                target, loop = statement.targets[0], chain[-1][0]
                if surely and isinstance(target, ast.Name) and isinstance(loop, ast.For) and "named_" not in ast.unparse(loop.iter):
                    self._tell(code, target, kind="rebound", name=target.id)

    def _judge_assignment(self, code: CodeType, statement: ast.Assign, scopes: tuple[Any, ...]) -> bool:
        target = statement.targets[0]
        if isinstance(target, ast.Name):
            tensor = resolve(target, *scopes)
            found = isinstance(tensor, torch.Tensor)
            return found and self._tell(code, target, kind="rebound", name=target.id, value=_value(tensor))
        call = _temporary_filled(target)
        owner = resolve(call.func.value, *scopes) if call is not None and isinstance(call.func, ast.Attribute) else UNKNOWN
        found = isinstance(owner, (torch.nn.Module, torch.optim.Optimizer))
        return found and self._tell(code, target, kind="temporary", name="state_dict", of=type(owner).__name__)

    # ---- a recorded step ----

    def read_trace(self, trace: Trace) -> None:
        """Looks for operations of a whole trace that were called in vain."""
        groups: dict[tuple[int, int], list[Operation]] = {}
        for operation in trace.operations:
            site = operation.site
            if isinstance(site, Site) and self._is_popped(site):
                groups.setdefault((id(site.code), site.instruction), []).append(operation)
        if not groups:
            return
        readers: dict[int, set[int]] = {}
        for operation in trace.operations:
            for value in operation.inputs:
                if value.producer >= 0:
                    readers.setdefault(value.producer, set()).add(operation.index)
        for operations in groups.values():
            self._judge_group(operations, readers)

    def _judge_group(self, operations: list[Operation], readers: dict[int, set[int]]) -> None:
        site = operations[0].site
        assert isinstance(site, Site)
        call = self._expression_at(site)
        own = {operation.index for operation in operations}
        if not isinstance(call, ast.Call) or any(not readers.get(index, own) <= own for index in own):
            return
        if any(operation.name == "item" for operation in operations) or not any(operation.inputs for operation in operations):
            return
        given = next(operation.inputs[0] for operation in operations if operation.inputs)
        names = {str(operation.settings.get("aten", "")).rpartition("::")[2].lstrip("_") for operation in operations}
        # An operation may fill what it has just made; what was there before must be as it was.
        writes = any(operation.settings.get("writes") and operation.inputs[0].producer not in own for operation in operations)
        name = _first_name(call)
        module = self._module_called(site.code, call)
        if module is not None:
            if not writes and not _is_listened_to(module):
                self._tell(site.code, call, kind="module", name=type(module).__name__, value=given)
            return
        if isinstance(call.func, ast.Attribute) and _methods(call) and not _of_torch(call.func, site.code):
            last = call.func.attr.rstrip("_")
            meant = _does_nothing(call) or (name in ALSO and len(_methods(call)) == 1 and not writes)
            if meant and (any(aten.startswith(last) for aten in names) or names & {"to_copy", "copy", "where"}):
                self._tell(site.code, call, kind="call", name=name, value=given)
        elif not writes and _of_torch(call.func, site.code):
            self._tell(site.code, call, kind="call", name=name, value=given)

    # ---- context managers ----

    def context_made(self, context: Any, frame: FrameType) -> None:
        """A context manager was made by a call in this frame: whoever throws it away cannot enter it."""
        site = Site(frame.f_code, frame.f_lasti)
        if self._is_popped(site) and is_users(site.code.co_filename) and self.recorder.watch.wants(Discarded):
            self.recorder.hear(self.recorder.apart, self._context_lost, context, site)

    def _context_lost(self, context: Any, site: Site) -> None:
        call = self._expression_at(site)
        if isinstance(call, ast.Call):
            self._tell(site.code, call, kind="context", name=type(context).__name__)

    # ---- where a call stands ----

    def _is_popped(self, site: Site) -> bool:
        key = id(site.code), site.instruction
        known = self._pops.get(key)
        if known is None:
            known = self._pops[key] = site.code, _is_followed_by_pop(site.code.co_code, site.instruction)
        return known[1]

    def _expression_at(self, site: Site) -> ast.expr | None:
        path = site.code.co_filename
        known = self._expressions.get(path)
        if known is None:
            tree = tree_of(path)
            known = self._expressions[path] = {
                (node.value.lineno, node.value.end_lineno, node.value.col_offset, node.value.end_col_offset): node.value
                for node in (walk(tree) if tree is not None else ())
                if isinstance(node, ast.Expr)
            }
        positions = list(site.code.co_positions())[site.instruction // 2]
        return known.get(positions)

    def _module_called(self, code: CodeType, call: ast.Call) -> Any:
        """Returns the module of torch's own that `self.name(...)` calls in a method of a module that is known."""
        func = call.func
        if not (isinstance(func, ast.Attribute) and root_name(func) == "self"):
            return None
        for owner in list(self.recorder.inventory.modules):
            if any(getattr(item, "__code__", None) is code for kind in type(owner).__mro__ for item in vars(kind).values()):
                found = resolve(func, {"self": owner})
                if isinstance(found, torch.nn.Module):
                    return found if type(found).__module__.startswith("torch.nn.modules") else None
        return None

    # ---- telling ----

    def _tell(self, code: CodeType, node: ast.expr, *, kind: str, name: str, of: str = "", value: Value | None = None) -> bool:
        key = code.co_filename, node.lineno, node.col_offset
        if key not in self._told:
            self._told.add(key)
            if is_trial(tree_of(code.co_filename), node):
                return True  # meant: all that is awaited of it is an error
            place: Place = location(code.co_filename, node, function_of(code))
            text = ast.unparse(node.func if isinstance(node, ast.Call) else node)
            self.recorder.watch.emit(
                Discarded(
                    step=self.recorder.watch.steps,
                    site=place,
                    kind=kind,
                    call=text if len(text) <= 60 else f"….{name}",
                    name=name,
                    of=of,
                    value=value,
                    subject=ast.unparse(_receiver(node)) if isinstance(node, ast.Call) else "",
                    in_place=hasattr(torch.Tensor, f"{name}_") and kind == "call",
                )
            )
        return True


# ---- reading calls -------------------------------------------------------------------------------------------------


def _names_some(code: CodeType) -> bool:
    raw = code.co_code
    names = set(code.co_names)
    if names & COPIES or names & VIEWS or "state_dict" in names or names & {"parameters", "named_parameters", "buffers"}:
        return True
    pops = any(raw[at] == _POP and dis.opname[raw[at - 2]] in ("LOAD_ATTR", "CACHE") for at in range(2, len(raw), 2))
    return pops and bool(names & _UNCALLED)


_MANY_TENSORS = (".parameters(", ".named_parameters(", ".buffers(", ".named_buffers(")


def _code_called(func: ast.expr, scopes: tuple[Any, ...]) -> CodeType | None:
    """Returns the code of a function or method that a call names, seen through decorators."""
    found = resolve(func, *scopes)
    if found is UNKNOWN and isinstance(func, ast.Attribute):
        owner = resolve(func.value, *scopes)
        found = inspect.getattr_static(type(owner), func.attr, UNKNOWN) if owner is not UNKNOWN else UNKNOWN
    code = getattr(inspect.unwrap(found), "__code__", None) if inspect.isfunction(found) else None
    return code if isinstance(code, CodeType) else None


def _temporary_filled(target: ast.expr) -> ast.Call | None:
    """Returns the call whose result an assignment writes into where nothing else holds that result: `model.state_dict()[k] = v`."""
    node, levels = target, 0
    while isinstance(node, ast.Subscript):
        node, levels = node.value, levels + 1
    named = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "state_dict" and not node.args
    return node if levels and named and isinstance(node, ast.Call) else None


def _fills_temporary(statement: ast.Assign) -> bool:
    call = _temporary_filled(statement.targets[0]) if len(statement.targets) == 1 else None
    if call is None:
        return False
    # What lies deeper than the dict of a state is shared with the optimizer, but for the groups, which are copied.
    keys = []
    node = statement.targets[0]
    while isinstance(node, ast.Subscript):
        keys.append(node.slice)
        node = node.value
    return len(keys) == 1 or (isinstance(keys[-1], ast.Constant) and keys[-1].value == "param_groups")


def _rebinds(statement: ast.Assign, chain: tuple[tuple[ast.AST, str], ...], body: ast.AST) -> bool:
    """Tells whether a statement gives a new value to the variable of a loop over parameters, and nobody reads it then."""
    target = statement.targets[0]
    loop = chain[-1][0] if chain else None
    if len(statement.targets) != 1 or not isinstance(target, ast.Name) or not isinstance(loop, ast.For) or chain[-1][1] != "body":
        return False
    if target.id not in targets_of([(loop, "body")]) or not any(word in ast.unparse(loop.iter) for word in _MANY_TENSORS):
        return False
    works_on_it = any(isinstance(node, ast.Name) and node.id == target.id for node in walk(statement.value))
    elsewhere = {
        id(inner)
        for node in walk(body)
        if node is not loop and _binds(node, target.id)
        for inner in walk(node)
        if not any(inner is part for part in walk(loop))
    }
    after = (
        node
        for node in walk(body)
        if isinstance(node, ast.Name) and node.id == target.id and isinstance(node.ctx, ast.Load) and node.lineno > statement.lineno
        if id(node) not in elsewhere
    )
    return works_on_it and next(after, None) is None


def _binds(node: ast.AST, name: str) -> bool:
    """Tells whether a loop or a comprehension gives a name its value anew."""
    if isinstance(node, ast.For):
        return name in targets_of([(node, "body")])
    generators = getattr(node, "generators", ())
    return any(isinstance(item, ast.Name) and item.id == name for generator in generators for item in walk(generator.target))


_UNCALLED = _words(
    "zero_grad step backward eval train update unscale_ cuda cpu half float double detach_ requires_grad_ zero_ reset set_epoch"
)


def _methods(call: ast.Call) -> list[str]:
    """Returns the methods of a chain of calls from left to right: `x.mul(a).add_(b)` gives `mul`, `add_`."""
    found = []
    node: ast.expr = call
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        found.append(node.func.attr)
        node = node.func.value
    return found[::-1]


def _receiver(call: ast.Call) -> ast.expr:
    """Returns what the first method of a chain is called on."""
    node: ast.expr = call
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    return node


def _first_name(call: ast.Call) -> str:
    """Returns the method of a chain that loses the tensor: the first that works on a copy, or else the last one."""
    methods = _methods(call)
    if isinstance(call.func, ast.Attribute) and methods:
        return next((name for name in methods if name in COPIES), methods[-1])
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _does_nothing(call: ast.Call) -> bool:
    """Tells whether a chain of calls changes nothing, provided that it is called on a tensor or is a function of torch."""
    for node in walk(call):
        if isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)):
            return False
        if isinstance(node, ast.keyword) and (
            node.arg is None or node.arg == "out" or (node.arg == "inplace" and getattr(node.value, "value", True) is not False)
        ):
            return False
    inner = [node for argument in (*call.args, *(item.value for item in call.keywords)) for node in walk(argument)]
    if any(isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_") for node in inner):
        return False
    methods = _methods(call)
    copied = False
    for name in methods:
        plain = name.rstrip("_")
        if name in COPIES:
            copied = True
        elif name in VIEWS or (copied and name.endswith("_") and (plain in COPIES or plain in ("copy", "zero", "fill"))):
            continue
        else:
            return False
    return bool(methods)


def _subject(call: ast.Call, scopes: tuple[Any, ...]) -> Any:
    """Returns the tensor that a call works on, as far as the frame's names tell."""
    receiver, methods = _receiver(call), _methods(call)
    found = resolve(receiver, *scopes)
    if found is torch or found is functional:
        return resolve(call.args[0], *scopes) if len(methods) == 1 and call.args and methods[0] in COPIES else UNKNOWN
    return found


def _of_torch(func: ast.expr, code: CodeType) -> bool:
    """Tells whether a function is one of torch's that only works something out."""
    if not isinstance(func, (ast.Attribute, ast.Name)):
        return False
    scopes = [vars(module) for module in users_modules() if getattr(module, "__file__", None) == code.co_filename]
    found = resolve(func, *scopes)
    if found is UNKNOWN or inspect.isclass(found):
        return False
    name = func.attr if isinstance(func, ast.Attribute) else func.id
    name = getattr(found, "__name__", name)
    if name in FUNCTIONS and vars(functional).get(name) is found:
        return True
    return (name in COPIES or name in VIEWS or name in ALSO) and vars(torch).get(name) is found


def _uncalled(owner: Any, name: str) -> str:
    """Returns what kind of thing has a method of that name, where an expression only names it; or an empty string."""
    kinds = (torch.nn.Module, torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler, torch.Tensor, torch.amp.GradScaler)
    if owner is UNKNOWN or not isinstance(owner, kinds):
        return ""
    found = inspect.getattr_static(type(owner), name, None)
    if not (inspect.isfunction(found) or inspect.ismethoddescriptor(found)) or isinstance(found, (property, staticmethod, classmethod)):
        return ""
    return type(owner).__name__


def _is_listened_to(module: Any) -> bool:
    """Tells whether a module is called for what its hooks do."""
    return any(part._forward_hooks or part._forward_pre_hooks for part in module.modules())


def _value(tensor: Any) -> Value:
    return Value(shape=tuple(tensor.shape), dtype=dtype_name(tensor))


def _is_followed_by_pop(raw: bytes, instruction: int) -> bool:
    """Tells whether the call at an instruction, or at a cache entry behind it, is followed by one that throws its result away."""
    while instruction > 0 and raw[instruction] == _CACHE:
        instruction -= 2
    name = dis.opname[raw[instruction]]
    if not name.startswith(("CALL", "PRECALL")):
        return False
    following = instruction + 2
    while following < len(raw) and (raw[following] == _CACHE or (name == "PRECALL" and dis.opname[raw[following]] == "CALL")):
        following += 2  # Python 3.11 calls some functions from the instruction before CALL
    return following < len(raw) and raw[following] == _POP


# ---- has it run? ----------------------------------------------------------------------------------------------------


def _chain_at(chains: dict[int, tuple[tuple[ast.AST, str], ...]], line: int) -> tuple[tuple[ast.AST, str], ...] | None:
    """Returns the blocks around the statement that a line belongs to."""
    first = max((number for number in chains if number <= line), default=None)
    return chains[first] if first is not None else None


def _has_run(candidate: _Candidate, line: int, now: tuple[tuple[ast.AST, str], ...]) -> bool:
    """Tells whether a statement has run for certain, given where its function stands now."""
    common = 0
    for mine, theirs in zip(candidate.chain, now, strict=False):
        if mine[0] is not theirs[0] or mine[1] != theirs[1]:
            break
        common += 1
    rest = candidate.chain[common:]
    if any(not isinstance(block, _ALWAYS) or suite != "body" for block, suite in rest):
        return False
    loops = [block for block, _ in rest if isinstance(block, ast.For)]
    if isinstance(candidate.statement, ast.Assign):
        return candidate.statement.lineno < line or candidate.looks > 2
    value = candidate.statement.value
    receiver = _receiver(value) if isinstance(value, ast.Call) else value
    names = {root_name(receiver)} | {root_name(item) for item in (value.args[:1] if isinstance(value, ast.Call) else ())}
    # In a loop of its own, the name that the loop binds shows that its body ran; other loops may time something.
    if loops and not names & targets_of(rest):
        return False
    common_word = isinstance(value, ast.Call) and not set(_methods(value)).isdisjoint(_COMMON)
    if common_word and not loops and not (isinstance(receiver, ast.Attribute) and receiver.attr in ("data", "grad")):
        return False
    if candidate.statement.lineno < line:
        return True
    inner = next((block for block, _ in reversed(candidate.chain[:common]) if isinstance(block, (ast.For, ast.While))), None)
    skips = inner is not None and any(isinstance(node, (ast.Continue, ast.Break)) for node in walk(inner))
    return inner is not None and not skips and candidate.looks > 2
