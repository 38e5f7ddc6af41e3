"""The machinery that tests cases, for our rules and for third parties': what it refuses, and what it finds wrong."""

import shutil
from pathlib import Path

import pytest

from tensan.core import plugins
from tensan.testing import CaseError, check, check_cases, programs

CASES = Path(__file__).parents[2] / "cases"
NAME = "OPT106-clip-after-step"


@pytest.fixture
def case(tmp_path):
    folder = tmp_path / NAME
    folder.mkdir()
    for name in ("bad.py", "good_clip_before.py", "good_norm_log.py"):
        shutil.copy(CASES / NAME / name, folder)
    return folder


def found(folder):
    return programs(folder, rules=plugins.all_rules())


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_programs_of_a_case(case):
    bad, *good = found(case.parent)
    assert (bad.name, bad.is_bad, len(bad.guilty), len(bad.alternatives)) == (f"{NAME}/bad", True, 1, 0)
    assert [program.is_bad for program in good] == [False, False]


def test_a_folder_that_no_rule_owns_is_refused(case):
    case.rename(case.with_name("OPT106-something-else"))
    with pytest.raises(CaseError, match="OPT106-something-else: no rule has this code and name"):
        found(case.parent)


def test_a_bad_program_without_a_marker_is_refused(case):
    edit(case / "bad.py", "  #~ OPT106", "")
    with pytest.raises(CaseError, match=r"bad.py: no line is marked `#~ OPT106`"):
        found(case.parent)


def test_an_alternative_alone_is_refused(case):
    edit(case / "bad.py", "#~ OPT106", "#~? OPT106")
    with pytest.raises(CaseError, match="no line is marked"):
        found(case.parent)


def test_a_marker_of_another_rule_is_refused(case):
    edit(case / "bad.py", "#~ OPT106", "#~ OPT107")
    with pytest.raises(CaseError, match="is marked OPT107 in a case of OPT106"):
        found(case.parent)


def test_a_malformed_marker_is_refused(case):
    edit(case / "bad.py", "#~ OPT106", "#~ OPT106 because")
    with pytest.raises(CaseError, match="a marker is"):
        found(case.parent)


def test_a_marked_good_program_is_refused(case):
    (case / "good_x.py").write_text("pass  #~ OPT106\n")
    with pytest.raises(CaseError, match=r"good_x\.py:1: is marked, but the program is good"):
        found(case.parent)


def test_too_few_look_alikes_are_refused(case):
    (case / "good_norm_log.py").unlink()
    with pytest.raises(CaseError, match="has 1 good"):
        found(case.parent)


def test_a_case_without_its_first_program_is_refused(case):
    (case / "bad.py").rename(case / "bad_other.py")
    with pytest.raises(CaseError, match=r"has no bad\.py"):
        found(case.parent)


def test_what_is_wrong_is_said(case, stem):
    bad, good, other = found(case.parent)
    assert "the report is not the blessed one" in check(bad, stem)[0]
    assert check(bad, stem, bless=True) == []
    assert "-->" in (case / "report.txt").read_text()
    assert check(bad, stem) == []

    good.path.write_text(bad.path.read_text().replace("  #~ OPT106", ""))
    assert "unwanted: error[OPT106] line" in check(good, stem)[0]
    edit(bad.path, "  #~ OPT106", "")
    bad.path.write_text(bad.path.read_text().replace("import torch\n", "import torch  #~ OPT106\n", 1))
    wrong = "\n".join(check(found(case.parent)[0], stem))
    assert "unwanted: error[OPT106]" in wrong
    assert "not named: line" in wrong
    other.path.write_text("raise SystemExit(3)\n")
    assert "ended with status 3" in check(other, stem)[0]


@pytest.mark.slow
def test_check_cases_runs_a_folder_whole(case):
    with pytest.raises(AssertionError, match="the report is not the blessed one"):
        check_cases(case.parent)
    check_cases(case.parent, bless=True)
    check_cases(case.parent)
