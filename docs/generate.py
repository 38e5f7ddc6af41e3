"""Writes the reference in docs/ and the README's table of rules from the code: `make docs-reference`; a test keeps them current."""

from __future__ import annotations

import argparse
import ast
import inspect
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from tensan.cli.main import COMMANDS
from tensan.cli.parser import Parser, first_sentence
from tensan.contracts.exceptions.classify import BY_FRAMEWORK
from tensan.core import plugins, settings
from tensan.core.faults import Fault, taxonomy
from tensan.core.rule import Rule

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- rules -->", "<!-- /rules -->"
#: Rules of a law that the README names.
MOST_SHOWN = 4
#: Code in generated pages is shown as its author laid it out.
HEAD = "<!-- Made by docs/generate.py (`make docs-reference`): do not edit. -->\n<!-- fmt: off -->\n"

#: What must hold when a program trains; rules name the law that they guard by its number.
LAWS = {
    1: "A step changes every parameter that has a gradient.",
    2: "What gets gradient is owned by an optimizer, and what an optimizer owns gets gradient.",
    3: "Gradients are cleared between steps, or accumulate on purpose.",
    4: "Dropout and batch statistics are in train mode while training and in eval mode while evaluated.",
    5: "No elementwise operation on the way to the loss repeats both of its operands.",
    6: "A sample's output depends neither on other samples, nor on padding, nor, in a causal model, on the future.",
    7: "The loss depends on the parameters, the inputs and the labels.",
    8: "Each loss gets what it is defined on.",
    9: "Gradients are unscaled before they are clipped, and clipped before the step.",
    10: "A schedule is stepped in its own unit, after the optimizer, and ends where training ends.",
    11: "Stored data stays as it is, workers draw different numbers, and no sample is both learned from and held out.",
    12: "What is kept or shared is what was meant: the best state is a copy, and a tie holds.",
    13: "Replicas are equal after a step, and their data differ.",
    14: "The first value that is not finite is named before it reaches the weights.",
    15: "What was asked for had an effect.",
    16: "Reading a tensor on the host, copying it or laying it out anew costs what it costs, and that is said.",
}
#: What stands for the law of rules that explain why a program stopped.
CRASHES = "A program that stops with an error is told why: what met, who made it, and what would have run."


def pages() -> dict[str, str]:
    """Returns what each generated file must hold, by its path in the repository."""
    rules = [rule for rule in plugins.all_rules() if rule.__module__.startswith("tensan.rules.")]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return {
        "README.md": with_section(readme, rules_by_law(rules)),
        "docs/rules/index.md": index(rules),
        **{f"docs/rules/{rule.name}.md": rule_page(rule) for rule in rules},
        "docs/errors/index.md": errors_index(),
        **{f"docs/{kind.page()}": error_page(kind) for kind in taxonomy()},
        "docs/claims.md": claims_page(),
        "docs/settings.md": settings_page(),
        "docs/settings.schema.json": msgspec.json.format(msgspec.json.encode(settings.schema(), order="sorted")).decode() + "\n",
        "docs/commands.md": commands_page(),
    }


def stale() -> list[Path]:
    """Returns the pages of rules and errors that no longer exist."""
    wanted = pages()
    there = sorted(path for folder in ("rules", "errors") for path in (ROOT / "docs" / folder).glob("*.md"))
    return [path for path in there if str(path.relative_to(ROOT)) not in wanted]


def with_section(text: str, section: str) -> str:
    """Returns a text with what lies between the two markers replaced.

    Raises:
        ValueError: when the markers are not there, each once and in order.
    """
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"README.md: expected {BEGIN} and {END}, each once and in this order")
    return f"{text.partition(BEGIN)[0]}{BEGIN}\n\n{section}\n{END}{text.partition(END)[2]}"


# ---- claims ---------------------------------------------------------------------------------------------------------


