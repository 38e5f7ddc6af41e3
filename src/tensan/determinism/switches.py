"""The switches that make operations deterministic: one result for one input, whatever runs beside it."""

from __future__ import annotations

import os
from typing import Any

#: Under each of these cuBLAS gives one result; it is read when CUDA is initialised.
WORKSPACE = "CUBLAS_WORKSPACE_CONFIG"
_WORKSPACES = (":4096:8", ":16:8")


def workspace_is_set() -> bool:
    """Tells whether cuBLAS is deterministic once CUDA is initialised."""
    return os.environ.get(WORKSPACE) in _WORKSPACES


def switch(*, warn_only: bool, threads: int = 0) -> None:
    """Sets the switches of what is there now, and of each other library as soon as it is imported.

    Args:
        warn_only: operations without a deterministic form warn instead of raising.
        threads: of torch's operations; 0 leaves them as they are.
    """
    from wrapt import register_post_import_hook  # which calls at once what is there already

    if not workspace_is_set():
        os.environ[WORKSPACE] = _WORKSPACES[0]
    os.environ.setdefault("PYTHONHASHSEED", "0")  # for processes that are started from now on; for this one it is too late

    def torch_is_there(torch: Any) -> None:
        torch.use_deterministic_algorithms(True, warn_only=warn_only)
        torch.backends.cudnn.deterministic = True
        torch.backends.cudnn.benchmark = False  # which would choose by time
        if threads:
            torch.set_num_threads(threads)

    def tensorflow_is_there(tensorflow: Any) -> None:
        tensorflow.config.experimental.enable_op_determinism()

    register_post_import_hook(torch_is_there, "torch")
    register_post_import_hook(tensorflow_is_there, "tensorflow")
