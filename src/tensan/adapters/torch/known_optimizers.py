"""The optimizers of a run, each with what is known of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch.heard import heard
from tensan.adapters.torch.optimizers import OptimizerRecord
from tensan.core.events.training import OptimizerBuilt
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder


class KnownOptimizers:
    """The optimizers of a run.

    Attributes:
        by_id: what is known of each, by the identity of the optimizer, which may be gone.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.by_id: dict[int, OptimizerRecord] = {}
        self._count = 0

    @heard
    def built(self, optimizer: Any) -> None:
        """An optimizer's constructor, or `add_param_group`, has returned."""
        recorder = self.recorder
        record = self._known(optimizer) or self._add(optimizer, here(3))
        self._own(record)
        recorder.apart(recorder.rates_of_groups.built, record)
        recorder.row_memory.forget()
        recorder.inventory.notes_frozen()
        recorder.attention.rare_event("optimizer")
        recorder.forwards.adjust()
        if recorder.watch.wants(OptimizerBuilt):
            recorder.watch.emit(
                OptimizerBuilt(
                    step=recorder.watch.steps,
                    site=here(3),
                    optimizer=record.event(),
                    parameters=tuple(recorder.inventory.describe(tensor) for tensor in record.parameters()),
                    decays=tuple(record.decays()),
                )
            )

    def record_of(self, optimizer: Any) -> OptimizerRecord:
        """Returns what is known of an optimizer, which may have been built before we came."""
        record = self._known(optimizer) or self._handed_on_by(optimizer)
        if record is None:
            record = self._add(optimizer, None)
            self._own(record)
        return record

    def _handed_on_by(self, optimizer: Any) -> OptimizerRecord | None:
        """Returns the optimizer whose very groups a wrapper hands on, as Accelerate's does: the two are one."""
        groups = getattr(optimizer, "param_groups", None)
        return next((known for known in self.living() if getattr(known.reference(), "param_groups", None) is groups), None)

    def _known(self, optimizer: Any) -> OptimizerRecord | None:
        record = self.by_id.get(id(optimizer))
        return record if record is not None and record.reference() is optimizer else None

    def _add(self, optimizer: Any, made: Place) -> OptimizerRecord:
        recorder = self.recorder
        self._count += 1
        record = OptimizerRecord(id=f"optimizer:{self._count}", optimizer=optimizer, born=recorder.inventory.tick(), made=made)
        self.by_id[id(optimizer)] = record
        if recorder.guard is not None:
            recorder.guard.adopt(record)
        return record

    def _own(self, record: OptimizerRecord) -> None:
        recorder = self.recorder
        identifiers = set()
        for tensor in record.owned():
            if hasattr(tensor, "_local_tensor"):
                # Reading a sharded tensor is a collective, and ranks look at different steps: it could hang.
                recorder.watch.not_checked("PyTorch (its parameters are sharded)")
                recorder.withdraw()
                return
            known = recorder.inventory.known(tensor)
            if record.id not in known.owners:
                known.owners = (*known.owners, record.id)
            identifiers.add(id(tensor))
        record.parameter_ids = frozenset(identifiers)
        recorder.inventory.generation += 1

    def living(self) -> Iterable[OptimizerRecord]:
        """Yields the optimizers that still exist."""
        return (record for record in self.by_id.values() if record.reference() is not None)
