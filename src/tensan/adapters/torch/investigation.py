"""Locates the first non-finite value of a step that nobody recorded: the last recorded step is played on this step's own values.

Called when a gradient is found broken and the weights are still untouched. The template of an earlier step says what the program does; the
names in the running frames say what its batch is now. Whether both fit is not assumed but checked: the gradients that come out broken
must be those that are, and where the program still holds the loss, it must come back bit for bit.
"""

from __future__ import annotations

import ast
import math
import sys
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec
import torch
from torch.utils.weak import TensorWeakRef

from tensan.adapters.torch import bindings, counterfactual, nonfinite, own_backwards
from tensan.adapters.torch.inventory import dtype_name
from tensan.adapters.torch.source import in_definition
from tensan.adapters.torch.template import MOST_COPIED, External, Made, Template, is_parameter
from tensan.adapters.torch.trace import key_of, storage_of
from tensan.core.events.numerics import Grown, NonfiniteOrigin, Operand
from tensan.core.events.things import Operation
from tensan.core.sites import Location, Place, Site, is_users

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder
    from tensan.adapters.torch.trace import Trace

#: Templates that are kept, one for each place from which a backward is called.
MOST_TEMPLATES = 6
#: Operations whose inputs are told.
MOST_OPERANDS = 3
#: Of these it can be said which samples bring it about.
_OF_SAMPLES = frozenset({"forward", "backward", "batch"})
#: Samples that are named.
MOST_ROWS = 4


class _Recorded:
    """A template, what was recorded beside it, and what the program calls its tensors."""

    def __init__(self, *, template: Template, operations: tuple[Operation, ...], step: int, site: Place) -> None:
        self.template, self.operations, self.step, self.site = template, operations, step, site
        #: The program's own functions in the graph, and where their backward is written.
        self.functions: dict[str, Location] = {}
        self.names: list[bindings.Name | bindings.Expression | None] = []
        self.loss: bindings.Name | None = None
        #: What the program has no name for, such as a noised input, kept alive until the step is done.
        self.nameless: dict[int, Any] = {}


