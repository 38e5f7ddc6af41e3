"""The register of claims: what rules, hints and pages rely on in a framework, each with a probe that is run against the installed version.

`python tests/claims/register.py` shows what has changed, `--record` writes it down; docs/claims.md is made from the record.
"""

import argparse
import importlib
import importlib.metadata
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

RECORD = Path(__file__).with_name("verdicts.json")
MODULES = ("torch_numbers", "torch_gradients", "torch_state", "torch_programs", "other_frameworks")
HOLDS, FAILS = "holds", "does not hold"
#: Names under which a framework may be installed.
DISTRIBUTIONS = {"tensorflow": ("tensorflow", "tensorflow-cpu"), "grpc": ("grpcio",)}


class Claim(NamedTuple):
    """A sentence about a framework, who relies on it, and what tells whether it is true."""

    name: str
    framework: str
    sentence: str
    used_by: str
    probe: Callable[[], bool]


CLAIMS: dict[str, Claim] = {}


def claim(framework: str, sentence: str, *, used_by: str):
    """Registers the function below as the probe of a claim; its name is the claim's."""

    def register(probe):
        assert probe.__name__ not in CLAIMS, probe.__name__
        CLAIMS[probe.__name__] = Claim(probe.__name__, framework, sentence, used_by, probe)
        return probe

    return register


def raises(kind, call, *args, **keywords) -> bool:
    """Tells whether a call raises an exception of a kind."""
    try:
        call(*args, **keywords)
    except kind:
        return True
    return False


def version_of(framework: str) -> str:
    """Returns the installed version, without what names the build."""
    for name in DISTRIBUTIONS.get(framework, (framework,)):
        try:
            return importlib.metadata.version(name).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            continue
    return ""


def load() -> dict[str, Claim]:
    """Returns all claims by name."""
    for module in MODULES:
        importlib.import_module(f"claims.{module}")
    return CLAIMS


def verdict(known: Claim) -> str:
    """Runs a probe; what it raises is a mistake of the probe, and comes out."""
    return HOLDS if known.probe() else FAILS


def recorded() -> dict[str, dict]:
    """Returns what is written down: for each claim its framework, sentence, users, and verdicts by version."""
    return msgspec.json.decode(RECORD.read_bytes()) if RECORD.exists() else {}


def main() -> int:
    """Compares the installed versions with what is written down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write down the verdicts of the installed versions")
    write = parser.parse_args().record
    before, after, changed = recorded(), {}, 0
    for name, known in load().items():
        version = version_of(known.framework)
        verdicts = dict(before.get(name, {}).get("verdicts", {}))
        found = verdict(known)
        if verdicts.get(version) != found:
            changed += 1
            print(f"{name} ({known.framework} {version}): {verdicts.get(version, 'not recorded')} -> {found}")
        verdicts[version] = found
        after[name] = {"framework": known.framework, "sentence": known.sentence, "used_by": known.used_by, "verdicts": verdicts}
    if write:
        RECORD.write_bytes(msgspec.json.format(msgspec.json.encode(after)) + b"\n")
    print(f"{len(after)} claims, {changed} changed")
    return 0 if write or not changed else 1


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    sys.exit(importlib.import_module("claims.register").main())
