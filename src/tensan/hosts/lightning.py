"""Lightning: `TENSAN=1 python train.py` watches from the first `Trainer` to the end of the process, with no change to the code.

Lightning asks each installed package for callbacks when a `Trainer` is made. It gets none from us, since hooks in PyTorch see
what a callback would: nothing is added to the trainer, to its checkpoints or to its log. Under `tensan run` the process is watched already.
"""

from __future__ import annotations

from typing import Any

from tensan.hosts.door import begin, is_asked


def callbacks() -> list[Any]:
    """Begins a watch where `TENSAN=1` asks for one; its report comes at the end of the process."""
    if is_asked():
        begin()
    return []