def claims_page() -> str:
    """Returns the register of claims: what is said of frameworks, and whether it holds in the versions that it was tried with."""
    known: dict[str, Any] = msgspec.json.decode((ROOT / "tests/claims/verdicts.json").read_bytes())
    lines = [
        "# Claims",
        "",
        "Rules, hints and pages rely on what frameworks do. Each claim is a probe in `tests/claims`, and a test fails when the verdict",
        "is another one than is written here. What does not hold is kept too, so that nobody relies on it.",
    ]
    claims = sorted(known.values(), key=lambda claim: claim["framework"])
    for framework, members in groupby(claims, key=lambda claim: claim["framework"]):
        rows = [
            (
                claim["sentence"],
                claim["used_by"],
                "<br>".join(f"{version}: {found}" for version, found in sorted(claim["verdicts"].items())),
            )
            for claim in members
        ]
        lines += ["", f"## {framework}", "", *_table(("claim", "used by", "verdict by version"), rows)]
    return HEAD + "\n" + "\n".join(lines) + "\n"


# ---- rules ----------------------------------------------------------------------------------------------------------


def rules_by_law(rules: Sequence[type[Rule]]) -> str:
    """Returns the README's table: what must hold, and the first rules that guard it; the list of all of them is a page of its own."""
    rows = []
    for law in (*LAWS, None):
        members = [rule for rule in rules if rule.law == law and not rule.preview]
        shown = [f"[{rule.name}](docs/rules/{rule.name}.md)" for rule in members[:MOST_SHOWN]]
        more = [f"[{len(members) - MOST_SHOWN} more](docs/rules/index.md)"] if len(members) > MOST_SHOWN else []
        if members:
            rows.append((LAWS[law] if law else CRASHES, ", ".join([*shown, *more])))
    return "\n".join(_table(("what must hold", "rules that say when it does not"), rows)) + "\n"


def index(rules: Sequence[type[Rule]]) -> str:
    """Returns the list of all rules and of the laws that they guard."""
    rows = (
        (f"[{rule.code}]({rule.name}.md)", rule.name, _family(rule), rule.law or "", rule.category.value, _status(rule)) for rule in rules
    )
    guards = {law: [rule.code for rule in rules if rule.law == law] for law in LAWS}
    laws = (f"{law}. {text} {'**' + ', '.join(guards[law]) + '**' if guards[law] else '*No rule yet.*'}" for law, text in LAWS.items())
    lines = [
        "# Rules",
        "",
        "`tensan rules` prints this list, `tensan explain CODE` a page of it. A rule in preview is on trial: it is used with",
        "`--preview`, or where its own code or name is selected, and its findings are hints.",
        "",
        *_table(("code", "name", "family", "law", "category", "status"), rows),
        "",
        "The category says how loud a finding can be: correctness up to an error, suspicious and performance up to a warning. The proof of",
        "a finding can only lower that.",
        "",
        "## Laws",
        "",
        "What must hold when a program trains, and the rules that guard it:",
        "",
        *laws,
    ]
    return HEAD + "\n" + "\n".join(lines) + "\n"


def rule_page(rule: type[Rule]) -> str:
    """Returns the page of a rule: its docstring, what is known of it, and its case."""
    folder = ROOT / "cases" / f"{rule.code}-{rule.name}"
    law = [f"law {rule.law}: {LAWS[rule.law]}"] if rule.law in LAWS else []
    facts = [_family(rule), rule.category.value, f"{_status(rule)}, since {rule.since}", *law]
    trial = ["It is on trial: `--preview` or `--select` switch it on, and its findings are hints.", ""] if rule.preview else []
    lines = [
        f"# {rule.code}: {rule.name}",
        "",
        " · ".join(facts),
        "",
        *trial,
        rule.page(),
        "",
        *_options(rule),
        *_bad(rule, folder),
        *_look_alikes(rule, folder),
        "## Silence it",
        "",
        f"`# tensan: ignore[{rule.name}] why` in the line, or alone on the line above. `--ignore {rule.code}` leaves it out of a run.",
    ]
    return HEAD + "\n" + "\n".join(lines) + "\n"


def _bad(rule: type[Rule], folder: Path) -> Iterator[str]:
    program = folder / "bad.py"
    if not program.is_file():
        return
    yield from (
        "## A program that has it",
        "",
        f"{_link(program)}; `#~` marks the guilty line, `#~?` one that is as good a place.",
        "",
    )
    yield from ("```python", program.read_text(encoding="utf-8").rstrip(), "```", "")
    report = folder / "report.txt"
    if report.is_file():
        told = report.read_text(encoding="utf-8").partition("\nSUMMARY: ")[0].strip()
        yield from (f"`tensan run {'--preview ' if rule.preview else ''}bad.py` prints:", "", "```text", told, "```", "")


