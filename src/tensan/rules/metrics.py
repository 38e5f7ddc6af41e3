"""What a metric is called, and which way it is to go."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FALLS = frozenset({"loss", "losses", "err", "error", "mse", "mae", "rmse", "ppl", "perplexity", "nll", "ce", "bce", "wer", "cer"})
_RISES = frozenset(
    {"acc", "accuracy", "accuracies", "auc", "auroc", "f1", "iou", "miou", "dice", "bleu", "psnr", "ssim", "precision", "recall"}
)
#: Words and signs that turn a metric round.
_TURNS = frozenset({"neg", "negative", "minus", "inv", "inverse"})


def words_in(text: str) -> set[str]:
    """Returns the words that a name or an expression is made of, in small letters."""
    parts = re.split(r"[^A-Za-z0-9]+|_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text))
    return {part.lower() for part in parts if part}


def way_of(name: str) -> str:
    """Returns which way a metric is to go by its name: `min`, `max`, or nothing where that is not plain."""
    words = words_in(name)
    # An index such as [-1] turns nothing round.
    if "-" in re.sub(r"\[[^\]]*\]", "", name) or words & _TURNS:
        return ""
    falls, rises = bool(words & _FALLS), bool(words & _RISES)
    return "" if falls == rises else "min" if falls else "max"


def trend(values: Sequence[float]) -> float:
    """Returns, of all pairs of values, the share that rises less the share that falls."""
    few = values if len(values) <= 128 else [values[index * len(values) // 128] for index in range(128)]
    signs = [(later > earlier) - (later < earlier) for index, earlier in enumerate(few) for later in few[index + 1 :]]
    return sum(signs) / max(len(signs), 1)
