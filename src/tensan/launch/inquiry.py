"""`kill -USR1`: a long run says where it stands, without stopping."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

from tensan.launch import children


def answer_signal(text: Callable[[], str]) -> None:
    """Prints a text to stderr at each SIGUSR1, if nobody else listens to it.

    Bare python would die by that signal; nothing else differs. Under Slurm it is left alone: libraries that requeue a job
    at SIGUSR1 look whether it is free.
    """
    number = getattr(signal, "SIGUSR1", None)
    if number is None or "SLURM_JOB_ID" in os.environ or threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(number) is not signal.SIG_DFL:
        return
    process = os.getpid()

    def tell(_number: int, _frame: object) -> None:
        if os.getpid() != process:  # forked before the callback below could run
            return
        try:
            # Not sys.stderr: the signal may have come in the middle of a write to it.
            os.write(2, f"\n{text()}".encode("utf-8", "backslashreplace"))
        except Exception:  # noqa: BLE001 - raised here it would come up in the midst of the script
            return

    def forget() -> None:
        if signal.getsignal(number) is tell:
            signal.signal(number, signal.SIG_DFL)

    signal.signal(number, tell)
    children.after_fork(forget)