class Investigation:
    """What is kept of recorded steps, to be played when something is wrong."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._recorded: dict[Any, _Recorded] = {}
        #: The gradient that the program handed to the last backward, where it gave one.
        self.incoming: TensorWeakRef | None = None
        self._incoming_sum: Any = None
        #: Whether a backward has added to gradients that were there.
        self.accumulates = False

    def knows(self, entry: Place, inputs: tuple[tuple[Any, ...], ...]) -> bool:
        """Tells whether a step is kept that began at this place with inputs of these shapes."""
        shapes = _shapes(inputs)
        return any(kept.template.entry == entry and _shapes(kept.template.inputs) == shapes for kept in self._recorded.values())

    def recorded(self, trace: Trace, loss: Any, site: Place) -> None:
        """A deep step has ended in a loss."""
        template = trace.template
        if template is None:
            return
        trace.template = None
        with bindings.scopes() as where:
            cut = self._cut_anew(template, trace.operations, where)
        template.end(trace.producer_of(loss), key_of(loss))
        if template.why_not or template.loss is None:
            return
        recorded = _Recorded(template=template, operations=tuple(trace.operations), step=self.recorder.watch.steps, site=site)
        wanted = {external.key: external for external in template.externals if not is_parameter(external)}
        wanted[key_of(loss)] = None  # pyright: ignore[reportArgumentType]
        with bindings.scopes() as where:
            found = bindings.search(wanted, key_of, where)
            recorded.loss = found.get(key_of(loss))
            for number, external in enumerate(template.externals):
                name: Any = cut[number] if number in cut else found.get(external.key)
                if name is None and external.key in template.inputs:
                    name = bindings.argument(template.entry, template.inputs.index(external.key))
                recorded.names.append(name)
        for number, (external, name) in enumerate(zip(template.externals, recorded.names, strict=True)):
            if not isinstance(name, bindings.Name) and not is_parameter(external) and math.prod(external.shape) <= MOST_COPIED:
                recorded.nameless[number] = external.living()
        recorded.functions = own_backwards.functions(loss.grad_fn)
        key = site
        self._recorded.pop(key, None)
        while len(self._recorded) >= MOST_TEMPLATES:
            del self._recorded[next(iter(self._recorded))]
        self._recorded[key] = recorded

    def step_done(self) -> None:
        """A step that was looked at has ended."""
        for recorded in self._recorded.values():
            recorded.nameless.clear()

    def _cut_anew(self, template: Template, operations: list[Operation], where: list[bindings.Scope]) -> dict[int, bindings.Expression]:
        """Parts of a tensor that the loop cuts out inside a step: they are cut out again as it is written, for the numbers differ."""
        found = {}
        cuts = {} if template.why_not else {operations[index].site: index for index in template.cuts()}  # the last at each place
        for site, index in cuts.items():
            expression = bindings.subscript(site)
            tensor = bindings.compute(expression, where) if expression is not None else None
            if expression is not None and tensor is not None and template.cut_anew(index, tensor, key_of(tensor)):
                found[len(template.externals) - 1] = expression
        return found

    def locate(self, record: OptimizerRecord) -> NonfiniteOrigin | None:
        """Plays the recorded steps on what the program holds now; returns the first that breaks the very gradients that are broken."""
        broken: dict[int, bool] = {}
        why_not = ""
        for tensor in record.parameters():
            if tensor.grad is not None and not tensor.grad.is_sparse:
                broken[storage_of(tensor)] = not bool(torch.isfinite(tensor.grad).all())
        with bindings.scopes() as where, torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False):
            given = self._given_to_backward(where)
            if given is not None:
                return given
            for recorded in reversed(self._recorded.values()):
                tensors = self._bound(recorded, where)
                if tensors is None:
                    continue
                devices = sorted({tensor.device.index or 0 for tensor in tensors if tensor.is_cuda})
                try:
                    with torch.random.fork_rng(devices=devices), torch.enable_grad():
                        outcome = nonfinite.run(recorded.template, tensors)
                        origin = outcome.origin
                        exact = _same_loss(recorded, outcome, where)
                        if origin is None and exact and (outside := self._outside_graph(recorded, record, outcome)) is not None:
                            return outside
                        fits = self._fits(recorded, outcome, broken)
                        if origin is None or not fits:
                            continue
                        if exact is False and not recorded.template.is_random:
                            continue
                        return self._event(recorded, tensors, origin, bool(exact), outcome)
                except (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError) as error:
                    why_not = str(error).partition("\n")[0][
                        :60
                    ]  # other shapes than on the template, or an operation that cannot be run again
        if why_not:
            self.recorder.watch.not_checked(f"which operation broke a gradient (running the recorded step again: {why_not})")
        return self._held()

    def _outside_graph(self, recorded: _Recorded, record: OptimizerRecord, outcome: nonfinite.Outcome) -> NonfiniteOrigin | None:
        """The step's operations give finite gradients: to blame is what the program itself has written into the backward or after it."""
        if outcome.leaves or nonfinite.state(outcome.loss).bad or (self.accumulates and not recorded.functions):
            return None
        written = own_backwards.writes(record.step_site if isinstance(record.step_site, Site) else None)
        hooks = own_backwards.hooks()
        candidates = [("function", name, place) for name, place in recorded.functions.items()]
        candidates += [("write", "", place) for place in written] + [("hook", "", place) for place in hooks]
        if len(candidates) != 1:
            return None
        kind, name, place = candidates[0]
        return NonfiniteOrigin(
            step=self.recorder.watch.steps, site=place, kind=kind, name=name, exact=True, recorded=recorded.step, backward=recorded.site
        )

    def _held(self) -> NonfiniteOrigin | None:
        """No recorded step fits: tells of a parameter or a buffer that is not finite itself."""
        inventory = self.recorder.inventory
        for root in list(inventory.entered):
            for owner in root.modules():
                for name, tensor in (*owner.named_parameters(recurse=False), *owner.named_buffers(recurse=False)):
                    is_buffer = name in owner._buffers
                    if is_buffer and owner.training and name.startswith("running_"):
                        continue  # written in this step, and not yet read
                    found = nonfinite.state(tensor)
                    if not found.nan and not (found.inf and bool((tensor == torch.inf).any())):  # minus infinity may be a mask
                        continue
                    path = ".".join(part for part in (inventory.path_of(owner), name) if part)
                    return NonfiniteOrigin(
                        step=self.recorder.watch.steps,
                        kind="buffer" if is_buffer else "parameter",
                        name=path,
                        operands=(_described(tensor),),
                        made=(_registration(owner, name) or self._made_of(owner)) if is_buffer else None,
                        parameter=None if is_buffer else self._written(tensor),
                    )
        return None

    def _made_of(self, module: Any) -> Place:
        first = next(module.parameters(), None)
        return self.recorder.inventory.known(first).made if first is not None else None

    def handed(self, gradient: Any) -> None:
        """The program hands a gradient to a backward itself."""
        self.incoming, self._incoming_sum = None, None
        if isinstance(gradient, torch.Tensor) and gradient.is_floating_point():
            # The sum is read only once a gradient is broken; what was handed may be gone by then.
            self.incoming, self._incoming_sum = TensorWeakRef(gradient), gradient.detach().sum()

    def _given_to_backward(self, where: list[bindings.Scope]) -> NonfiniteOrigin | None:
        """Tells of a gradient that the program itself handed to the backward, where that is not finite."""
        gradient = self.incoming() if self.incoming is not None else None
        gradient = gradient if gradient is not None else self._incoming_sum
        if gradient is None or not nonfinite.state(gradient).bad:
            return None
        recorder = self.recorder
        key = key_of(gradient)
        name = bindings.search({key: None}, key_of, where).get(key)
        site = recorder.backwards.last
        made = bindings.assignment_before(site, name.name)[0] if name is not None and not name.keys else None
        return NonfiniteOrigin(
            step=recorder.watch.steps,
            site=site,
            kind="incoming",
            name=str(name or ""),
            made=made,
            operands=(_described(gradient),),
            backward=site,
        )

    def _written(self, tensor: Any) -> Any:
        inventory = self.recorder.inventory
        described = inventory.describe(tensor)
        statement = inventory.writes.statement_writing(described.name.rpartition(".")[2])
        return msgspec.structs.replace(described, written=described.written or statement)

    def _bound(self, recorded: _Recorded, where: list[bindings.Scope]) -> list[Any] | None:
        found = []
        for number, (external, name) in enumerate(zip(recorded.template.externals, recorded.names, strict=True)):
            tensor: Any = recorded.nameless.get(number)
            if isinstance(name, bindings.Name):
                tensor = bindings.lookup(name, where)
            elif isinstance(name, bindings.Expression):
                tensor = bindings.compute(name, where)
            if tensor is None:
                tensor = external.constant if external.constant is not None else external.living()
            if tensor is None:
                fitting = {key_of(one): one for _, one in bindings.tensors(where) if external.is_like(one)}
                tensor = next(iter(fitting.values())) if len(fitting) == 1 else None
            if tensor is None or not external.is_like(tensor):
                return None
            found.append(tensor)
        return found

    def _fits(self, recorded: _Recorded, outcome: nonfinite.Outcome, broken: dict[int, bool]) -> bool:
        """Gradients that the template breaks must be broken, and one of them at least is the optimizer's."""
        seen = [
            broken[recorded.template.externals[number].storage]
            for number in outcome.leaves
            if recorded.template.externals[number].storage in broken
        ]
        return bool(seen) and all(seen)

    def _event(
        self, recorded: _Recorded, tensors: list[Any], origin: nonfinite.Origin, exact: bool, outcome: nonfinite.Outcome
    ) -> NonfiniteOrigin:
        template, recorder = recorded.template, self.recorder
        kind, name, made, parameter = origin.kind, "", None, None
        if kind == "outside":
            external = template.externals[origin.external]
            kind, name, found = self._outside(external, recorded.names[origin.external])
            if kind == "parameter":
                parameter = found
            elif kind == "buffer":
                made = found
            if kind == "batch":
                variable = recorded.names[origin.external]
                made = self._made(template, external, variable)
            operands = (_described(tensors[origin.external]),)
        else:
            with torch.no_grad():
                given = template.operands(origin.operation, template.aliases(tensors))
            operands = tuple(_described(tensor) for tensor in given[:MOST_OPERANDS])
        batch = [
            tensor.shape[0]
            for external, tensor in zip(template.externals, tensors, strict=True)
            if not is_parameter(external) and tensor.dim()
        ]
        named = origin.rows if origin.of_rows in batch else ()
        size = template.inputs[0][2][0] if template.inputs and template.inputs[0] and template.inputs[0][2] else origin.of_rows
        smallest = counterfactual.fewest_samples(template, tensors, origin, size) if size > 1 and kind in _OF_SAMPLES else ()
        grown = self._grown(recorded, tensors, origin)
        return NonfiniteOrigin(
            step=recorder.watch.steps,
            site=template.entry if kind == "batch" and template.externals[origin.external].key in template.inputs else None,
            kind=kind,
            operation=recorded.operations[origin.operation] if origin.operation >= 0 else None,
            meant=recorded.operations[origin.meant].site if origin.meant >= 0 else None,
            operands=operands,
            share=origin.share,
            rows=named[:MOST_ROWS],
            num_rows=len(named),
            of_rows=origin.of_rows if named else 0,
            smallest=smallest[:MOST_ROWS] if len(smallest) <= MOST_ROWS else (),
            cured=counterfactual.is_cured(template, tensors, origin),
            grown=grown,
            name=name,
            made=made,
            parameter=parameter,
            hidden=origin.hidden,
            exact=exact,
            random=template.is_random,
            recorded=recorded.step,
            backward=recorded.site,
        )

    def _grown(self, recorded: _Recorded, tensors: list[Any], origin: nonfinite.Origin) -> Grown | None:
        if origin.kind != "forward" or origin.meant >= 0:
            return None
        found = counterfactual.grown_at(recorded.template, tensors, origin.operation)
        if found is None:
            return None
        place, before, after = found
        if isinstance(place, Made):
            operation = recorded.operations[place.operation]
            return Grown(name=operation.name, site=operation.site, before=before, after=after)
        kind, name, description = self._outside(recorded.template.externals[place.number], recorded.names[place.number])
        return Grown(name=name, kind=kind, site=description.made if kind == "parameter" and description is not None else None, after=after)

    def _outside(self, external: External, name: Any) -> tuple[str, str, Any]:
        """Returns what kind of thing came from outside, its name, and a description of a parameter or where a buffer was registered."""
        recorder = self.recorder
        if is_parameter(external):
            owned = (tensor for record in recorder.optimizers.living() for tensor in record.parameters())
            frozen = (tensor for root in list(recorder.inventory.entered) for tensor in root.parameters())
            for tensor in chain(owned, frozen):
                if storage_of(tensor) == external.storage:
                    described = self._written(tensor)
                    return "parameter", described.name, described
            return "parameter", "", None
        for root in list(recorder.inventory.entered):
            for owner in root.modules():
                for own, buffer in owner.named_buffers(recurse=False):
                    if storage_of(buffer) == external.storage:
                        return (
                            "buffer",
                            ".".join(part for part in (recorder.inventory.path_of(owner), own) if part),
                            _registration(owner, own),
                        )
        return "batch", str(name) if name is not None else "", None

    def _made(self, template: Template, external: External, name: Any) -> Place:
        if external.subject == "batch" or not isinstance(name, bindings.Name) or name.keys:
            return None
        place, value = bindings.assignment_before(template.entry, name.name)
        return place if value is not None and bindings.is_computed(value) else None


