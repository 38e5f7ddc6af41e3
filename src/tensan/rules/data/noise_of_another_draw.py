"""DAT132: the noise that a model is to predict is another draw than the one that its input was mixed with."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tensan.core.events.targets import NoisePredicted
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence

#: Steps that must have been seen.
_LEAST_STEPS = 2
#: How many times as far as chance an input may follow a noise that is not in it.
_BY_CHANCE = 4.5
#: More than chance may leave in a small batch would hide a noise that is there.
_MOST_RELATED = 0.25


class NoiseOfAnotherDraw(Rule):
    """
    ## What it does

    Finds denoising and diffusion models whose loss compares with noise that was drawn for it, while the input of the model was mixed with
    noise of another draw.

    ## Why is this bad?

    Nothing in the input tells of the noise that is asked for. The best that the model can do is to predict zero, so the loss comes to rest
    near one, where that of a right program often lies in the beginning, and what is sampled is no better than noise.

    ## Example

    ```python
    noise = torch.randn_like(x0)
    x_t = q_sample(x0, t)                       # draws noise of its own
    loss = F.mse_loss(model(x_t, t), noise)
    ```

    ## Use instead

    ```python
    noise = torch.randn_like(x0)
    x_t = q_sample(x0, t, noise)
    loss = F.mse_loss(model(x_t, t), noise)
    ```

    ## Known problems

    Where noise and input are made before the model runs, they are compared by their values, and the data that was mixed must still be in
    reach of the program; a model that is given arrays by keyword is passed over.
    """

    code = "DAT132"
    name = "noise-of-another-draw"
    category = Category.CORRECTNESS
    law = 6
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._evidence: dict[Place, Evidence[NoisePredicted]] = {}

    def on_noise_predicted(self, event: NoisePredicted) -> Iterator[Finding]:
        self.armed = True
        evidence = self._evidence.setdefault(event.site, Evidence(_LEAST_STEPS))
        if event.drawn is None or not event.mixed or event.related > _limit(event):
            evidence.refute()
            return
        for seen in evidence.add(event):
            yield self._finding(seen)

    def _finding(self, event: NoisePredicted) -> Finding:
        called = f"`{event.name}`" if event.name else "the noise"
        seen = (
            "of the two draws one leads to the prediction and the other to the target alone"
            if event.exact
            else f"in each of {_LEAST_STEPS} steps {event.num_values} values of input and noise were no more alike than by chance "
            f"({event.related:.3f}), and data and input were ({event.mixed:.2f})"
        )
        return self.finding(
            f"the model is to predict {called}, and its input was mixed with noise of another draw",
            at=event.site,
            event=event,
            label="compares with noise that is not in the input",
            evidence={"related": round(event.related, 4), "values": event.num_values},
            related=[("it is drawn here", event.drawn), ("and this draw is in the input", event.other)],
            proof=Proof.LAW if event.exact else Proof.STATISTIC,
            proof_note=seen,
            help="draw once, and hand the same noise to what mixes the input and to the loss",
        )


def _limit(event: NoisePredicted) -> float:
    """Returns how closely an input may follow noise that is not in it."""
    return 0.5 if event.exact else min(_BY_CHANCE / math.sqrt(max(event.num_values, 1)), _MOST_RELATED)
