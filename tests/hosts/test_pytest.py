"""`--tensan`: findings fail the test that trains, with the report; without it nothing changes."""

import subprocess
import sys

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import pytest
import torch
from torch import nn


def train(target):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(6):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        loss = ((model(x) - target(x)) ** 2).mean()
        loss.backward()
        optimizer.step()
    return loss


def test_right():
    assert train(lambda x: x.sum(1, keepdim=True)) < 10


def test_wrong():
    train(lambda x: x.sum(1))


def test_wrong_and_failed():
    assert train(lambda x: x.sum(1)) < 0


def test_ignored():
    import tensan

    with tensan.ignore("broadcast-in-loss"):
        train(lambda x: x.sum(1))


def test_skipped():
    pytest.skip("not today")


def test_no_training():
    assert 1 + 1 == 2
"""


@pytest.fixture
def program(pytester, monkeypatch):
    monkeypatch.delenv("TENSAN", raising=False)
    monkeypatch.delenv("TENSAN_FAIL_ON", raising=False)
    pytester.makepyfile(TESTS)
    return pytester


@pytest.mark.parametrize("ci", ["", "true"])  # where it is set, pytest cuts no line of its summary
def test_findings_fail_the_test(program, monkeypatch, ci):
    monkeypatch.setenv("CI", ci)
    monkeypatch.delenv("BUILD_NUMBER", raising=False)
    done = program.runpytest_subprocess("--tensan", "-p", "no:cacheprovider")
    done.assert_outcomes(passed=3, failed=2, skipped=1)
    text = done.stdout.str()
    assert text.count("error[SHP101]: loss compares f32[16, 1] with f32[16]") == 2
    said = "test_findings_fail_the_test.py:13:18: error[SHP101] loss compares"
    assert [line.startswith(said) for line in text.splitlines()].count(True) == 1  # instead of a traceback
    assert text.count("Captured tensan call") == 2
    assert "assert tensor(" in text  # the test's own failure stays the first thing that is said
    assert text.count("SUMMARY: tensan: 1 finding") == 2
    assert not (program.path / ".tensan").exists()


def test_the_level_is_that_of_the_settings(program, monkeypatch):
    monkeypatch.setenv("TENSAN_IGNORE", "broadcast-in-loss")
    program.runpytest_subprocess("--tensan").assert_outcomes(passed=4, failed=1, skipped=1)


def test_a_wrong_setting_is_named(program):
    program.makepyprojecttoml("[tool.tensan]\nselect = ['OPTT101']")
    done = program.runpytest_subprocess("--tensan")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*tensan: select: unknown rule 'OPTT101'; did you mean OPT101?"])


def test_without_the_flag_nothing_is_loaded(program):
    code = (
        "import sys, pytest; pytest.main(['-q', '--co'])\n"
        "print(sorted(name for name in sys.modules if name.startswith('tensan.') and 'hosts' not in name))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=program.path, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "['tensan._version']", done.stdout
    program.runpytest_subprocess().assert_outcomes(passed=4, failed=1, skipped=1)


def test_under_tensan_run_the_whole_is_watched_once(program):
    command = [sys.executable, "-m", "tensan", "run", "-m", "pytest", "--tensan", "-q", "-k", "wrong and not failed"]
    done = subprocess.run(command, cwd=program.path, capture_output=True, text=True)
    assert "1 passed" in done.stdout, done.stdout
    assert done.stderr.count("error[SHP101]") == 1, done.stderr
