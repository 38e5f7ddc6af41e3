"""The breaker and the policy: the smallest action that helps, and an end."""

from tensan.core.gate import Passage, Verdict
from tensan.recovery.breaker import Breaker, State
from tensan.recovery.policy import Policy


def passage(*, bad=False, **fields):
    return Passage(optimizer="optimizer:1", step=0, nonfinite=1.0 if bad else 0.0, **fields)


def verdicts(policy, steps, **fields):
    return [policy.judge(passage(bad=bad == "x", **fields)).value for bad in steps]


def test_a_breaker_opens_goes_on_probation_and_closes():
    breaker, states = Breaker(most_bad=2, calm=3), []
    for bad in (True, False, False, True, False, False, False):
        breaker.bad() if bad else breaker.good()
        states.append(breaker.state)
    assert states == [State.OPEN, State.HALF_OPEN, State.HALF_OPEN, State.OPEN, State.HALF_OPEN, State.HALF_OPEN, State.CLOSED]
    assert breaker.bad_steps == 0


def test_bad_steps_now_and_then_are_an_endless_loop_too():
    policy = Policy(rewinds=False, bad_steps=5)
    assert "stop" in verdicts(policy, "x." * 6)
    assert set(verdicts(Policy(rewinds=False, bad_steps=5), ("x" + "." * 10) * 20)) == {"skip", "proceed"}


def test_a_bad_batch_is_left_out():
    assert verdicts(Policy(rewinds=True, bad_steps=64), ".xx.", rewindable=True) == ["proceed", "skip", "skip", "proceed"]


def test_bad_batches_in_a_row_lead_back():
    assert verdicts(Policy(rewinds=True, bad_steps=64), "xxxx", rewindable=True) == ["skip", "skip", "rewind", "skip"]
    assert verdicts(Policy(rewinds=False, bad_steps=3), "xxxx") == ["skip", "skip", "skip", "stop"]


def test_broken_weights_lead_back_or_to_the_end():
    assert verdicts(Policy(rewinds=True, bad_steps=64), "x", healthy=False, rewindable=True) == ["rewind"]
    assert verdicts(Policy(rewinds=True, bad_steps=64), "x", healthy=False) == ["stop"]
    assert verdicts(Policy(rewinds=False, bad_steps=64), "x", healthy=False) == ["stop"]


def test_rewinds_are_bounded():
    found = verdicts(Policy(rewinds=True, bad_steps=64), "x." * 4, healthy=False, rewindable=True)
    assert found[::2] == ["rewind", "rewind", "rewind", "stop"]


def test_optimizers_are_judged_apart():
    policy = Policy(rewinds=False, bad_steps=1)
    other = Passage(optimizer="optimizer:2", step=0, nonfinite=1.0)
    assert [policy.judge(passage(bad=True)), policy.judge(other)] == [Verdict.SKIP, Verdict.SKIP]
    assert policy.judge(other) is Verdict.STOP


def test_a_spike_is_bad_where_that_was_asked_for():
    for spike, expected in ((None, "proceed"), (10.0, "skip")):
        policy = Policy(rewinds=False, bad_steps=64, spike=spike)
        for number in range(30):
            assert policy.judge(passage(norm=1 + number % 3)) is Verdict.PROCEED
        assert policy.judge(passage(norm=25.0)).value == expected
        assert policy.judge(passage(norm=1.0)) is Verdict.PROCEED
