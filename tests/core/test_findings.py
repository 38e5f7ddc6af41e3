"""Findings: how loud they may be, what JSON holds of them, and a name that outlives edits."""

import math

import msgspec
import pytest
from core.making import finding, location
from hypothesis import given
from hypothesis import strategies as st

from tensan.core.findings import Category, Finding, Level, Proof, Related, fingerprint, plain, tell


@pytest.mark.parametrize("proof", Proof)
@pytest.mark.parametrize("category", Category)
def test_the_level_is_the_lower_of_both(proof, category):
    made = finding(proof=proof, category=category)
    assert made.level == min(proof.most, category.most)
    assert msgspec.structs.replace(made, preview=True).level is Level.HINT


def test_what_each_proof_allows():
    assert [proof.most for proof in (Proof.LAW, Proof.INTERVENTION, Proof.STATISTIC, Proof.HINT)] == [2, 2, 1, 0]
    assert [category.most for category in Category] == [2, 1, 1, 0]
    assert [level.word for level in sorted(Level)] == ["hint", "warning", "error"]


simple = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary(max_size=3)
nested = st.recursive(
    simple, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4), max_leaves=8
)


@given(nested)
def test_anything_becomes_json_and_comes_back(value):
    text = msgspec.json.encode(plain(value))
    assert msgspec.json.decode(text) == plain(value)
    assert b"null" not in text or "None" in repr(value) or "null" in repr(value)


@given(st.floats())
def test_numbers_that_are_none_stay_visible(value):
    seen = plain({"x": [value]})["x"][0]
    if math.isfinite(value):
        assert seen == value
    else:
        assert seen == {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")


def test_names_that_are_no_unicode(tmp_path):
    told = tell(finding(location=location(1, path="/nowhere/\udcff.py"), evidence={"\udcff": "\udcfe"}))
    assert "udcff" in told.path
    assert msgspec.json.decode(msgspec.json.encode(told))["evidence"] == {"\\udcff": "\\udcfe"}


def test_everything_of_a_finding_is_told(tmp_path):
    path = tmp_path / "train.py"
    path.write_text("a = 1\nloss = a - 2\n", encoding="utf-8")
    made = Finding(
        code="TST100",
        name="made",
        message="headline",
        category=Category.SUSPICIOUS,
        location=location(2, path=str(path), column=8, end_line=2, end_column=13, function="step"),
        label="here",
        evidence={"ratio": math.nan},
        related=tuple(Related(message=str(number), location=location(number, path=str(path))) for number in (1, 2, 3)),
        help="do better",
        step=4,
    )
    told = tell(made)
    assert (told.path, told.line, told.column, told.end_line, told.end_column) == (str(path), 2, 8, 2, 13)
    assert (told.level, told.source, told.function, told.label) == ("warning", "loss = a - 2", "step", "here")
    assert told.evidence == {"ratio": "nan"}
    assert [place["line"] for place in told.related] == [1, 2]
    assert (told.step, told.last_step, told.count, told.caused_by) == (4, 4, 1, None)


def test_a_finding_without_a_place():
    told = tell(finding(location=None))
    assert (told.path, told.line, told.column, told.source) == (None, None, None, "")
    assert told.fingerprint


def test_fingerprints_outlive_edits_above(tmp_path):
    path = tmp_path / "train.py"
    body = "def step():\n    loss = a - b\n"

    def name(text, line, function="step", code="TST100"):
        import linecache

        path.write_text(text, encoding="utf-8")
        linecache.checkcache(str(path))
        at = location(line, path=str(path), function=function)
        return fingerprint(finding(location=at, code=code), at)

    first = name(body, 2)
    assert name("import os\n\n" + body, 4) == first
    assert name(body.replace("    loss", "        loss"), 2) == first
    assert name(body.replace("- b", "- c"), 2) != first
    assert name(body, 2, function="other") != first
    assert name(body, 2, code="TST999") != first
