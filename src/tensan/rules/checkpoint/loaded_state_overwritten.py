"""CKP104: weights were loaded, and initialised anew before the model was used."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.state import StateLoaded, StateOverwritten
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule


class LoadedStateOverwritten(Rule):
    """
    ## What it does

    Finds models whose loaded weights are all initialised anew by `nn.init` before the model is used.

    ## Why is this bad?

    What was loaded is lost: most often an initialisation runs after the load, and training starts from random weights.

    ## Example

    ```python
    model.load_state_dict(torch.load("pretrained.pt"))
    model.apply(init_weights)
    ```

    ## Use instead

    ```python
    model.apply(init_weights)
    model.load_state_dict(torch.load("pretrained.pt"))
    ```

    ## Known problems

    Told only where not one of the loaded weight matrices is left: who initialises a head anew means it. Values that are
    overwritten by other means than `nn.init` are not seen.
    """

    code = "CKP104"
    name = "loaded-state-overwritten"
    category = Category.CORRECTNESS
    law = 12
    effect = "wrong-state"

    def on_state_loaded(self, event: StateLoaded) -> None:
        self.armed = self.armed or event.matched > 0

    def on_state_overwritten(self, event: StateOverwritten) -> Iterator[Finding]:
        writer = next((parameter.written for parameter in event.parameters if parameter.written is not None), None)
        first = event.parameters[0]
        yield self.finding(
            f"the weights that were loaded are initialised anew before the model is used: of {event.num_tensors} not one is left",
            at=writer if writer is not None else event.loaded,
            event=event,
            label=f"gives {first} new values" if writer is not None else "what is loaded here is gone before it is used",
            evidence={"matrices": event.num_tensors, "parameters": [parameter.name for parameter in event.parameters]},
            related=[("they were loaded here", event.loaded if writer is not None else None)],
            proof_note="`nn.init` has filled every loaded matrix since the load, and the model was not used in between",
            help="initialise first and load afterwards",
            subjects=[event.module, *(parameter.id for parameter in event.parameters)],
        )
