"""Annotations under GitHub Actions: beside the report, once, and only where GitHub says that it is there."""

import re

import pytest

COMMAND = re.compile(r"^::(?:error|warning|notice) title=[^:]+::.+$", re.MULTILINE)


@pytest.fixture
def faulty(script):
    return script("import tinyframe\n\ntinyframe.clip()\n", "faulty.py")


@pytest.mark.parametrize(("words", "times"), [((), 1), (("--format", "github"), 1), (("--quiet",), 0), (("--format", "concise"), 1)])
def test_findings_are_annotated_once(tensan, faulty, words, times):
    done = tensan("run", *words, faulty, env={"GITHUB_ACTIONS": "true"})
    assert len(re.findall(r"^::error ", done.stderr, re.MULTILINE)) == times, done.stderr
    assert all(COMMAND.match(line) for line in done.stderr.splitlines() if line.startswith("::"))
    assert "::" not in done.stdout, "what the script prints is the script's own"


@pytest.mark.parametrize("value", ["", "false"])
def test_nobody_else_is(tensan, faulty, value):
    assert "::error" not in tensan("run", faulty, env={"GITHUB_ACTIONS": value}).stderr


def test_the_report_stays_as_it_is(tensan, faulty):
    with_it = tensan("run", faulty, env={"GITHUB_ACTIONS": "true"}).stderr
    without = tensan("run", faulty).stderr
    summary = re.compile(r"overhead .*")
    shown = "".join(f"{line}\n" for line in with_it.splitlines() if not line.startswith("::"))
    assert summary.sub("", shown) == summary.sub("", without)
