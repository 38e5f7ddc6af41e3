"""DAT102: inputs were put in another order and their labels were not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tensan.core.events.data import PairedBothWays, PairingTested
from tensan.core.events.run import RunEnd
from tensan.core.events.targets import TargetsEnterModel
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import resolved

#: Standard deviations: below the first, inputs tell nothing about labels; above the second, there is no doubt that they do.
_NOTHING = 4.0
_CERTAIN = 12.0
#: What a program calls labels that it mixes on purpose.
_CONTROL = re.compile(r"rand|shuf|scram|null|nois|corrupt|control|chance|fake|mixed", re.IGNORECASE)


class InputsPermutedWithoutLabels(Rule):
    """
    ## What it does

    Finds training data whose inputs were permuted and whose labels were not, or the other way round.

    ## Why is this bad?

    Each input is then paired with the label of some other. There is nothing to be learned but the share of each class: the loss
    falls a little by memorising and the accuracy on new data stays at chance.

    ## Example

    ```python
    perm = torch.randperm(len(X))
    X = X[perm]
    loader = DataLoader(TensorDataset(X, Y))
    ```

    ## Use instead

    ```python
    perm = torch.randperm(len(X))
    X, Y = X[perm], Y[perm]
    ```

    ## Known problems

    Two arrays are needed that the dataset stores, and inputs that tell of the label by their values alone or their squares. The
    finding is sure where the program still holds the permutation when the loader is made, so that it can be undone for a test.
    Where the same inputs are delivered with their own labels as well, as in a permutation test, the other pairs are meant.
    What goes into a model itself, as the second of two unpaired domains does, is no label.
    """

    code = "DAT102"
    name = "inputs-permuted-without-labels"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._tests: list[PairingTested] = []
        self._controls: set[str] = set()

    def on_pairing_tested(self, event: PairingTested) -> None:
        self.armed = True
        if event.before < _NOTHING and (event.after is None or event.after > _CERTAIN):
            self._tests.append(event)

    def on_paired_both_ways(self, event: PairedBothWays) -> None:
        self._controls.update(event.loaders)

    def on_targets_enter_model(self, event: TargetsEnterModel) -> None:
        self._controls.add(event.loader)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end, when it is known which loaders were trained on."""
        trained = {loader.id for loader in event.loaders if loader.trained}
        for test in self._tests:
            meant = _is_meant(test) or test.loader in self._controls
            if (test.loader in trained or not test.loader) and not meant:
                yield self._finding(test)

    def _finding(self, test: PairingTested) -> Finding:
        moved, kept = ("labels", "inputs") if test.side == "targets" else ("inputs", "labels")
        before = _shown(test.before)
        if test.after is None:
            return self.finding(
                f"`{test.name}` is shuffled by itself, and the inputs that are trained on tell nothing about their labels",
                at=test.site,
                event=test,
                label="nothing else is put in the same order",
                evidence={"before": round(test.before, 1), "rows": test.num_rows},
                proof=Proof.STATISTIC,
                proof_note=f"the {test.num_rows} inputs tell no more about their labels than random pairs do ({before})",
                help="put inputs and labels in the same order: `perm = torch.randperm(len(X)); X, Y = X[perm], Y[perm]`",
                subjects=[test.loader] if test.loader else (),
            )
        return self.finding(
            f"the {moved} are permuted by `{test.name}` and the {kept} are not, so that each input has another one's label",
            at=test.site,
            event=test,
            label=f"puts the {moved} alone in another order",
            evidence={"before": round(test.before, 1), "after": round(test.after, 1), "rows": test.num_rows},
            proof=Proof.INTERVENTION,
            proof_note=(
                f"as they are paired, inputs tell nothing about labels ({before}); "
                f"with `{test.name}` undone on the {moved} they do ({_shown(test.after)} over {test.num_rows} rows)"
            ),
            help=f"index both with it: `X, Y = X[{test.name}], Y[{test.name}]`",
            subjects=[test.loader] if test.loader else (),
        )


def _is_meant(test: PairingTested) -> bool:
    """Tells whether the labels were permuted on purpose, to see what a model makes of labels that mean nothing."""
    made = resolved(test.site)
    return test.side == "targets" and made is not None and _CONTROL.search(made.source.partition("=")[0] + test.name) is not None


def _shown(strength: float) -> str:
    return f"{strength:+.0f} standard deviations from random pairs"
