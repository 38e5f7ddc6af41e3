"""Settings: who wins, and what every error names."""

import pytest

from tensan.core.errors import SettingsError, UsageError
from tensan.core.settings import Settings, fields, load, schema


@pytest.fixture
def project(tmp_path):
    def write(text, folder=tmp_path):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pyproject.toml").write_text(text, encoding="utf-8")
        return folder

    return write


def loaded(folder, environment=None, **flags):
    return load(folder=folder, environment=environment or {}, flags=flags)


def test_defaults(tmp_path):
    assert loaded(tmp_path) == Settings()


def test_flag_over_environment_over_file_over_default(project):
    folder = project("[tool.tensan]\noverhead = 2\nfail-on = 'warning'\nquiet = true\n")
    settings = loaded(folder, {"TENSAN_OVERHEAD": "3", "TENSAN_FAIL_ON": "error"}, overhead=4.0, quiet=None)
    assert (settings.overhead, settings.fail_on, settings.quiet, settings.preview) == (4.0, "error", True, False)
    assert loaded(folder, {"TENSAN_OVERHEAD": "3"}).overhead == 3.0
    assert loaded(folder).overhead == 2.0


def test_the_nearest_file_with_a_table_counts(project, tmp_path):
    project("[tool.tensan]\noverhead = 2\n")
    inner = project("[tool.other]\nx = 1\n", tmp_path / "a")
    assert loaded(inner / "b").overhead == 2.0
    project("[tool.tensan]\noverhead = 5\n", tmp_path / "a")
    assert loaded(inner / "b").overhead == 5.0


def test_every_kind_of_value_from_the_environment(tmp_path):
    environment = {
        "TENSAN_SELECT": "OPT, broadcast-in-loss,,",
        "TENSAN_PREVIEW": "yes",
        "TENSAN_QUIET": "0",
        "TENSAN_STEPS": "12",
        "TENSAN_OVERHEAD": "0.5",
        "TENSAN_JSON": "out.json",
        "HOME": "/x",
        "TENSAN": "0",
    }
    settings = loaded(tmp_path, environment)
    assert settings.select == ("OPT", "broadcast-in-loss")
    assert (settings.preview, settings.quiet, settings.steps, settings.overhead, settings.json) == (True, False, 12, 0.5, "out.json")


def test_tables_come_from_the_file_alone(project):
    folder = project("[tool.tensan.per-file-ignores]\n'legacy/*' = ['OPT101']\n[tool.tensan.rules.dead-units]\nx = 1\n")
    settings = loaded(folder)
    assert settings.per_file_ignores == {"legacy/*": ("OPT101",)}
    assert settings.rules == {"dead-units": {"x": 1}}
    with pytest.raises(SettingsError, match="TENSAN_RULES"):
        loaded(folder, {"TENSAN_RULES": "x"})


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("overheads = 1", "overheads", "unknown key; did you mean overhead?"),
        ("zzz = 1", "zzz", "unknown key; known: "),
        ("error_exitcode = 1", "error_exitcode", "did you mean error-exitcode?"),
        ("overhead = 'much'", "overhead", "got 'much'"),
        ("overhead = 101", "overhead", "<= 100"),
        ("overhead = -1", "overhead", ">= 0"),
        ("error-exitcode = 256", "error-exitcode", "<= 255"),
        ("fail-on = 'always'", "fail-on", 'expected "error", "warning" or "never", got \'always\''),
        ("recover = 'rewinding'", "recover", '"off"'),
        ("select = 'OPT'", "select", "got 'OPT'"),
        ("preview = 1", "preview", "got 1"),
        ("steps = 'x'", "steps", "got 'x'"),
        ("steps = 0", "steps", "expected an integer >= 1, got 0"),
    ],
)
def test_an_error_names_file_key_value_and_what_is_allowed(project, text, key, words):
    folder = project(f"[tool.tensan]\n{text}\n")
    with pytest.raises(SettingsError) as caught:
        loaded(folder)
    assert caught.value.key == key
    assert caught.value.where == f"{folder / 'pyproject.toml'}: tool.tensan"
    assert words in str(caught.value)
    assert str(folder) in str(caught.value)
    assert isinstance(caught.value, UsageError)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("TENSAN_OVERHAED", "1", "did you mean TENSAN_OVERHEAD?"),
        ("TENSAN_OVERHEAD", "much", "expected a number, got 'much'"),
        ("TENSAN_STEPS", "1.5", "expected an integer, got '1.5'"),
        ("TENSAN_PREVIEW", "maybe", "expected 1 or 0, got 'maybe'"),
        ("TENSAN_FAIL_ON", "x", '"warning"'),
    ],
)
def test_an_error_names_the_variable(tmp_path, name, value, words):
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, {name: value})
    assert name in caught.value.where
    assert words in str(caught.value)


def test_an_error_names_the_flag(tmp_path):
    with pytest.raises(SettingsError, match="--fail-on: fail-on: expected"):
        loaded(tmp_path, fail_on="x")


@pytest.mark.parametrize(("text", "words"), [("[tool.tensan", "is not valid TOML"), ("[tool]\ntensan = 3\n", "expected a table, got 3")])
def test_a_broken_file(project, text, words):
    with pytest.raises(SettingsError, match=words):
        loaded(project(text))


def test_every_setting_is_described():
    described = list(fields())
    assert [field.attribute for field in described] == list(Settings.__struct_fields__)
    assert all(field.help and field.help[0].islower() and not field.help.endswith(".") for field in described)
    assert {field.variable for field in described if field.key == "fail-on"} == {"TENSAN_FAIL_ON"}
    assert next(field for field in described if field.key == "fail-on").choices == ("error", "warning", "never")
    assert all("_" not in field.key for field in described)


def test_the_schema_is_for_editors():
    properties = schema()["$defs"]["Settings"]["properties"]
    assert set(properties) == {field.key for field in fields()}
    assert properties["fail-on"]["enum"] == ["error", "never", "warning"]
    assert all(value.get("description") for value in properties.values())
