"""All that a user can set, once: flags, environment variables, `[tool.tensan]`, their docs and JSON schema come from here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from tensan.core.errors import SettingsError
from tensan.core.goal import parse as parse_goal

PREFIX = "TENSAN_"
#: Variables that begin with the prefix and are not settings: the switch, and what a process hands to its children.
RESERVED = frozenset({"TENSAN_PARENT"})
#: Read by `tensan.contract`, watched or not.
CONTRACTS = "TENSAN_CONTRACTS"
#: Read by `tensan.strict`, watched or not.
STRICT = "TENSAN_STRICT"


def _about(text: str, **extra: Any) -> Meta:
    return Meta(description=text, extra=extra)


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """What a run may be told. The order of precedence: flag, environment, pyproject.toml, default."""

    select: Annotated[
        tuple[str, ...], _about("rules to use: codes, names, families (`OPT`) or ALL; default: all but the pedantic", metavar="RULE")
    ] = ()
    ignore: Annotated[tuple[str, ...], _about("rules to leave out", metavar="RULE")] = ()
    preview: Annotated[bool, _about("use the rules that are still on trial; their findings are hints")] = False
    fail_on: Annotated[
        Literal["error", "warning", "never"], _about("exit with --error-exitcode where a finding of this level or above remains")
    ] = "never"
    error_exitcode: Annotated[
        int, _about("the exit status that --fail-on gives where the script's own is 0", metavar="N"), Meta(ge=0, le=255)
    ] = 1
    halt_on_error: Annotated[bool, _about("stop the script at the first finding of level error")] = False
    steps: Annotated[int | None, _about("stop the script cleanly after N optimizer steps: a pre-flight check", metavar="N")] = None
    ask: Annotated[
        tuple[str, ...],
        _about(
            "ask a recorded step: `made FILE:LINE`, `permute FILE:LINE`, `replace sample`, `replace column`, "
            "`noise future`, `noise padding`",
            metavar="Q",
        ),
    ] = ()
    recover: Annotated[
        Literal["off", "skip", "rewind"],
        _about("what to do with a step whose gradient or optimizer state is not finite: nothing, skip it, or go back to a snapshot"),
    ] = "off"
    snapshots: Annotated[str | None, _about("with --recover: keep the last snapshots of the full state in this folder", metavar="DIR")] = (
        None
    )
    snapshot_every: Annotated[
        int | None, _about("steps between snapshots (default: 10, and more where one would cost over 3 % of them)", metavar="N")
    ] = None
    bad_steps: Annotated[
        int,
        _about("with --recover: stop the run after so many bad steps with no ten good ones in a row between them", metavar="N"),
        Meta(ge=1),
    ] = 64
    spike: Annotated[
        float | None, _about("with --recover: a gradient norm so many times the usual one makes a step bad, too", metavar="TIMES")
    ] = None
    alarm_interval: Annotated[
        int,
        _about(
            "with --recover rewind, on trial: a finite loss or gradient that leaves its course is a fault too; one false alarm in N steps, "
            "1000000 say (default 0: only what is not finite is a fault)",
            metavar="N",
        ),
        Meta(ge=0),
    ] = 0
    replay: Annotated[
        str | None,
        _about(
            "begin as the run began whose report shows this token: `tensan.deterministic` takes its seed and switches from it, and the "
            "report says whether what that run met came again",
            metavar="TOKEN",
        ),
    ] = None
    goal: Annotated[
        str | None,
        _about(
            "what the run is for, such as `loss < 0.5 by 2000` or `accuracy > 0.9 by 2000`: faults are measured against it; "
            "metrics other than `loss` are told by `tensan.measured`",
            metavar="GOAL",
        ),
    ] = None
    prove: Annotated[bool, _about("record the first steps, and after the script's end try on them the fixes of what was found")] = False
    overhead: Annotated[
        float, _about("share of the process's CPU time that watching may take, in percent", metavar="PCT"), Meta(ge=0, le=100)
    ] = 1.0
    json: Annotated[str | None, _about("write the report as one JSON document; `-` for stdout", metavar="FILE")] = None
    sarif: Annotated[str | None, _about("write the report as SARIF, for code hosts and editors; `-` for stdout", metavar="FILE")] = None
    html: Annotated[str | None, _about("write the report as one page for a browser; `-` for stdout", metavar="FILE")] = None
    track: Annotated[
        tuple[str, ...],
        _about(
            "tell the findings to mlflow, tensorboard, wandb (auto: those that the script uses) or opentelemetry as well", metavar="NAME"
        ),
    ] = ()
    format: Annotated[str, _about("how the report is shown: full, concise, agent, github, html, json or sarif", metavar="F")] = "full"
    quiet: Annotated[bool, _about("no report on stderr; files are still written", short="q")] = False
    verbose: Annotated[bool, _about("show hints, what was armed, and what watching cost", short="v")] = False
    output: Annotated[str, _about("folder for run files", metavar="DIR")] = ".tensan/runs"
    baseline: Annotated[str | None, _about("an earlier run file or JSON report: its findings are not told again", metavar="FILE")] = None
    per_file_ignores: Annotated[dict[str, tuple[str, ...]], _about("rules to leave out by file pattern", config_only=True)] = {}
    rules: Annotated[dict[str, dict[str, Any]], _about("options of single rules, by rule name", config_only=True)] = {}


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One setting, described for whoever generates something from it."""

    attribute: str
    key: str
    kind: Any
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    short: str | None = None
    config_only: bool = False

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return PREFIX + self.attribute.upper()