def _look_alikes(rule: type[Rule], folder: Path) -> Iterator[str]:
    programs = sorted(folder.glob("good*.py"))
    if programs:
        yield from ("## Right programs that look like it", "", f"{rule.code} must stay silent on each of these:", "")
        yield from (f"- {_link(program)}: {_sentence(program)}" for program in programs)
        yield ""


def _options(rule: type[Rule]) -> Iterator[str]:
    fields = msgspec.structs.fields(rule.Options)
    if fields:
        yield from ("## Options", "", f"In `[tool.tensan.rules.{rule.name}]`:", "")
        yield from _table(("key", "default"), ((f"`{field.encode_name}`", f"`{field.default!r}`") for field in fields))
        yield ""


def _link(program: Path) -> str:
    path = program.relative_to(ROOT)
    return f"[`{path.name}`](../../{path})"


def _sentence(program: Path) -> str:
    return " ".join((ast.get_docstring(ast.parse(program.read_text(encoding="utf-8"))) or "").partition("\n\n")[0].split())


def _family(rule: type[Rule]) -> str:
    return rule.__module__.split(".")[-2]


def _status(rule: type[Rule]) -> str:
    return "preview" if rule.preview else "stable"


# ---- errors ---------------------------------------------------------------------------------------------------------


def errors_index() -> str:
    """Returns the list of the classes of `tensan.errors`."""
    rows = (
        (f"[{kind.code}]({kind.slug()}.md)", kind.__name__, kind.__bases__[0].__name__, kind.layer, kind.phase, _first_line(kind))
        for kind in taxonomy()
    )
    lines = [
        "# Errors",
        "",
        "One taxonomy over the exceptions of PyTorch, TensorFlow, Keras, JAX, ONNX Runtime and gRPC.",
        "",
        "```python",
        "from tensan import errors",
        "",
        "errors.classify(exception)  # what it is: class, layer, phase, recoverable, retryable, hint; None for any other exception",
        "errors.explain(exception)   # the same in words, with the line that raised it",
        "",
        "with errors.translate():    # raises an exception of our class *and* of the raw one, which stays its cause",
        "    train()",
        "```",
        "",
        "`classify` and `explain` leave an exception as it is. It is told by its class, by its words, and by the code that raised it; what",
        "the program's own code raises is never taken for a framework's.",
        "",
        *_table(("code", "class", "below", "layer", "phase", "what it is"), rows),
    ]
    return HEAD + "\n" + "\n".join(lines) + "\n"


def error_page(kind: type[Fault]) -> str:
    """Returns the page of a class of the taxonomy: its docstring, what follows from it, and the laws by which it is told."""
    below = [each for each in taxonomy() if each.__bases__[0] is kind]
    lines = [
        f"# {kind.code}: {kind.__name__}",
        "",
        " · ".join(
            (
                f"layer {kind.layer}",
                f"phase {kind.phase}",
                "the process can go on" if kind.recoverable else "the process cannot go on",
                "the same call may succeed later" if kind.retryable else "the same call fails again",
            )
        ),
        "",
        f"Below {', '.join(_named(base) for base in kind.__mro__[1 : kind.__mro__.index(BaseException)])}.",
        "",
        inspect.cleandoc(kind.__doc__ or ""),
        "",
        *([f"**What to try first:** {kind.hint}.", ""] if kind.hint else []),
        *(["## Classes below it", "", *(f"- {_named(each)}: {_first_line(each)}" for each in below), ""] if below else []),
        *_laws_of(kind),
    ]
    return HEAD + "\n" + "\n".join(lines).rstrip() + "\n"


def _laws_of(kind: type[Fault]) -> Iterator[str]:
    rows = [
        (framework, ", ".join(f"`{name}`" for name in law.raised.split()), f"`{law.says}`" if law.says else "anything", law.hint)
        for framework, laws in BY_FRAMEWORK.items()
        for law in laws
        if law.means is kind
    ]
    if rows:
        yield from (
            "## What is told to be one",
            "",
            "The first law that holds decides; where none does, general words and the bare class.",
            "",
        )
        yield from _table(("framework", "raised as", "when it says", "hint"), rows)


