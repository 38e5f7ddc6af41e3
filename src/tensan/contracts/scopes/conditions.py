"""The conditions that `tensan.strict` is about: what frameworks pass over, or only warn of, though the result is not what was meant."""

from __future__ import annotations

import re
import sys
from typing import Any, NamedTuple


class Condition(NamedTuple):
    """One condition.

    Attributes:
        name: as it is named in a call.
        library: whose it is.
        means: what the framework does where nobody is strict.
        words: how its warning begins, a pattern; empty where the framework does not warn.
        category: class of its warning, by its path in the library; empty for any.
    """

    name: str
    library: str
    means: str
    words: str = ""
    category: str = ""

    @property
    def imported(self) -> bool:
        """Whether its library is there."""
        return self.library in sys.modules

    def kind(self) -> type[Warning]:
        """Returns the class of its warning."""
        found: Any = sys.modules[self.library] if self.category else Warning
        for part in filter(None, self.category.split(".")):
            found = getattr(found, part)
        return found

    def pattern(self) -> re.Pattern[str]:
        """Returns what its warnings begin with."""
        return re.compile(self.words, re.IGNORECASE | re.DOTALL)


#: By name, in the order of the table in the guide.
CONDITIONS = {
    each.name: each
    for each in (
        Condition("traced-value", "torch", "warns: a trace keeps a value of its example", ".", "jit.TracerWarning"),
        Condition(
            "loss-broadcast", "torch", "warns: prediction and target are broadcast to each other", "Using a target size .* different"
        ),
        Condition(
            "divided-by-features",
            "torch",
            "warns: `kl_div` divides by more than the batch",
            "reduction: 'mean' divides the total loss by both",
        ),
        Condition(
            "schedule-before-step",
            "torch",
            "warns: the first rate of a schedule is skipped",
            r"Detected call of `lr_scheduler\.step\(\)` before",
        ),
        Condition(
            "inner-gradient",
            "torch",
            "warns: `.grad` of a tensor that keeps none is read",
            r"The \.grad attribute of a Tensor that is not a leaf",
        ),
        Condition(
            "checkpoint-without-gradient",
            "torch",
            "warns: no gradient passes a checkpoint",
            "None of the inputs have requires_grad=True",
        ),
        Condition(
            "array-not-writable",
            "torch",
            "warns once in a process: a tensor writes to an array that is not to be written",
            "The given NumPy array is not writ",
        ),
        Condition(
            "imaginary-part-dropped",
            "torch",
            "warns once in a process: a complex value is made real",
            "Casting complex values to real discards",
        ),
        Condition(
            "nondeterministic-operation",
            "torch",
            "nothing: an operation may give another result each time",
            ".* does not have a deterministic implementation",
        ),
        Condition("undefined-gradient", "torch", "nothing: a step leaves parameters that have no gradient as they are"),
        Condition("floating-point", "numpy", "warns, once for each line: division by zero, overflow, invalid operation"),
        Condition("rank-promotion", "jax", "nothing: arrays of different ranks are broadcast"),
    )
}
