"""What a contract costs a call of three arrays, beside a bare call and beside jaxtyping with beartype: `python benchmarks/contracts.py`."""

# ruff: noqa: F722 - the axes in annotations of jaxtyping are no forward references

import importlib.util
import time

import torch

import tensan

ROUNDS, CALLS = 15, 20_000


def bare(x, y, mask):
    return x


def main():
    given = torch.zeros(4, 10, 8), torch.zeros(4, 10, 8), torch.zeros(4, 10, dtype=torch.bool)
    ours = tensan.contract("x: f32[B, T, D], y: f32[B, T, D], mask: bool[B, T]")(bare)
    kinds = {"bare": bare, "contract": ours, "contract, off": ours}
    if all(importlib.util.find_spec(name) for name in ("jaxtyping", "beartype")):
        kinds["jaxtyping + beartype"] = rival()
    best = dict.fromkeys(("loop", *kinds), float("inf"))
    # In turn, and the least of each: what else runs on the machine only ever adds.
    for _ in range(ROUNDS):
        best["loop"] = min(best["loop"], loop())
        for kind, function in kinds.items():
            with tensan.contract.policy("off" if kind.endswith("off") else "raise"):
                best[kind] = min(best[kind], calls(function, *given))
    call = best["bare"] - best["loop"]
    for kind in kinds:
        taken = best[kind] - best["loop"]
        print(f"{kind:22} {taken / CALLS * 1e9:9.0f} ns  {taken / call:8.2f} x a bare call")


def rival():
    from beartype import beartype
    from jaxtyping import Bool, Float, jaxtyped

    @jaxtyped(typechecker=beartype)
    def checked(x: Float[torch.Tensor, "b t d"], y: Float[torch.Tensor, "b t d"], mask: Bool[torch.Tensor, "b t"]):
        return x

    return checked


def calls(function, x, y, mask):
    start = time.perf_counter()
    for _ in range(CALLS):
        function(x, y, mask)
    return time.perf_counter() - start


def loop():
    start = time.perf_counter()
    for _ in range(CALLS):
        pass
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
