"""Explain a rule or a class of errors: what it is, why that is bad, and what to do."""

from __future__ import annotations

import argparse
import inspect
import os
import sys
from collections.abc import Sequence

from tensan.cli.parser import Parser
from tensan.core import plugins
from tensan.core.errors import UsageError
from tensan.core.faults import Fault, taxonomy
from tensan.core.rule import Rule

_EPILOG = """\
examples:
  tensan explain SHP101
  tensan explain broadcast-in-loss
  tensan explain OPT                 lists the family
  tensan explain OutOfMemory         a class of `tensan.errors`, or its code
"""


def configure(parser: Parser) -> None:
    """Adds the options."""
    parser.epilog = _EPILOG
    parser.add_argument("rule", metavar="RULE", help="a code, a name, a family, or a part of a name; or a class of `tensan.errors`")


def execute(options: argparse.Namespace) -> int:
    """Prints the rule's page, or a list where several rules match.

    Raises:
        UsageError: when no rule matches.
    """
    for kind in taxonomy():
        if options.rule.lower() in (kind.code.lower(), kind.__name__.lower(), kind.slug()):
            _show(error_page(kind))
            return 0
    rules = plugins.all_rules()
    found = matches(rules, options.rule)
    if not found:
        from tensan.launch.selection import closest

        near = closest(options.rule, rules)
        raise UsageError(f"unknown rule {options.rule!r}" + (f"; did you mean {near}?" if near else "; `tensan rules` lists them"))
    if len(found) > 1:
        width = max(len(rule.name) for rule in found)
        print("\n".join(f"{rule.code}  {rule.name:{width}}  {rule.summary()}" for rule in found))
        return 0
    _show(page(found[0]))
    return 0


def matches(rules: Sequence[type[Rule]], word: str) -> list[type[Rule]]:
    """Returns the rules that a word means: its code or name first, else its family, else a part of its name."""
    word = word.lower()
    return (
        [rule for rule in rules if word in (rule.code.lower(), rule.name.lower())]
        or [rule for rule in rules if word == rule.family().lower()]
        or [rule for rule in rules if word in rule.name.lower()]
    )


def page(rule: type[Rule]) -> str:
    """Returns the whole page of a rule, in Markdown."""
    law = f", guards law {rule.law}" if rule.law else ""
    trial = ", on trial (--preview)" if rule.preview else ""
    facts = f"{rule.category.value}, since {rule.since}{law}{trial}"
    silence = f"Silence it with `# tensan: ignore[{rule.name}] why` in the line."
    return f"# {rule.code}: {rule.name}\n\n{facts}\n\n{rule.page()}\n\n{silence}\n"


def error_page(kind: type[Fault]) -> str:
    """Returns what a class of the taxonomy means, in Markdown."""
    hint = f"\n\nFirst: {kind.hint}." if kind.hint else ""
    return f"# {kind.code}: {kind.__name__}\n\nlayer {kind.layer}, phase {kind.phase}\n\n{inspect.cleandoc(kind.__doc__ or '')}{hint}\n"


def _show(text: str) -> None:
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))
