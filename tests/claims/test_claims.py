"""Each claim about a framework has the verdict that is written down for the installed version, and names rules that there are."""

import re

import pytest
from claims.register import load, recorded, verdict, version_of

from tensan.core import plugins

CLAIMS, RECORDED = load(), recorded()
CODES = {rule.code for rule in plugins.all_rules()}


@pytest.mark.parametrize("name", CLAIMS)
def test_verdict_is_the_recorded_one(name):
    known = CLAIMS[name]
    version = version_of(known.framework)
    if not version:
        pytest.skip(f"{known.framework} is not installed")
    written = RECORDED.get(name, {}).get("verdicts", {})
    assert version in written, f"{known.framework} {version} is new: look at `python tests/claims/register.py`, then `--record`"
    assert verdict(known) == written[version]


def test_record_is_current():
    sentences = {name: (known.framework, known.sentence, known.used_by) for name, known in CLAIMS.items()}
    assert {name: (kept["framework"], kept["sentence"], kept["used_by"]) for name, kept in RECORDED.items()} == sentences


def test_rules_that_rely_on_claims_exist():
    named = {code for known in CLAIMS.values() for code in re.findall(r"[A-Z]{3}\d{3}", known.used_by)}
    assert named
    assert named <= CODES
