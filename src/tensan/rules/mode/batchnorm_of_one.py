"""MOD104: batch normalisation is trained on batches of one sample."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.events.evaluation import Evaluation
from tensan.core.events.layers import BatchStatistics
from tensan.core.events.run import RunEnd
from tensan.core.events.training import Backward, ModeChange
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import counted

_LEAST_BATCHES = 8
_LEAST_SHARE = 0.9
#: Up to so many values per channel the statistics of one sample are mere noise, whatever the model is used for later.
_FEW_VALUES = 256


class _Layer(msgspec.Struct):
    """What one module was given."""

    first: BatchStatistics
    batches: int = 0
    of_one: int = 0


class BatchnormOfOne(Rule):
    """
    ## What it does

    Finds batch normalisation that is trained on batches of one sample.

    ## Why is this bad?

    Each sample is then normalised by its own mean and variance, which takes its overall level and contrast out of the
    features. In eval mode the running averages stand in their place: the model is used on features it has never seen.

    ## Example

    ```python
    loader = DataLoader(dataset, batch_size=1, shuffle=True)
    model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
    ```

    ## Use instead

    ```python
    loader = DataLoader(dataset, batch_size=1, shuffle=True)
    model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.GroupNorm(2, 8), nn.ReLU())
    ```

    ## Known problems

    Over large images, it is silent where the model never goes to eval mode, since batches of one are then normalised alike
    everywhere, as some image translation models do on purpose. Normalisation over several processes is not looked at.
    """

    code = "MOD104"
    name = "batchnorm-of-one"
    category = Category.SUSPICIOUS
    law = 4
    effect = "wrong-mode"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._layers: dict[str, _Layer] = {}
        self._roots: dict[str, str] = {}
        self._in_eval: set[str] = set()

    def on_batch_statistics(self, event: BatchStatistics) -> None:
        if event.kind.startswith("Sync"):
            return
        layer = self._layers.setdefault(event.module, _Layer(event))
        layer.batches += 1
        layer.of_one += event.batch_size == 1
        self.armed = self.armed or layer.batches >= _LEAST_BATCHES

    def on_backward(self, event: Backward) -> None:
        self._roots.update((mode.module, mode.root) for mode in event.modes)

    def on_mode_change(self, event: ModeChange) -> None:
        if not event.training:
            self._in_eval |= {event.module, event.root}

    def on_evaluation(self, event: Evaluation) -> None:
        for mode in event.modes:
            if not mode.training:
                self._in_eval |= {mode.module, mode.root}

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        by_root: dict[tuple[str, bool], list[_Layer]] = {}
        for module, layer in self._layers.items():
            root = self._roots.get(module, "")
            used_in_eval = bool(self._in_eval & {module, root}) if root else bool(self._in_eval)
            if layer.batches >= _LEAST_BATCHES and layer.of_one >= _LEAST_SHARE * layer.batches:
                by_root.setdefault((root, used_in_eval), []).append(layer)
        for (root, used_in_eval), layers in by_root.items():
            if used_in_eval or max(layer.first.num_values for layer in layers) <= _FEW_VALUES:
                yield self._finding(root, layers)

    def _finding(self, root: str, layers: list[_Layer]) -> Finding:
        first = layers[0].first
        number = counted(len(layers), f"{first.kind} layer")
        return self.finding(
            f"batch normalisation is trained on batches of one sample: {number}",
            at=first.made if first.made is not None else first.site,
            event=first,
            label="normalises each sample by its own statistics",
            evidence={
                "layers": [f"{layer.first.kind} {layer.first.name}" for layer in layers[:4]],
                "batches": layers[0].batches,
                "of one sample": layers[0].of_one,
                "values per channel": first.num_values,
            },
            related=[("it was given one sample here", first.site if first.made is not None else None)],
            proof=Proof.LAW,
            proof_note=f"{layers[0].of_one} of {layers[0].batches} batches held one sample: {first.num_values} values per channel",
            help="raise the batch size, or use `nn.GroupNorm` or `nn.InstanceNorm`, which treat a sample alike in both modes",
            subjects=[root, *(layer.first.module for layer in layers)],
        )
