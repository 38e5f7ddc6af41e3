"""OPT170: weight decay pulls the scales of normalisations and biases to zero along with the weight matrices."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.things import Parameter
from tensan.core.events.training import OptimizerBuilt
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import counted, listed


class DecayOnNorms(Rule):
    """
    ## What it does

    Finds optimizers that decay the scales and shifts of normalisation layers and the biases as strongly as the weight matrices.

    ## Why is this bad?

    Decay keeps matrices from fitting noise with large weights. A scale of a normalisation is meant to stay near 1 and a bias near
    wherever the data is: pulling them to zero restricts nothing and costs accuracy, more so the larger the decay and the longer the run.

    ## Example

    ```python
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)
    ```

    ## Use instead

    ```python
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=1e-3
    )
    ```

    ## Known problems

    A matter of taste in part: many published results were had with one decay for all. A model without normalisation is left in peace,
    and so are embeddings, which are matrices. A decay that the program changes after the optimizer was built is not seen.
    """

    code = "OPT170"
    name = "decay-on-norms"
    category = Category.PEDANTIC
    law = 1

    def on_optimizer_built(self, event: OptimizerBuilt) -> Iterator[Finding]:
        decays = zip(event.parameters, event.decays, strict=True)
        decayed = [parameter for parameter, decay in decays if decay > 0 and not parameter.was_frozen]
        if not any(len(parameter.shape) >= 2 for parameter in decayed):
            return
        self.armed = True
        norms = [parameter for parameter in decayed if _is_of_norm(parameter)]
        biases = [parameter for parameter in decayed if parameter.name.rpartition(".")[2] == "bias" and parameter not in norms]
        if norms:
            also = f", and {counted(len(biases), 'bias parameter')}" if biases else ""
            yield self.finding(
                f"weight decay pulls {counted(len(norms), 'parameter')} of normalisation layers to zero{also}",
                at=event.optimizer.made,
                event=event,
                label="decays all that it was given",
                evidence={"weight decay": event.optimizer.decay, "normalisation": len(norms), "bias": len(biases)},
                related=[(f"`{norms[0].module}` is made here", norms[0].made)],
                proof_note=f"{listed(parameter.name for parameter in norms)} have the decay of the weight matrices",
                help='give parameters with fewer than two axes a group of their own, with `"weight_decay": 0.0`',
                subjects=[event.optimizer.id],
            )


def _is_of_norm(parameter: Parameter) -> bool:
    return len(parameter.shape) < 2 and "Norm" in parameter.module.partition("(")[0]
