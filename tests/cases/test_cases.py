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


#: The first laws, and the rules that guard them.
FIRST = {
    "parameters that get gradient are in an optimizer": ["OPT101"],
    "an optimizer holds no orphans": ["OPT102"],
    "a step changes each parameter that has a gradient": ["OPT103"],
    "gradients are cleared": ["OPT104"],
    "and not between backward and step": ["OPT105"],
    "training goes on in train mode after validation": ["MOD101"],
    "evaluation is in eval mode": ["MOD102"],
    "no broadcast in the loss": ["SHP101"],
    "a loss of logits gets logits": ["LOS101"],
    "the loss reaches the parameters": ["GRD101", "GRD102"],
    "clipped before the step": ["OPT106"],
    "unscaled before it is clipped": ["OPT107"],
    "a schedule is stepped once per its unit, after the optimizer, and at all": ["OPT109", "OPT110", "OPT111"],
    "one step for one gradient": ["OPT108"],
    "the best state is a copy": ["CKP101"],
    "the first value that is not finite is found before the step": ["NUM101"],
}


@pytest.mark.parametrize("law", FIRST)
def test_first_laws_are_in_force(law):
    for code in FIRST[law]:
        (rule,) = [rule for rule in BUILT_IN if rule.code == code]
        assert not rule.preview
        own = [program for program in PROGRAMS if program.rule is rule]
        assert sum(program.is_bad for program in own) >= 1
        assert sum(not program.is_bad for program in own) >= 2
