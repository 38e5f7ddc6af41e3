"""Parameters that a step with finite gradients has broken, or that never were finite."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tensan.core.events.numerics import NonfiniteParameter
from tensan.core.events.things import Parameter, typed
from tensan.core.events.training import Measured
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.stats import Of, Reduction, Stat

_NONFINITE = Stat(Reduction.NONFINITE_SHARE, Of.GRADIENT)


class ParametersBrokenByStep(Rule):
    """
    ## What it does
    Finds parameters that hold NaN or Inf after an optimizer step whose gradients were all finite, and parameters that were not finite
    before the first step.

    ## Why is this bad?
    The loss, the model and the data are innocent, so every search there is in vain. Most often it is Adam on float16 weights: its
    `eps=1e-8` is 0 in float16, and a value whose gradient has been 0 so far is updated by 0 / 0. The other ways are a rate that has run
    away, a statement of the program's own that writes to a weight, and memory from `torch.empty` that nobody has written to.

    ## Example
    ```python
    model.half()
    optimizer = torch.optim.Adam(model.parameters())     # eps=1e-8
    ```

    ## Use instead
    ```python
    with torch.autocast("cuda"):                         # float32 weights, float16 operations
        loss = ...
    optimizer = torch.optim.Adam(model.parameters(), eps=1e-4)   # where the weights must be float16
    ```

    ## Known problems
    Where not every step's gradients are tested (long runs with very short steps), the step before may have had a broken gradient; then
    nothing is said here, and `non-finite-gradient` tells what is known.
    """

    code = "NUM102"
    name = "parameters-broken-by-step"
    category = Category.CORRECTNESS
    law = 14
    needs = (_NONFINITE,)
    effect = "non-finite"
    explains = frozenset({"non-finite", "no-update", "no-gradient", "wrong-gradient"})

    def on_measured(self, measured: Measured) -> Iterator[Finding]:
        self.armed = self.armed or (measured.stat == _NONFINITE and measured.step > 0)
        return iter(())

    def on_nonfinite_parameter(self, broken: NonfiniteParameter) -> Iterator[Finding]:
        first = broken.parameters[0]
        names = _names(broken.parameters)
        kind = broken.optimizer.kind
        if broken.never_finite:
            yield self.finding(
                f"{names} {_is(broken.parameters)} not finite before the first step",
                at=first.made,
                event=broken,
                label=f"{typed(first.dtype, first.shape)} holds NaN or Inf",
                proof_note="no step has been made yet, so these are the values that it was given",
                help="fill it (`nn.init`, `torch.zeros`): `torch.empty` and `torch.Tensor(n, m)` give whatever the memory held",
                subjects={"*"},
            )
            return
        label, note, help = "finite gradients go into this step", "", "look at the rate and at what the step divides by"
        if broken.finite_at >= 0:
            note = f"; after {broken.finite_at} step{'' if broken.finite_at == 1 else 's'} {names} {_was(broken.parameters)} finite"
        message = f"{kind} makes {names} NaN or Inf out of finite gradients"
        at = broken.divides or broken.taken or broken.optimizer.made
        if broken.eps is not None and broken.rounded == 0 and broken.zero_moments:
            at = broken.optimizer.made
            eps = f"eps={broken.eps:g}"
            label = f"{eps} is 0 in {first.dtype}" if broken.eps else f"{eps}: nothing keeps the denominator from 0"
            note += f", and {broken.zero_moments:.0%} of the broken values have had no gradient but 0, so that their update is 0 / 0"
            help = (
                "keep the weights in float32 and compute under `torch.autocast`, or give an `eps` that float16 can hold (`eps=1e-4`)"
                if broken.eps
                else "leave `eps` at its default, or give a small positive one"
            )
        elif any(not math.isfinite(rate) or abs(rate) > _RUNAWAY for rate in broken.rates):
            label = f"the learning rate is {max(broken.rates, key=abs):.3g}"
            help = "look at what sets the learning rate"
        elif broken.centered:
            at, label = broken.optimizer.made or at, "centered: the root of `square_avg - grad_avg²`, which rounding takes to 0 and below"
            help = "leave `centered` off, or give an `eps` that is larger than the rounding (`eps=1e-6`)"
        elif broken.innocent:
            # The rate is a number and nothing is divided by zero: somebody else has written to it, between two steps.
            message = f"{names} {_is(broken.parameters)} NaN or Inf though all gradients were finite, and {kind} cannot have done it"
            note += f"; {kind} with this rate and `eps` makes finite values of finite gradients"
            at, label = broken.written or at, f"writes to `{first.name}`" if broken.written is not None else "finite before this step"
            help = "look at what else writes to it: a statement of the program, a loaded state, or another optimizer"
        elif broken.divides is not None:
            label, help = "the step divides here", "keep what the step divides by away from zero (`+ eps`, `clamp_min`)"
        yield self.finding(
            message,
            at=at,
            event=broken,
            label=label,
            evidence={"eps": broken.eps, "eps_rounded": broken.rounded, "rates": list(broken.rates)},
            related=[("stepped here", broken.taken if at is not broken.taken else None)],
            proof_note=f"no gradient that was tested was broken, those of the step before among them{note}",
            help=help,
            subjects={"*"},
        )


#: A rate above this is nobody's intention.
_RUNAWAY = 1e4


def _names(parameters: Sequence[Parameter]) -> str:
    names = ", ".join(f"`{parameter.name}`" for parameter in parameters[:2])
    return names + (" and others" if len(parameters) > 2 else "")


def _was(parameters: Sequence[Parameter]) -> str:
    return "was" if len(parameters) == 1 else "were"


def _is(parameters: Sequence[Parameter]) -> str:
    return "is" if len(parameters) == 1 else "are"
