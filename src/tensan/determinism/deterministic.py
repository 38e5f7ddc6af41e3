"""All seeds and switches in one call: what `tensan.deterministic` does."""

from __future__ import annotations

import os
import warnings
from types import FrameType

import msgspec

from tensan.core.replay_token import Token
from tensan.core.watch import current
from tensan.determinism import environment
from tensan.determinism.generators import MOST, seed_loaded
from tensan.determinism.lateness import lateness
from tensan.determinism.replaying import token_of
from tensan.determinism.run_seed import set_run_seed
from tensan.determinism.switches import switch


class CalledLate(UserWarning):
    """Determinism was asked for after the program had done something without it."""


def deterministic(seed: int | str | None, *, warn_only: bool, frame: FrameType) -> str:
    """Seeds and switches.

    Args:
        seed: a number, a token, or None.
        warn_only: whether an operation without a deterministic form warns.
        frame: of whoever calls.
    """
    watch = current()
    asked = watch.settings.replay if watch is not None else None
    if asked is not None:
        token = token_of(asked, where="replay")
    elif isinstance(seed, str):
        token = token_of(seed, where="tensan.deterministic: seed")
    else:
        token = Token(seed=_checked(seed), switches="warn" if warn_only else "strict")
    began = Token(seed=token.seed, switches=token.switches, hash=environment.hash_seed())
    for what in list(lateness(frame)):
        text = f"tensan.deterministic was called late: {what}, before it; what was done until then owes nothing to the seed"
        if watch is not None:
            watch.note(f"TEN003: {text}")
        else:
            warnings.warn(text, CalledLate, stacklevel=3)
    switch(warn_only=token.switches == "warn", threads=token.threads)
    set_run_seed(token.seed)
    seed_loaded(token.seed)
    if watch is not None:
        watch.began = lambda: _completed(began)
    return str(_completed(began))


def _completed(began: Token) -> Token:
    """Adds what is known only once the libraries are imported."""
    return msgspec.structs.replace(began, threads=environment.threads(), versions=environment.versions())


def _checked(seed: int | None) -> int:
    if seed is None:
        return int.from_bytes(os.urandom(4))
    if type(seed) is not int or not 0 <= seed <= MOST:
        raise ValueError(f"tensan.deterministic: seed: expected a number from 0 to {MOST}, a token or None, got {seed!r}")
    return seed
