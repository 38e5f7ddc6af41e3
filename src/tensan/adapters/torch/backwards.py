"""Hears each backward, and tells the parts whose business it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch import graph
from tensan.adapters.torch.heard import heard
from tensan.core.events.source import Discarded, UnreadAttribute
from tensan.core.events.things import Parameter
from tensan.core.events.training import Backward, GradientsReplaced, Loss
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder
    from tensan.adapters.torch.trace import Trace

#: Backwards without any step after which each of them counts as one: the program updates its parameters by hand, or not at all.
MOST_STEPLESS = 128


class Backwards:
    """The backwards of a run.

    Attributes:
        count: of them.
        is_running: whether one runs now.
        last: where the last one that was looked at was asked for.
        is_scaled: whether the next one is of a loss that a scaler has scaled.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.count = 0
        self.is_running = False
        self.last: Place = None
        self.is_scaled = False
        self._is_first = True
        self._stepless = 0
        self._leaves_cache: tuple[tuple[int, ...], int, tuple[Parameter, ...]] | None = None

    @heard
    def before(self, tensors: Any) -> None:
        """A backward is about to run on one tensor or several."""
        recorder = self.recorder
        roots = [
            tensor for tensor in ((tensors,) if isinstance(tensors, torch.Tensor) else tuple(tensors)) if isinstance(tensor, torch.Tensor)
        ]
        if recorder.held_sums.is_open:
            recorder.apart(recorder.held_sums.close)
        trace = recorder.deep.close()
        recorder.forwards.is_between = True
        self.count += 1
        if recorder.skipped_batches.waiting:
            recorder.apart(recorder.skipped_batches.differentiated)
        if not recorder.attending:
            self.is_running = True
            return
        site = here(3)
        recorder.ran(site)
        self.last = site
        recorder.apart(recorder.figures.hear, recorder.figures.loss, roots, site)
        if recorder.diagrams.waiting:
            recorder.apart(recorder.diagrams.draw)
        if recorder.batch_generators.looks_left:
            recorder.apart(recorder.batch_generators.look)
        found, whole = graph.leaves(roots)
        is_leaf = all(tensor.grad_fn is None for tensor in roots)
        mixed_with: Place = None
        leaves = self._described(found, roots)
        reached = {id(tensor) for tensor in found}
        models = recorder.modes.roots_of(found)
        for record in recorder.optimizers.living():
            touched = not record.parameter_ids.isdisjoint(reached)
            unchanged = record.is_unchanged(record.after_step) if record.attended_last else None
            if unchanged is False:
                record.carried = False
            elif unchanged and touched:
                record.carried = True
            if touched:
                record.contributions.differentiates(record, site=site, reached=reached)
                mixed_with = mixed_with or record.mixed_with(reached, self.is_scaled)
                record.reached = (record.reached if record.backward_since_step else frozenset()) | (reached & record.parameter_ids)
                record.backward_since_step = True
                record.backward_site = site
                record.idle.reached(record)
                record.scaled = self.is_scaled
                record.discarded = None
        if recorder.host_seeding.pending:
            recorder.apart(recorder.host_seeding.trains)
        recorder.apart(recorder.kept_graphs.differentiated, roots, site)
        recorder.apart(recorder.gathered_tensors.differentiated, site)
        recorder.modes.seen_in_backward()
        recorder.loaders.learned_from()
        recorder.ties.check(reached)
        template = trace.template if trace is not None else None
        if trace is not None and len(roots) == 1:
            recorder.apart(recorder.investigation.recorded, trace, roots[0], site)
        if recorder.journal is not None:
            recorder.apart(recorder.journal.differentiates, roots, found, trace, template, site)
        if trace is not None:
            recorder.apart(self._listen_for_underflow, trace, roots, site)
        recorder.apart(recorder.states.loads.used)
        if recorder.watch.wants(UnreadAttribute):
            recorder.apart(recorder.attributes.look, models, reached)
        recorder.apart(recorder.repeats.tell)
        recorder.apart(recorder.spent_iterators.look)
        if recorder.module_hooks.waiting:
            recorder.apart(recorder.module_hooks.differentiated, reached)
        if recorder.watch.wants(Discarded):
            recorder.apart(recorder.discards.look)
            if trace is not None:
                recorder.apart(recorder.discards.read_trace, trace)
        if trace is not None and recorder.watch.wants(Loss):
            recorder.deep.tell(trace, roots[0], leaves=leaves if whole else (), found=found, is_leaf=is_leaf, site=site)
        if recorder.watch.wants(Backward):
            recorder.watch.emit(
                Backward(
                    step=recorder.watch.steps,
                    site=site,
                    leaves=leaves if whole else (),
                    modes=recorder.modes.behind(models),
                    scaled=self.is_scaled,
                    first_since_step=self._is_first,
                    is_leaf=is_leaf,
                    num_ties=recorder.ties.num_living(reached),
                    mixed_with=mixed_with,
                )
            )
        recorder.modes.trained(models)
        self.is_scaled = False
        recorder.investigation.accumulates = recorder.investigation.accumulates or not self._is_first
        self._is_first = False
        self.is_running = True

    def _listen_for_underflow(self, trace: Trace, roots: list[Any], site: Place) -> None:
        self.recorder.underflow.listen(trace, roots, site, scaled=self.is_scaled)

    @heard
    def after(self) -> None:
        """A backward has ended, well or not."""
        recorder = self.recorder
        self.is_running = False
        recorder.apart(recorder.underflow.tell)
        broken = recorder.statistics.broken_between()
        if broken is not None:
            recorder.apart(recorder.statistics.locate_between, broken)
        if not recorder.attending:
            return
        for record in recorder.optimizers.living():
            record.after_backward = record.sample() if record.backward_since_step else None
            if record.carried:
                # What accumulates from here on is still on top of what was never cleared.
                record.after_step = record.sample()
            if record.backward_since_step and recorder.watch.wants(GradientsReplaced):
                recorder.apart(recorder.replaced_gradients.differentiated, record)
        self._stepless += 1
        if self._stepless > MOST_STEPLESS:
            recorder.steps.counted()

    def _described(self, found: list[Any], roots: list[Any]) -> tuple[Parameter, ...]:
        recorder = self.recorder
        inventory = recorder.inventory
        if inventory.dirty:
            inventory._refresh()
        key = tuple(map(id, found))
        cached = self._leaves_cache
        if cached is not None and cached[0] == key and cached[1] == inventory.generation:
            return cached[2]
        unowned = False
        leaves = []
        for tensor in found:
            alone = not inventory.known(tensor).owners and not any(tensor is root for root in roots)
            unowned = unowned or alone
            leaves.append(inventory.describe(tensor, watch_values=alone and bool(recorder.optimizers.by_id)))
            recorder.syncs += alone and tensor.is_cuda
        result = tuple(leaves)
        self._leaves_cache = None if unowned else (key, inventory.generation, result)
        return result

    def stepped(self) -> None:
        """An optimizer has used what the backwards before it left."""
        self._is_first = True
        self._stepless = 0
