"""The generated pages say what the code says now, and the README's table names every law that is guarded."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def load():
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = load()
PAGES = generate.pages()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_page_is_current(name):
    path = ROOT / name
    assert path.is_file(), f"{name} is missing: `make docs-reference`"
    assert path.read_text(encoding="utf-8") == PAGES[name], f"{name} is out of date: `make docs-reference`, then review"


def test_no_page_is_left_of_a_rule_that_has_gone():
    assert not generate.stale()


def test_every_law_that_a_rule_names_is_known():
    unknown = {rule.code: rule.law for rule in generate.plugins.all_rules() if rule.law and rule.law not in generate.LAWS}
    assert not unknown


def test_the_section_is_replaced_and_the_rest_kept():
    text = f"before\n{generate.BEGIN}\nold\n{generate.END}\nafter\n"
    renewed = generate.with_section(text, "new")
    assert renewed == f"before\n{generate.BEGIN}\n\nnew\n{generate.END}\nafter\n"
    assert generate.with_section(renewed, "new") == renewed


@pytest.mark.parametrize("text", ["no markers", "<!-- rules --> only", "<!-- /rules --> before <!-- rules -->"])
def test_missing_markers_are_said(text):
    with pytest.raises(ValueError, match="expected <!-- rules --> and <!-- /rules -->"):
        generate.with_section(text, "new")
