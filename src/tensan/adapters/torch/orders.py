"""Tells in which order a loader delivers its items, and whether a random order is the one of an earlier epoch."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import torch


class Order(NamedTuple):
    """The order of an epoch; `state` is equal for equal random orders, `owner` says what it was taken from."""

    kind: str = ""
    state: str = ""
    owner: str = ""


def order_of(loader: Any) -> Order:
    """Returns the order of the epoch that a loader is about to begin; nothing is drawn."""
    from torch.utils.data import DistributedSampler, RandomSampler, SequentialSampler, WeightedRandomSampler

    sampler = sampler_of(loader)
    if type(sampler) is SequentialSampler:
        return Order("sequential")
    if isinstance(sampler, DistributedSampler):
        # Its order is a function of these two alone.
        return Order("random", f"{sampler.seed}:{sampler.epoch}", "sampler") if sampler.shuffle else Order("sequential")
    if type(sampler) in (RandomSampler, WeightedRandomSampler):
        generator = sampler.generator
        # The loader itself draws from the same generator first, so equal states make equal orders.
        return Order("random", state_of(generator), "global" if generator is None else "generator")
    return Order()


def sampler_of(loader: Any) -> Any:
    """Returns what draws the indices of a loader; None where the program makes the batches of them itself."""
    from torch.utils.data import BatchSampler

    batches = getattr(loader, "batch_sampler", None)
    if batches is None:
        return getattr(loader, "sampler", None)
    return batches.sampler if type(batches) is BatchSampler else None


def state_of(generator: Any) -> str:
    """Returns a digest of a generator's state, of the global one for None."""
    state = torch.get_rng_state() if generator is None else generator.get_state()
    return hashlib.blake2b(state.numpy().tobytes(), digest_size=8).hexdigest()
