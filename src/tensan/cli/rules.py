"""List the rules that there are, by family."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby

from tensan.cli.parser import Parser
from tensan.core import plugins
from tensan.core.rule import Rule

_FAMILIES = {
    "SHP": "shape",
    "GRD": "gradient",
    "OPT": "optimizer",
    "LOS": "loss",
    "NUM": "numerics",
    "MOD": "mode and wiring",
    "DAT": "data",
    "EVL": "evaluation",
    "RNG": "randomness",
    "DST": "distributed",
    "CKP": "checkpoint",
    "ARC": "architecture",
    "HDW": "hardware",
    "SRV": "serving",
    "CON": "contracts",
    "TEN": "the tool",
}


def configure(parser: Parser) -> None:
    """Adds the options."""
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how they are listed (default: text)")


def execute(options: argparse.Namespace) -> int:
    """Prints the list."""
    rules = plugins.all_rules()
    print(json.dumps([described(rule) for rule in rules], indent=2) if options.format == "json" else "\n".join(table(rules)))
    sys.stdout.flush()
    return 0


def described(rule: type[Rule]) -> dict[str, object]:
    """Returns what a list says of a rule."""
    return {
        "code": rule.code,
        "name": rule.name,
        "family": rule.family(),
        "law": rule.law,
        "category": rule.category.value,
        "status": "preview" if rule.preview else "stable",
        "since": rule.since,
        "summary": rule.summary(),
    }


def table(rules: Sequence[type[Rule]]) -> Iterator[str]:
    """Yields the list line by line."""
    width = max((len(rule.name) for rule in rules), default=0)
    for family, members in groupby(rules, key=lambda rule: rule.family()):
        yield f"{family}  {_FAMILIES.get(family, '')}".rstrip()
        for rule in members:
            law = f"law {rule.law}" if rule.law else ""
            status = "preview" if rule.preview else "stable"
            yield f"  {rule.code:7} {rule.name:{width}}  {law:6}  {rule.category.value:11}  {status:7}  {rule.summary()}".rstrip()
        yield ""
    yield f"{len(rules)} rule{'' if len(rules) == 1 else 's'}; `tensan explain CODE` says more"
