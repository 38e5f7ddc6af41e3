"""Transformers: a callback for a `Trainer` that is not run under `tensan run`.

`Trainer(..., callbacks=[TensanCallback()])` watches from here on and shows the report when training has ended.
"""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from tensan.hosts.door import begin


class TensanCallback(TrainerCallback):
    """Watches each training of a `Trainer`; does nothing where the process is watched already.

    Args:
        **settings: any of the settings of `tensan run`, such as `select=("OPT",)` or `overhead=2.0`.
    """

    def __init__(self, **settings: Any) -> None:
        self._settings = settings
        self._session = begin(**settings)  # now: what is built before training begins is seen as well

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._session is None:
            self._session = begin(**self._settings)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()
