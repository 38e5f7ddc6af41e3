"""One policy for what frameworks pass over: the same code under the three of them, and everything as it was afterwards."""

import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
import torch._dynamo  # with the first optimizer it would come, and bring filters of warnings that stay
import torch.utils.checkpoint
from torch import nn

import tensan
from tensan.contracts.scopes.conditions import CONDITIONS
from tensan.core.errors import SettingsError, UsageError
from tensan.errors import DisconnectedGradient


class Branch(nn.Module):
    def forward(self, x):
        return x * 2 if x.sum() > 0 else x - 1


def traced_value():
    return torch.jit.trace(Branch(), (torch.ones(3),), check_trace=False)(-torch.ones(3))


def loss_broadcast():
    return nn.functional.mse_loss(torch.ones(4, 1), torch.ones(4))


def divided_by_features():
    return nn.functional.kl_div(torch.zeros(2, 3), torch.ones(2, 3) / 3)


def schedule_before_step():
    optimizer = torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=0.1)
    torch.optim.lr_scheduler.StepLR(optimizer, 1).step()


def inner_gradient():
    return (torch.ones(2, requires_grad=True) * 2).grad


def checkpoint_without_gradient():
    return torch.utils.checkpoint.checkpoint(nn.Linear(2, 2), torch.ones(1, 2), use_reentrant=True)


def array_not_writable():
    array = np.ones(3)
    array.flags.writeable = False
    return torch.from_numpy(array)


def imaginary_part_dropped():
    return torch.ones(2, dtype=torch.complex64).to(torch.float32)


def nondeterministic_operation():
    return torch.zeros(3).put_(torch.tensor([0, 0]), torch.ones(2))


def undefined_gradient():
    used, unused = nn.Linear(2, 1), nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*used.parameters(), *unused.parameters()], lr=0.1)
    used(torch.ones(1, 2)).sum().backward()
    optimizer.step()


def floating_point():
    return np.ones(2) / np.zeros(2)


def rank_promotion():
    jnp = pytest.importorskip("jax.numpy")
    sys.modules["jax"].clear_caches()  # it tells while it traces
    return jnp.ones((2, 3)) + jnp.ones(3)


DOES = {
    name.replace("_", "-"): value for name, value in list(globals().items()) if callable(value) and name.replace("_", "-") in CONDITIONS
}
#: What each does where nobody is strict; those that warn once in a process have perhaps done so.
SILENT = {"nondeterministic-operation", "undefined-gradient", "rank-promotion", "array-not-writable", "imaginary-part-dropped"}


