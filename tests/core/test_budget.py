"""The budget, on a clock that obeys."""

import pytest
from core.making import Clock
from hypothesis import given
from hypothesis import strategies as st

from tensan.core.budget import KEPT, Budget


@pytest.fixture
def clock():
    return Clock()


def test_time_earns(clock):
    budget = Budget(0.01, clock=clock)
    assert (budget.elapsed, budget.left, budget.used_share) == (0, 0, 0)
    assert not budget.allows(1)
    clock.pass_(1_000_000)
    assert (budget.elapsed, budget.left) == (1_000_000, 10_000)
    assert budget.allows(10_000)
    assert not budget.allows(10_001)


def test_what_must_be_done_is_repaid_by_waiting(clock):
    budget = Budget(0.01, clock=clock)
    budget.charge(50_000)  # a warm-up that nobody could wait with
    clock.pass_(1_000_000)
    assert budget.left == -40_000
    assert not budget.allows(0)
    clock.pass_(4_000_000)
    assert budget.left == 0
    assert budget.used_share == 0.01


def test_steps_until(clock):
    budget = Budget(0.01, clock=clock)
    assert budget.steps_until(10_000, per_step=100_000) == 11
    clock.pass_(1_000_000)
    assert budget.steps_until(10_000, per_step=100_000) == 0
    assert budget.steps_until(20_000, per_step=100_000) == 11
    assert budget.steps_until(20_000, per_step=0) > 1_000
    assert Budget(0, clock=clock).steps_until(1, per_step=1) >= 1 << 30


@given(
    share=st.floats(0.001, 0.5),
    per_step=st.integers(1_000, 10_000_000),
    cost=st.integers(1, 5_000_000),
    warm_up=st.integers(0, 10_000_000),
)
def test_the_share_holds_in_the_long_run(share, per_step, cost, warm_up):
    """Work that waits as it is told never brings the share above its limit, warm-up included, once the debt is paid."""
    clock = Clock()
    budget = Budget(share, clock=clock)
    budget.charge(warm_up)
    clock.pass_(warm_up)
    for _ in range(20):
        wait = budget.steps_until(cost, per_step=per_step)
        clock.pass_(wait * per_step)
        if budget.allows(cost):
            budget.charge(cost)
            assert budget.spent <= budget.elapsed * share + 1
            clock.pass_(cost)
        else:
            clock.pass_(per_step)
    assert budget.used_share <= share + 1e-9


def test_the_wait_is_no_longer_than_needed(clock):
    budget = Budget(0.02, clock=clock)
    for cost in (1_000, 30_000, 7):
        wait = budget.steps_until(cost, per_step=10_000)
        clock.pass_(max(wait - 2, 0) * 10_000)
        assert wait < 3 or not budget.allows(cost)
        clock.pass_(2 * 10_000)
        assert budget.allows(cost)
        budget.charge(cost)


@given(share=st.floats(0.001, 0.5), per_step=st.integers(100_000, 10_000_000), idle=st.floats(0, KEPT), cost=st.integers(1, 5_000_000))
def test_the_share_holds_whatever_each_step_takes_up_to_its_half(share, per_step, idle, cost):
    clock = Clock()
    budget = Budget(share, clock=clock)
    for _ in range(200):
        clock.pass_(per_step)
        budget.charge_fixed(int(idle * share * per_step))
        if budget.allows(cost):
            budget.charge(cost)
            assert budget.spent <= budget.elapsed * share + 1
            clock.pass_(cost)


def test_what_no_waiting_can_save_takes_from_the_rest_down_to_the_part_that_is_kept(clock):
    budget = Budget(0.01, clock=clock)
    clock.pass_(1_000_000)
    budget.charge_fixed(2_000)
    assert budget.left == 8_000
    assert budget.allows(8_000)
    assert not budget.allows(8_001)
    budget.charge_fixed(28_000)
    assert budget.used_share == 0.03
    assert budget.left == 10_000 * KEPT
    assert budget.allows(5_000)
    assert not budget.allows(5_001)
