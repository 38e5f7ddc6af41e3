"""What third parties bring: found like our own, refused where it clashes."""

import re
import sys
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from tensan.core import plugins
from tensan.core.errors import PluginError

RULE = """
from tensan.core.rule import Rule

class {name}(Rule):
    code = "{code}"
    name = "{kebab}"
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Puts packages on the path and lets entry points name them."""
    monkeypatch.syspath_prepend(str(tmp_path))
    points = []

    def put(package, modules, **more):
        folder = tmp_path / package
        folder.mkdir()
        for name, text in ({"__init__": ""} | modules).items():
            (folder / f"{name}.py").write_text(text)
        points.append(EntryPoint(name=package, value=more.get("target", package), group=more.get("group", plugins.RULES)))

    monkeypatch.setattr(plugins, "_points", lambda: EntryPoints(points))
    plugins.all_rules.cache_clear()
    plugins.sinks.cache_clear()
    plugins.trackers.cache_clear()
    yield put
    plugins.all_rules.cache_clear()
    plugins.sinks.cache_clear()
    plugins.trackers.cache_clear()
    for name in [name for name in sys.modules if name.startswith("their_")]:
        del sys.modules[name]


def rule(code, name="Theirs", kebab="theirs"):
    return RULE.format(code=code, name=name, kebab=kebab)


def test_a_package_of_rules_is_walked(install):
    install("their_a", {"one": rule("THR102"), "two": "x = 1\nfrom tensan.core.rule import Rule\n", "three": rule("THR101", kebab="other")})
    assert [found.code for found in plugins.all_rules()] == ["THR101", "THR102"]
    assert plugins.all_rules() is plugins.all_rules()


def test_a_rule_that_is_imported_again_is_the_same(install):
    install("their_b", {"one": rule("THR101"), "two": "from their_b.one import Theirs\n"})
    assert len(plugins.all_rules()) == 1


@pytest.mark.parametrize(("code", "kebab"), [("THR101", "another"), ("THR102", "theirs")])
def test_a_code_or_a_name_twice_is_refused(install, code, kebab):
    install("their_c", {"one": rule("THR101")})
    install("their_d", {"one": rule(code, kebab=kebab)})
    with pytest.raises(PluginError, match=re.escape("has the code or name of their_c.one")):
        plugins.all_rules()


def test_a_package_that_cannot_be_imported_is_named(install):
    install("their_e", {"one": "import does_not_exist_anywhere\n"})
    with pytest.raises(PluginError, match=r"their_e.*does_not_exist_anywhere"):
        plugins.all_rules()


def test_a_broken_adapter_does_not_take_the_others_away(install):
    install("their_f", {"one": "class A: pass\n"}, group=plugins.ADAPTERS, target="their_f.one:A")
    install("their_g", {"one": "raise OSError('no driver')\n"}, group=plugins.ADAPTERS, target="their_g.one:A")
    failed = []
    assert list(plugins.adapters(failed=lambda name, error: failed.append((name, str(error))))) == ["their_f"]
    assert failed == [("their_g", "no driver")]
    with pytest.raises(PluginError, match="no driver"):
        plugins.adapters()


def test_sinks_by_format(install):
    install("their_h", {"one": "class S:\n    format = 'theirs'\n"}, group=plugins.SINKS, target="their_h.one:S")
    assert list(plugins.sinks()) == ["theirs"]


def test_a_broken_tracker_is_named(install):
    install("their_i", {"one": "raise OSError('no license')\n"}, group=plugins.TRACKERS, target="their_i.one:T")
    with pytest.raises(PluginError, match=r"their_i.*no license"):
        plugins.trackers()


def test_our_own_are_whole():
    plugins.all_rules.cache_clear()
    rules = plugins.all_rules()
    assert {"SHP101", "LOS101", "GRD101", "GRD102", "NUM101"} <= {rule.code for rule in rules}
    headings = ["What it does", "Why is this bad?", "Example", "Use instead", "Known problems"]
    for rule in rules:
        if rule.__module__.startswith("tensan."):
            assert list(rule.sections()) == headings, rule.code
            assert re.fullmatch(r"[A-Z]{3}\d{3}", rule.code)
            assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", rule.name)
            assert rule.__module__.rpartition(".")[2] == rule.name.replace("-", "_").replace("non_finite", "nonfinite")
            assert rule.law in range(17)
            assert rule.summary().endswith(".")