def ends(function):
    """Returns what a call ended with: the exception, and the warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        try:
            function()
        except Exception as error:  # noqa: BLE001 - it is looked at
            return error, [each for each in told if not issubclass(each.category, (FutureWarning, DeprecationWarning))]
    return None, [each for each in told if not issubclass(each.category, (FutureWarning, DeprecationWarning))]


def state():
    return (
        list(warnings.filters),
        torch.is_warn_always_enabled(),
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
        np.geterr(),
        len(sys.modules["torch.optim.optimizer"]._global_optimizer_pre_hooks),
    )


@pytest.fixture(autouse=True)
def all_is_as_it_was():
    before = state()
    yield
    assert state() == before


def test_each_condition_is_shown():
    assert DOES.keys() == CONDITIONS.keys()


@pytest.mark.parametrize("name", DOES)
def test_the_same_code_under_three_policies(name):
    rank_promotion() if name == "rank-promotion" else None  # a library that is imported in the block is left as it is

    def under(policy, *names):
        def run():
            with tensan.strict(policy, *names):
                DOES[name]()

        return run

    for names in ((), (name,)):
        for _ in range(2):  # also where a warning comes once in a process, and a line warned before
            error, told = ends(under("raise", *names))
            assert error is not None
            assert not told
            error, told = ends(under("warn", *names))
            assert error is None
            assert told, "it is said"
            error, told = ends(under("ignore", *names))
            assert error is None
            assert not told
    others = [other for other in CONDITIONS if other != name]
    error, told = ends(under("raise", *others))
    assert error is None, "of a condition that is not named nothing is made"
    assert bool(told) or name in SILENT


@pytest.mark.parametrize("name", sorted(DOES.keys() - SILENT))
def test_outside_it_is_said_as_ever(name):
    error, told = ends(DOES[name])
    assert error is None
    assert told


def test_right_programs_pass():
    with tensan.strict():
        model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        for _ in range(3):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(torch.ones(4, 4) * torch.arange(4.0)[:, None]), torch.ones(4, 1)).backward()
            optimizer.step()
            schedule.step()
        torch.jit.trace(model.eval(), (torch.ones(2, 4),))
        torch.jit.trace(nn.MultiheadAttention(8, 2), (torch.ones(3, 2, 8),) * 3)
        torch.jit.trace(nn.GRU(4, 4), (torch.ones(3, 2, 4),))
        torch.from_numpy(np.ones(3))
        closure = torch.optim.LBFGS(model.parameters())
        closure.zero_grad()

        def again():
            closure.zero_grad()
            loss = model(torch.ones(2, 4)).square().mean()
            loss.backward()
            return loss

        closure.step(again)
        assert np.isfinite(np.exp(np.ones(2))).all()


def test_frozen_parameters_are_not_meant():
    model = nn.Linear(2, 1)
    model.bias.requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with tensan.strict():
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()


def test_what_has_no_gradient_is_named():
    named = pytest.raises(DisconnectedGradient, match=r"2 of 4 parameters of SGD .* first is parameter 2 of group 0, of shape \[1, 2\]")
    with named, tensan.strict("raise"):
        undefined_gradient()


def test_inner_blocks_rule_over_what_they_name():
    with tensan.strict("raise"):
        with tensan.strict("ignore", "loss-broadcast"):
            assert ends(loss_broadcast)[0] is None
            assert ends_inside(array_not_writable) is not None
        with tensan.strict("ignore"):
            assert [ends_inside(function) for function in DOES.values()] == [None] * len(DOES)
        assert ends_inside(loss_broadcast) is not None
        assert ends_inside(undefined_gradient) is not None


def ends_inside(function):
    try:
        function()
    except Exception as error:  # noqa: BLE001 - it is looked at
        return error
    return None


def test_what_the_program_asked_for_itself_stays():
    torch.use_deterministic_algorithms(True)
    try:
        with tensan.strict("ignore"):
            assert torch.are_deterministic_algorithms_enabled(), "its operations keep their one result"
            nondeterministic_operation()
        with pytest.raises(RuntimeError):
            nondeterministic_operation()
    finally:
        torch.use_deterministic_algorithms(False)


def test_it_decorates_and_ends_with_exceptions():
    @tensan.strict("raise", "loss-broadcast")
    def loss():
        return loss_broadcast()

    for _ in range(2):
        with pytest.raises(UserWarning, match="Using a target size"):
            loss()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss_broadcast()


def test_blocks_of_threads_may_end_in_any_order():
    steps = [threading.Event() for _ in range(4)]
    seen = {}

    def first():
        with tensan.strict("raise"):
            steps[0].set()
            steps[1].wait(20)
            seen["first"] = ends_inside(loss_broadcast), ends_inside(undefined_gradient)
        steps[2].set()

    def second():
        steps[0].wait(20)
        with tensan.strict("ignore"):
            steps[1].set()
            steps[2].wait(20)
            seen["second"] = ends_inside(loss_broadcast), ends_inside(undefined_gradient)
            steps[3].set()

    threads = [threading.Thread(target=target) for target in (first, second)]
    for thread in threads:
        thread.start()
    steps[1].wait(20)
    # No filter of warnings is set here: those are one list for all threads, and the first one may be just about to be warned.
    assert ends_inside(undefined_gradient) is None, "this thread is in no block"
    for thread in threads:
        thread.join()
    assert [type(error) for error in seen["first"]] == [UserWarning, DisconnectedGradient]
    assert seen["second"] == (None, None)


def test_other_threads_keep_their_warnings():
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with tensan.strict("raise"):
            thread = threading.Thread(target=lambda: found.append(ends_inside(loss_broadcast)))
            thread.start()
            thread.join()
    assert found == [None]


def test_filters_that_are_added_inside_stay():
    with warnings.catch_warnings():
        with tensan.strict("raise"):
            warnings.filterwarnings("error", message="of mine")
        assert warnings.filters[0][0] == "error"
        with pytest.raises(UserWarning, match="of mine"):
            warnings.warn("of mine", stacklevel=1)


PROGRAM = """
import torch, tensan
with tensan.strict():
    print(torch.nn.functional.mse_loss(torch.ones(4, 1), torch.ones(4)).item())
with tensan.strict("raise"):
    try:
        torch.nn.functional.mse_loss(torch.ones(4, 1), torch.ones(4))
    except UserWarning:
        print("what the code names stands")
"""


@pytest.mark.parametrize(("named", "status", "says"), [("", 1, True), ("raise", 1, True), ("WARN", 0, True), ("ignore", 0, False)])
def test_the_environment_names_the_policy_where_the_code_does_not(named, status, says):
    env = {**os.environ, "TENSAN_STRICT": named}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    assert ("Using a target size" in done.stderr) == says
    assert done.stdout == ("" if status else "0.0\nwhat the code names stands\n")


def test_what_is_no_policy_or_condition_is_refused(monkeypatch):
    with pytest.raises(UsageError, match=r"tensan.strict: policy: 'loud' is none of raise, warn, ignore"):
        tensan.strict("loud")
    with pytest.raises(UsageError, match=r"tensan.strict: condition: 'loss' is none of traced-value, "):
        tensan.strict("raise", "loss")
    monkeypatch.setenv("TENSAN_STRICT", "loud")
    with pytest.raises(SettingsError, match=r"environment: TENSAN_STRICT: 'loud' is none of"):
        tensan.strict()


def test_the_variable_is_no_setting_of_a_run(tmp_path):
    from tensan.core import settings

    assert settings.load(folder=tmp_path, environment={"TENSAN_STRICT": "warn"}) == settings.load(folder=tmp_path, environment={})


def test_the_guide_has_the_table():
    page = (Path(__file__).parents[3] / "docs/guides/scopes.md").read_text(encoding="utf-8")
    for condition in CONDITIONS.values():
        assert f"| `{condition.name}` | {condition.library} | {condition.means} |" in page, condition.name
