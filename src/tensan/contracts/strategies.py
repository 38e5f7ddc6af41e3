"""Strategies of Hypothesis for shapes that broadcast together, and for shapes that do not. Hypothesis is imported when one is used."""

from __future__ import annotations

from typing import Any


def compatible_shapes(count: int = 2, *, max_rank: int = 4, max_size: int = 5) -> Any:
    """Returns a strategy for tuples of shapes that broadcast together.

    Args:
        count: how many shapes.
        max_rank: the most axes of one.
        max_size: the largest size of an axis.
    """
    from hypothesis import strategies as st

    @st.composite
    def shapes(draw: Any) -> tuple[tuple[int, ...], ...]:
        whole = draw(st.lists(st.integers(1, max_size), max_size=max_rank))

        def one() -> tuple[int, ...]:
            kept = whole[draw(st.integers(0, len(whole))) :]
            return tuple(1 if draw(st.booleans()) else size for size in kept)

        return tuple(one() for _ in range(count))

    return shapes()


def incompatible_shapes(*, max_rank: int = 4, max_size: int = 5) -> Any:
    """Returns a strategy for pairs of shapes that do not broadcast: at one axis at least, two sizes differ and neither is 1.

    Args:
        max_rank: the most axes of one.
        max_size: the largest size of an axis; at least 3, so that there are two that differ.
    """
    from hypothesis import strategies as st

    @st.composite
    def shapes(draw: Any) -> tuple[tuple[int, ...], ...]:
        rank = draw(st.integers(1, max_rank))
        one, other = (draw(st.lists(st.integers(1, max_size), min_size=rank, max_size=rank)) for _ in range(2))
        axis = draw(st.integers(1, rank))
        one[-axis], other[-axis] = draw(st.lists(st.integers(2, max_size), min_size=2, max_size=2, unique=True))
        shorter = draw(st.integers(axis, rank))
        return tuple(draw(st.permutations([tuple(one), tuple(other[-shorter:])])))

    return shapes()
