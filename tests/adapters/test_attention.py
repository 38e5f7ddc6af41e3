"""Which steps are looked at, on a clock that obeys."""

import pytest
from core.making import Clock

from tensan.adapters.torch.attention import FIRST_STEPS, LEAST_FIRST, UNPAID_WINDOW, WINDOW, Attention
from tensan.core.budget import Budget

SHARE = 0.01


def windows(*, steps, step, look, import_time=0):
    """Runs so many steps of a length, each look of which costs so much; returns the windows as (first step, steps) and the budget."""
    clock = Clock()
    budget = Budget(SHARE, clock=clock)
    clock.pass_(import_time)
    attention = Attention(budget)
    found = []
    for number in range(steps):
        if attention.on:
            if not found or sum(found[-1]) != number:
                found.append((number, 0))
            found[-1] = (found[-1][0], found[-1][1] + 1)
            budget.charge(look)
            clock.pass_(look)
        clock.pass_(step)
        attention.step_done()
    return found, budget


def test_cheap_looks_take_all_first_steps():
    found, _ = windows(steps=200, step=10_000_000, look=50_000, import_time=5_000_000_000)
    assert found[0] == (0, FIRST_STEPS)
    assert {length for _, length in found[1:]} <= {WINDOW}
    assert len(found) > 3


def test_dear_first_steps_end_early_and_are_paid_back_by_waiting():
    found, budget = windows(steps=4_000, step=20_000_000, look=15_000_000)
    assert found[0] == (0, LEAST_FIRST)
    assert found[1] == (2 * FIRST_STEPS, UNPAID_WINDOW)  # due, not paid for
    assert budget.used_share <= SHARE


@pytest.mark.parametrize("steps", [100, 300, 1_000, 5_000])
def test_the_second_half_of_a_run_is_looked_at_whatever_it_costs(steps):
    found, _ = windows(steps=steps, step=1_000_000, look=10_000_000)
    assert found[-1][0] >= steps // 2
    assert {length for _, length in found[1:]} == {UNPAID_WINDOW}


@pytest.mark.parametrize("look", [100_000, 1_000_000, 5_000_000])
def test_a_long_run_stays_within_the_budget(look):
    _, budget = windows(steps=50_000, step=20_000_000, look=look)
    assert budget.used_share <= SHARE * 1.02
