"""Every program of every case: the bad ones named by line, the good ones left in peace, the reports as they were blessed."""

from pathlib import Path

import pytest

from tensan.core import plugins
from tensan.testing import complaints, programs, report_complaints
from tensan.testing.check import flags_for

CASES = Path(__file__).parents[2] / "cases"
BUILT_IN = [rule for rule in plugins.all_rules() if rule.__module__.startswith("tensan.rules.")]
PROGRAMS = programs(CASES, rules=BUILT_IN)


@pytest.fixture
def outcome(program, watched):
    return watched(program.path, flags=flags_for(program.rule))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_case(program, outcome):
    wrong = list(complaints(program, outcome))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("program", [program for program in PROGRAMS if program.has_report], ids=lambda program: program.path.parent.name)
def test_report(program, outcome, request):
    if list(complaints(program, outcome)):
        pytest.skip("its findings are wrong already")
    wrong = list(report_complaints(program, outcome, bless=request.config.getoption("bless")))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("rule", BUILT_IN, ids=lambda rule: rule.code)
def test_every_rule_has_its_case(rule):
    assert (CASES / f"{rule.code}-{rule.name}").is_dir()