def _same_loss(recorded: _Recorded, outcome: nonfinite.Outcome, where: list[bindings.Scope]) -> bool | None:
    if recorded.loss is None:
        return None
    held = bindings.lookup(recorded.loss, where)
    if held is None or held.shape != outcome.loss.shape or held.dtype != outcome.loss.dtype:
        return None
    return bool(torch.equal(torch.nan_to_num(held.detach(), nan=-12345.0), torch.nan_to_num(outcome.loss, nan=-12345.0)))


def _described(tensor: Any) -> Operand:
    values = tensor.detach()
    floating = values.is_floating_point()
    finite = values[torch.isfinite(values)].double() if floating else values.reshape(-1)[:0]
    return Operand(
        shape=tuple(values.shape),
        dtype=dtype_name(values),
        minimum=float(finite.min()) if finite.numel() else None,
        maximum=float(finite.max()) if finite.numel() else None,
        zeros=int((finite == 0).sum()),
        nan=int(torch.isnan(values).sum()) if floating else 0,
        inf=int(torch.isinf(values).sum()) if floating else 0,
        size=values.numel(),
    )


def _shapes(inputs: tuple[tuple[Any, ...], ...]) -> list[Any]:
    return [key[2] if key else None for key in inputs]


def _registration(owner: Any, name: str) -> Place:
    """Returns where a module of the program's registers a buffer."""
    if not is_users(getattr(sys.modules.get(type(owner).__module__), "__file__", None) or "<"):
        return None

    def registers(node: ast.AST) -> bool:
        call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "register_buffer" and node.args
        return bool(call) and isinstance(node.args[0], ast.Constant) and node.args[0].value == name  # pyright: ignore[reportAttributeAccessIssue]

    return in_definition(type(owner), registers)
