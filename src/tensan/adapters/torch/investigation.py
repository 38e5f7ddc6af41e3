"""Locates the first non-finite value of a step that nobody recorded: the last recorded step is played on this step's own values.

Called when a gradient is found broken and the weights are still untouched. The template of an earlier step says what the program does; the
names in the running frames say what its batch is now. Whether both fit is not assumed but checked: the gradients that come out broken
must be those that are, and where the program still holds the loss, it must come back bit for bit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch import bindings, nonfinite
from tensan.adapters.torch.inventory import dtype_name
from tensan.adapters.torch.template import MOST_COPIED, External, Template, is_parameter
from tensan.adapters.torch.trace import key_of, storage_of
from tensan.core.events import NonfiniteOrigin, Operand, Operation
from tensan.core.sites import Place

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder
    from tensan.adapters.torch.trace import Trace

#: Templates that are kept, one for each place from which a backward is called.
MOST_TEMPLATES = 6
#: Operations whose inputs are told.
MOST_OPERANDS = 3


class _Recorded:
    """A template, what was recorded beside it, and what the program calls its tensors."""

    def __init__(self, *, template: Template, operations: tuple[Operation, ...], step: int, site: Place) -> None:
        self.template, self.operations, self.step, self.site = template, operations, step, site
        self.names: list[bindings.Name | bindings.Expression | None] = []
        self.loss: bindings.Name | None = None
        #: What the program has no name for, such as a noised input, kept alive until the step is done.
        self.nameless: dict[int, Any] = {}


class Investigation:
    """What is kept of recorded steps, to be played when something is wrong."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._recorded: dict[Any, _Recorded] = {}

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
        template.end(trace.producer_of(loss), key_of(loss))
        if template.why_not or template.loss is None:
            return
        recorded = _Recorded(template=template, operations=tuple(trace.operations), step=self.recorder.watch.steps, site=site)
        wanted = {external.key: external for external in template.externals if not is_parameter(external)}
        wanted[key_of(loss)] = None  # pyright: ignore[reportArgumentType]
        with bindings.scopes() as where:
            found = bindings.search(wanted, key_of, where)
            recorded.loss = found.get(key_of(loss))
            for external in template.externals:
                name: Any = found.get(external.key)
                if name is None and external.key in template.inputs:
                    name = bindings.argument(template.entry, template.inputs.index(external.key))
                recorded.names.append(name)
        for number, (external, name) in enumerate(zip(template.externals, recorded.names, strict=True)):
            if not isinstance(name, bindings.Name) and not is_parameter(external) and math.prod(external.shape) <= MOST_COPIED:
                recorded.nameless[number] = external.living()
        key = site
        self._recorded.pop(key, None)
        while len(self._recorded) >= MOST_TEMPLATES:
            del self._recorded[next(iter(self._recorded))]
        self._recorded[key] = recorded

    def step_done(self) -> None:
        """A step that was looked at has ended."""
        for recorded in self._recorded.values():
            recorded.nameless.clear()

    def locate(self, record: OptimizerRecord) -> NonfiniteOrigin | None:
        """Plays the recorded steps on what the program holds now; returns the first that breaks the very gradients that are broken."""
        broken: dict[int, bool] = {}
        why_not = ""
        for tensor in record.parameters():
            if tensor.grad is not None and not tensor.grad.is_sparse:
                broken[storage_of(tensor)] = not bool(torch.isfinite(tensor.grad).all())
        with bindings.scopes() as where, torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False):
            for recorded in reversed(self._recorded.values()):
                tensors = self._bound(recorded, where)
                if tensors is None:
                    continue
                devices = sorted({tensor.device.index or 0 for tensor in tensors if tensor.is_cuda})
                try:
                    with torch.random.fork_rng(devices=devices), torch.enable_grad():
                        outcome = nonfinite.run(recorded.template, tensors)
                        origin = outcome.origin
                        if origin is None or not self._fits(recorded, outcome, broken):
                            continue
                        exact = _same_loss(recorded, outcome, where)
                        if exact is False and not recorded.template.is_random:
                            continue
                        return self._event(recorded, tensors, origin, bool(exact), outcome)
                except (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError) as error:
                    why_not = str(error).partition("\n")[0][
                        :60
                    ]  # other shapes than on the template, or an operation that cannot be run again
        if why_not:
            self.recorder.watch.not_checked(f"which operation broke a gradient (running the recorded step again: {why_not})")
        return None

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
            kind, name, parameter = self._outside(external, recorded.names[origin.external])
            if kind == "batch":
                variable = recorded.names[origin.external]
                made = self._made(template, external, variable)
            operands = (_described(tensors[origin.external]),)
        else:
            with torch.no_grad():
                given = template.operands(origin.operation, template.aliases(tensors))
            operands = tuple(_described(tensor) for tensor in given[:MOST_OPERANDS])
        batch = {
            tensor.shape[0]
            for external, tensor in zip(template.externals, tensors, strict=True)
            if not is_parameter(external) and tensor.dim()
        }
        return NonfiniteOrigin(
            step=recorder.watch.steps,
            site=template.entry if kind == "batch" and template.externals[origin.external].key in template.inputs else None,
            kind=kind,
            operation=recorded.operations[origin.operation] if origin.operation >= 0 else None,
            meant=recorded.operations[origin.meant].site if origin.meant >= 0 else None,
            operands=operands,
            share=origin.share,
            rows=origin.rows if origin.of_rows in batch else (),
            num_rows=origin.num_rows if origin.of_rows in batch else 0,
            of_rows=origin.of_rows if origin.of_rows in batch else 0,
            name=name,
            made=made,
            parameter=parameter,
            hidden=origin.hidden,
            exact=exact,
            random=template.is_random,
            recorded=recorded.step,
            backward=recorded.site,
        )

    def _outside(self, external: External, name: Any) -> tuple[str, str, Any]:
        recorder = self.recorder
        if is_parameter(external):
            for record in recorder.living_optimizers():
                for tensor in record.parameters():
                    if storage_of(tensor) == external.storage:
                        described = recorder.inventory.describe(tensor)
                        return "parameter", described.name, described
            return "parameter", "", None
        for root in list(recorder.inventory.entered):
            for path, buffer in root.named_buffers():
                if storage_of(buffer) == external.storage:
                    return "buffer", path, None
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