@lru_cache(maxsize=1)
def fields() -> tuple[Field, ...]:
    """Returns every setting in the order of `--help`."""
    hints = get_type_hints(Settings, include_extras=True)
    defaults = Settings()
    found: list[Field] = []
    for attribute, key in zip(Settings.__struct_fields__, Settings.__struct_encode_fields__, strict=True):
        kind, *metas = get_args(hints[attribute])
        meta = metas[0]
        found.append(
            Field(
                attribute=attribute,
                key=key,
                kind=kind,
                default=getattr(defaults, attribute),
                help=meta.description,
                choices=get_args(kind) if get_origin(kind) is Literal else (),
                **(meta.extra or {}),
            )
        )
    return tuple(found)


def load(*, folder: Path | None = None, environment: Mapping[str, str] | None = None, flags: Mapping[str, Any] | None = None) -> Settings:
    """Returns the settings that hold: flags over environment over the nearest pyproject.toml over defaults.

    Args:
        folder: where to look for pyproject.toml, and upwards; the working folder by default.
        environment: variables; the process's own by default.
        flags: values by attribute; those that are None were not given.

    Raises:
        SettingsError: for an unknown key or a value that is not allowed, with the place it was set.
    """
    environment = os.environ if environment is None else environment
    known = {field.attribute: field for field in fields()}
    by_key = {field.key: field for field in known.values()}
    values: dict[str, Any] = {}

    path, found = table(folder or Path.cwd())
    for key, value in found.items():
        where = f"{path}: tool.tensan"
        if key not in by_key:
            raise SettingsError(where=where, key=key, problem=_unknown(key, by_key))
        values[by_key[key].key] = _checked(by_key[key], value, where=where)
    for name, text in environment.items():
        if not name.startswith(PREFIX) or name in RESERVED or name in (CONTRACTS, STRICT):
            continue
        attribute = name.removeprefix(PREFIX).lower()
        where = f"environment variable {name}"
        if attribute not in known or known[attribute].config_only:
            names = {field.variable: field for field in known.values() if not field.config_only}
            raise SettingsError(where=where, key=attribute, problem=_unknown(name, names))
        values[known[attribute].key] = _checked(known[attribute], _parsed(known[attribute], text, where), where=where)
    for attribute, value in (flags or {}).items():
        if attribute not in known:
            raise SettingsError(where="setting", key=attribute, problem=_unknown(attribute, known))
        if value is not None:
            values[known[attribute].key] = _checked(known[attribute], value, where=f"--{known[attribute].key}")
    return msgspec.convert(values, Settings)


def table(folder: Path) -> tuple[Path, dict[str, Any]]:
    """Returns the nearest pyproject.toml that has `[tool.tensan]`, upwards from a folder, and that table.

    Raises:
        SettingsError: when a pyproject.toml on the way cannot be read.
    """
    for place in (folder, *folder.parents):
        path = place / "pyproject.toml"
        if not path.is_file():
            continue
        import tomllib  # most scripts have no such file beside them

        try:
            with path.open("rb") as file:
                tools = tomllib.load(file).get("tool")
        except OSError as error:
            raise SettingsError(where=str(path), key="tool.tensan", problem=f"cannot be read: {error.strerror or error}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsError(where=str(path), key="tool.tensan", problem=f"is not valid TOML: {error}") from error
        found = tools.get("tensan") if isinstance(tools, dict) else None
        if found is not None:
            if not isinstance(found, dict):
                raise SettingsError(where=str(path), key="tool.tensan", problem=f"expected a table, got {found!r}")
            return path, found
    return Path("pyproject.toml"), {}


def _checked(field: Field, value: Any, *, where: str) -> Any:
    try:
        msgspec.convert({field.key: value}, Settings)
    except msgspec.ValidationError as error:
        raise SettingsError(where=where, key=field.key, problem=f"{_expectation(field, error)}, got {value!r}") from error
    # msgspec takes no bounds for a number that may be left out.
    if field.attribute in ("steps", "snapshot_every") and value is not None and value < 1:
        raise SettingsError(where=where, key=field.key, problem=f"expected an integer >= 1, got {value!r}")
    if field.attribute == "goal" and value is not None:
        try:
            parse_goal(value)
        except ValueError as error:
            raise SettingsError(where=where, key=field.key, problem=str(error)) from error
    if field.attribute == "spike" and value is not None and not value > 1:
        raise SettingsError(where=where, key=field.key, problem=f"expected a number > 1, got {value!r}")
    return value


def _expectation(field: Field, error: Exception) -> str:
    if field.choices:
        quoted = [f'"{choice}"' for choice in field.choices]
        return "expected " + ", ".join(quoted[:-1]) + " or " + quoted[-1]
    text = str(error).split(" - at")[0].rstrip(".")
    return text[:1].lower() + text[1:]


def _unknown(key: str, known: Mapping[str, object]) -> str:
    import difflib

    near = difflib.get_close_matches(key, known, n=1)
    return "unknown key" + (f"; did you mean {near[0]}?" if near else "; known: " + ", ".join(sorted(known)))


def _plain_kind(kind: Any) -> Any:
    if get_origin(kind) in (Union, UnionType):
        return next(item for item in get_args(kind) if item is not NoneType)
    return kind


def _parsed(field: Field, text: str, where: str) -> Any:
    kind = _plain_kind(field.kind)
    if kind is bool:
        if text.lower() not in ("1", "0", "true", "false", "yes", "no", "on", "off", ""):
            raise SettingsError(where=where, key=field.key, problem=f"expected 1 or 0, got {text!r}")
        return text.lower() in ("1", "true", "yes", "on")
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError as error:
            raise SettingsError(
                where=where, key=field.key, problem=f"expected {'an integer' if kind is int else 'a number'}, got {text!r}"
            ) from error
    if get_origin(kind) is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text


def schema() -> dict[str, Any]:
    """Returns the JSON schema of `[tool.tensan]`, for editors."""
    return msgspec.json.schema(Settings)
