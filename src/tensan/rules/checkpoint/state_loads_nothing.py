"""CKP102: a state was loaded none of whose names the model knows, and `strict=False` kept quiet about it."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.base import Event
from tensan.core.events.evaluation import Evaluation
from tensan.core.events.run import RunEnd
from tensan.core.events.state import StateLoaded
from tensan.core.events.training import Backward
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import counted


class StateLoadsNothing(Rule):
    """
    ## What it does

    Finds calls of `load_state_dict(..., strict=False)` that load nothing because no name matches, or that load hardly anything
    because one side's names bear a prefix such as `module.`.

    ## Why is this bad?

    With `strict=False` names that find no partner are passed over in silence. The model keeps its random initial weights
    while the program believes that it is pretrained.

    ## Example

    ```python
    state = torch.load("pretrained.pt")            # saved from DistributedDataParallel
    model.load_state_dict(state, strict=False)     # "module.fc.weight" is not "fc.weight"
    ```

    ## Use instead

    ```python
    state = {name.removeprefix("module."): value for name, value in torch.load("pretrained.pt").items()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    ```

    ## Known problems

    Where a later call loads something into the same model before it is used, nothing is said.
    """

    code = "CKP102"
    name = "state-loads-nothing"
    category = Category.CORRECTNESS
    law = 12
    effect = "wrong-state"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._waiting: dict[str, StateLoaded] = {}

    def on_state_loaded(self, event: StateLoaded) -> None:
        self.armed = True
        if event.num_own == 0 or (event.strict and (event.missing or event.unexpected)):
            return  # a strict load of other names fails, and the program knows
        nothing = event.matched == 0
        hardly = event.would_match > event.matched and 2 * event.would_match >= event.matched + event.unexpected
        if nothing or hardly:
            self._waiting.setdefault(event.root, event)
        else:
            self._waiting.pop(event.root, None)

    def on_backward(self, event: Backward) -> Iterator[Finding]:
        return self._told(event)

    def on_evaluation(self, event: Evaluation) -> Iterator[Finding]:
        return self._told(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        return self._told(event)

    def _told(self, event: Event) -> Iterator[Finding]:
        waiting, self._waiting = self._waiting, {}
        for load in waiting.values():
            yield self._finding(load)

    def _finding(self, load: StateLoaded) -> Finding:
        names = load.matched + load.unexpected
        side = "the state's names bear" if load.prefixed == "state" else "the model's names bear"
        because = f": {side} the prefix `{load.prefix}`" if load.prefix else ""
        what = "nothing" if load.matched == 0 else f"{load.matched} of {names} entries"
        if names == 0:
            because = ": the state is empty"
        return self.finding(
            f"`load_state_dict(strict=False)` loads {what}{because}",
            at=load.site,
            event=load,
            label=f"{load.missing} of the model's {counted(load.num_own, 'tensor')} stay as they were initialised",
            evidence={
                "matched": load.matched,
                "unexpected": load.unexpected,
                "missing": load.missing,
                "prefix": load.prefix,
                "would match without it": load.would_match,
            },
            proof_note=f"of {counted(names, 'name')} in the state {load.matched} are among the {load.num_own} of the model"
            + (f"; without `{load.prefix}` {load.would_match} would be" if load.prefix else ""),
            help=_help(load),
            subjects=[load.module],
        )


def _help(load: StateLoaded) -> str:
    if load.prefix and load.prefixed == "state":
        return f'take the prefix off: `{{k.removeprefix("{load.prefix}"): v for k, v in state.items()}}`'
    if load.prefix:
        return f'put the prefix on: `{{"{load.prefix}" + k: v for k, v in state.items()}}`, or load into that part of the model'
    return "compare the names with `model.state_dict().keys()`, and look at the missing keys that the call returns"