def _named(kind: type) -> str:
    return f"[`{kind.__name__}`]({kind.slug()}.md)" if issubclass(kind, Fault) else f"`{kind.__name__}`"


def _first_line(kind: type[Fault]) -> str:
    return (kind.__doc__ or "").partition("\n")[0]


# ---- settings and commands ------------------------------------------------------------------------------------------


def settings_page() -> str:
    """Returns the table of all settings."""
    rows = []
    for field in settings.fields():
        words = f" {'{' + ','.join(field.choices) + '}' if field.choices else field.metavar or field.key.upper()}"
        flag = f"`{f'-{field.short}, ' if field.short else ''}--{field.key}{'' if field.kind is bool else words}`"
        names = ("", "") if field.config_only else (flag, f"`{field.variable}`")
        rows.append((*names, f"`{field.key}`", _shown(field.default), field.help))
    lines = [
        "# Settings",
        "",
        "Each setting is a flag of `tensan run`, an environment variable and a key of `[tool.tensan]` in the nearest pyproject.toml",
        "that has such a table, upwards from the working folder. A flag wins over the environment, the environment over the file.",
        "An unknown key is an error.",
        "[settings.schema.json](settings.schema.json) is the JSON schema of the table, for editors.",
        "",
        *_table(("flag", "environment", "key", "default", "what it does"), rows),
        "",
        "Lists are separated by commas in flags and variables, and their flags may be repeated. `TENSAN=0` switches everything off:",
        "the script runs as if Tensan were not there. `NO_COLOR` is honoured.",
        "",
        "```toml",
        "[tool.tensan]",
        'ignore = ["OPT111"]',
        "overhead = 2.0",
        "",
        "[tool.tensan.per-file-ignores]",
        '"experiments/*.py" = ["OPT", "broadcast-in-loss"]',
        "```",
    ]
    return HEAD + "\n" + "\n".join(lines) + "\n"


def commands_page() -> str:
    """Returns what each command's `--help` says."""
    known, parts = [], []
    for name in COMMANDS:
        module = import_module(f"tensan.cli.{name}")
        parser = Parser(prog=f"tensan {name}", about=module.__doc__ or "")
        module.configure(parser)
        known.append(f"- [`{parser.prog}`](#tensan-{name}): {first_sentence(parser.description or '')}")
        parts += _command(parser)
    known = [
        f"- [`tensan {name}`](#tensan-{name}): {first_sentence(import_module(f'tensan.cli.{name}').__doc__ or '')}" for name in COMMANDS
    ]
    return HEAD + "\n" + "\n".join(["# Commands", "", *known, "", *parts]).rstrip() + "\n"


def _command(parser: Parser) -> Iterator[str]:
    # From the parser's actions, not from its help text, whose layout differs between versions of Python.
    actions = [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]
    given = [action for action in actions if not action.option_strings]
    usage = parser.usage or " ".join([parser.prog, *(["[options]"] if len(given) < len(actions) else []), *map(_positional, given)])
    yield from (f"## {parser.prog}", "", parser.description or "", "", "```text", usage, "```", "")
    yield from _table(
        ("argument", "what it is"), ((f"`{_signature(action)}`", (action.help or "").replace("%%", "%")) for action in actions)
    )
    yield ""
    if parser.epilog:
        yield from ("```text", parser.epilog.rstrip(), "```", "")


def _positional(action: argparse.Action) -> str:
    return f"[{action.metavar}]" if action.nargs == "?" else str(action.metavar)


def _signature(action: argparse.Action) -> str:
    if not action.option_strings:
        return _positional(action)
    names = ", ".join(action.option_strings)
    if action.nargs == 0:
        return names
    return f"{names} {'{' + ','.join(map(str, action.choices)) + '}' if action.choices else action.metavar or action.dest.upper()}"


def _shown(default: Any) -> str:
    if default is None or default == () or default == {}:
        return "none"
    return {True: "on", False: "off"}[default] if isinstance(default, bool) else f"`{default}`"


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield "|" + " --- |" * len(heads)
    for row in rows:
        yield f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |"


def main() -> None:
    """Writes what has changed and removes what has gone."""
    for name, text in pages().items():
        path = ROOT / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    for path in stale():
        path.unlink()
        print(f"removed {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
