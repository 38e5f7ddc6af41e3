"""Every part of ours, made to raise: the program goes on unchanged, and exactly one line of the report says what was switched off."""

import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

from tensan.adapters import torch as adapter
from tensan.core import plugins
from tensan.core.events.base import event_types, handler_name
from tensan.testing import compare, programs
from tensan.testing.check import flags_for

NAMES = ("everything.py", "evaluated.py", "not_finite.py", "joined.py", "written.py")
PROGRAMS = [Path(__file__).parent / "programs" / name for name in NAMES]

BUILT_IN = [rule for rule in plugins.all_rules() if rule.__module__.startswith("tensan.rules.")]
OF_CASES = programs(Path(__file__).parents[2] / "cases", rules=BUILT_IN)

#: Replaces what is to be broken, wherever it is known by name; what is guarded stays guarded, since it is its inside that fails.
PRELUDE = """
import functools, importlib, os, sys
root, reached = os.getpid(), os.path.join(order.folder, "work", "reached")

def break_(target):
    module, _, path = target.partition(":")
    owner = importlib.import_module(module)
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    found = vars(owner)[name]
    original = getattr(found, "__func__", found)

    def broken(*args, **kwargs):
        with open(reached, "a") as file:
            file.write(("" if os.getpid() == root else "in a child: ") + target + "\\n")
        raise RuntimeError("injected")

    broken = functools.wraps(original)(broken)
    if getattr(original, "__name__", "") != "heard" and getattr(original, "__wrapped__", None) is not None:
        from tensan.adapters.torch.recorder import heard
        broken = heard(broken)
    setattr(owner, name, type(found)(broken) if isinstance(found, (staticmethod, classmethod, property)) else broken)
    if not parents:
        for other in [m for n, m in sys.modules.items() if n.startswith("tensan.")]:
            if getattr(other, name, None) is original:
                setattr(other, name, broken)

for target in {targets!r}:
    break_(target)
"""
#: All steps are looked at, however loaded the machine is: what is found does not depend on what the budget leaves.
FLAGS = {"preview": True, "overhead": 100.0}
#: Handlers of rules that are broken in one run: each is switched off by itself.
TOGETHER = 12
#: Writes down each function of ours that is called, the first time it is.
VISITING = """
import os, sys
visited, path = set(), os.path.join(order.folder, "work", "visited")
modules = {}

def visit(frame, event, argument):
    code = frame.f_code
    if event == "call" and id(code) not in visited:  # equal code may lie in several files
        visited.add(id(code))
        name = frame.f_globals.get("__name__", "")
        if name.startswith("tensan."):
            with open(path, "a") as file:
                file.write(f"{name}:{code.co_qualname}\\n")

sys.setprofile(visit)
"""
#: Patches torch or guards others: what these raise, they raise in tests of their own.
NOT_PARTS = {"tensan.adapters.torch.install", "tensan.adapters.torch.patching", "tensan.adapters.torch.live"}
GUARDS = {"heard", "guarded", "_unheard"}
#: Computes what the program wrote: that it cannot be computed is an answer.
ANSWERS = {
    "tensan.adapters.torch.bindings:_value",
    *(
        f"tensan.adapters.torch.wraparound:{name}"
        for name in (
            "wrapped",
            "evaluate",
            "is_array",
            "_attribute",
            "_called",
            "_within_limits",
            "_arithmetic",
            "_dtype",
            "_shown",
            "_exact",
        )
    ),
    *(f"tensan.adapters.torch.wraparound:{name}" for name in ("_result_dtype", "_wide", "quiet")),
    "tensan.adapters.torch.held_arithmetic:_equal",
    "tensan.adapters.torch.held_arithmetic:_FirstRows.__getitem__",
}
#: Guards themselves, and the way out.
EXITS = {
    "Recorder.fail",
    "Recorder.hear",
    "Recorder.shielded",
    "Steps.idle_schedule",
    "Forwards._before",
    "Forwards._after",
    "Trace.__torch_dispatch__",
    "Loaders.fetch",
    "Lines.__call__",
}


def parts():
    for info in pkgutil.iter_modules(adapter.__path__, "tensan.adapters.torch."):
        module = importlib.import_module(info.name)
        if info.name in NOT_PARTS:
            continue
        for name, item in vars(module).items():
            if getattr(item, "__module__", None) != info.name or name in GUARDS:
                continue
            if inspect.isfunction(item):
                yield f"{info.name}:{name}"
            elif inspect.isclass(item):
                yield from (f"{info.name}:{name}.{method}" for method in methods(item))
    yield from (f"tensan.adapters.torch:TorchAdapter.{name}" for name in ("install", "answer", "finish"))


def methods(kind):
    for name, item in vars(kind).items():
        if f"{kind.__name__}.{name}" in EXITS:
            continue
        if inspect.isfunction(getattr(item, "__func__", item)) and not name.startswith("__"):
            yield name


def function_of(target):
    """Returns what a target is called by where it runs: it may be known under another name, or be wrapped."""
    module, _, path = target.partition(":")
    owner = importlib.import_module(module)
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    found = vars(owner)[name]
    found = inspect.unwrap(getattr(found, "fget", None) or getattr(found, "__func__", found))
    return f"{found.__globals__['__name__']}:{found.__code__.co_qualname}" if inspect.isfunction(found) else target


def rule_handlers():
    names = [*map(handler_name, event_types()), "on_answer"]
    for rule in BUILT_IN:
        yield from (f"{rule.__module__}:{rule.__name__}.{name}" for name in names if name in vars(rule))


def groups_of(handlers):
    """Spreads handlers over groups, no two of one rule in the same: what follows the first failure of a rule is not called."""
    ordered = sorted(handlers)
    count = -(-len(ordered) // TOGETHER)
    groups = [ordered[start::count] for start in range(count)]
    assert all(len({code_of(target) for target in group}) == len(group) for group in groups)
    return groups


def code_of(target):
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name.partition(".")[0]).code


SPINE = [
    "tensan.core.watch:tell",
    "tensan.core.watch:causes",
    "tensan.core.suppression:Suppressor.silences",
    "tensan.core.suppression:Suppressor.unused",
    "tensan.core.channel:Channel.receive",
    "tensan.core.channel:Channel.send",
    "tensan.core.runfile:_line",
    "tensan.core.sites:here",
]


@pytest.fixture(scope="module")
def bare(stem):
    outcomes = {program: stem.run(program, watched=False, remains=True) for program in PROGRAMS}
    assert not any(outcome.status for outcome in outcomes.values()), [outcome.stderr for outcome in outcomes.values()]
    return outcomes


@pytest.fixture(scope="module")
def whole(stem, bare):
    """The programs as they are watched when nothing fails."""
    outcomes = {program: stem.run(program, remains=True, flags=FLAGS) for program in PROGRAMS}
    for program, outcome in outcomes.items():
        assert not compare(bare[program], outcome)
        assert not outcome.report.run.notes
    return outcomes


@pytest.fixture(scope="module")
def visited(stem):
    """Which functions of ours each program comes to, so that a part is broken only where it is met."""
    found = {}
    for program in PROGRAMS:
        files = stem.run(program, prelude=VISITING, flags=FLAGS).files
        found[program] = set(files["visited"].decode().splitlines())
        assert len(found[program]) > 200
    return found


@pytest.fixture
def broken(stem, visited):
    """Runs the first program that comes to a part, with that part broken; returns which it was, how it ended and who came there."""

    def run(target, **flags):
        for program in (program for program in PROGRAMS if function_of(target) in visited[program]):
            outcome = stem.run(program, prelude=PRELUDE.format(targets=[target]), remains=True, flags=FLAGS | flags)
            reached = reached_in(outcome)
            if reached:  # what depends on the budget may not come again
                return program, outcome, reached
        pytest.skip("no program comes here")

    return run


def reached_in(outcome):
    return outcome.files.pop("reached", b"").decode().split("\n")[:-1]


def failures(outcome):
    return [note for note in outcome.report.run.notes if note.startswith(("TEN901", "TEN902"))]


def gave_up(outcome):
    """A trace that cannot be used costs the deep step, not the adapter."""
    return [what for what in outcome.report.run.not_checked if "injected" in what]


@pytest.mark.slow
@pytest.mark.parametrize("target", sorted(set(parts())), ids=lambda target: target.removeprefix("tensan.adapters.torch").strip(".:"))
def test_part_of_the_adapter(target, broken, bare):
    program, outcome, reached = broken(target)
    assert not compare(bare[program], outcome)
    assert outcome.report is not None, outcome.stderr
    said = failures(outcome) + gave_up(outcome)
    if target not in reached:  # a worker process has nobody to tell
        assert not said
    # Once for each part that needs it; a part that fails is not called again.
    assert len(said) == len(set(said)), said
    assert said or target not in reached or target in ANSWERS, outcome.report.run.notes


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
@pytest.mark.parametrize("group", groups_of(rule_handlers()), ids=lambda group: code_of(group[0]))
def test_handlers_of_rules(group, program, stem, visited, bare, whole):
    targets = [target for target in group if function_of(target) in visited[program]]
    if not targets:
        pytest.skip("the program comes to none of them")
    outcome = stem.run(program, prelude=PRELUDE.format(targets=targets), remains=True, flags=FLAGS)
    reached = reached_in(outcome)
    assert not compare(bare[program], outcome)
    assert len(reached) == len(set(reached))  # each is switched off at its first failure
    codes = sorted(map(code_of, reached))
    assert sorted(code for note in failures(outcome) for code in codes if code in note) == codes
    assert len(failures(outcome)) == len(codes)
    assert not set(codes) & set(outcome.report.run.rules_armed)
    assert {told.code for told in whole[program].report.findings} - set(codes) <= {told.code for told in outcome.report.findings}


@pytest.mark.slow
@pytest.mark.parametrize("rule", BUILT_IN, ids=lambda rule: rule.code)
def test_each_handler_fails_somewhere(rule, stem, visited):
    """What none of the programs above comes to is broken in the programs of the rule's own case, until one comes to it."""
    own = [program.path for program in OF_CASES if program.rule is rule]
    for target in (target for target in rule_handlers() if code_of(target) == rule.code):
        if any(function_of(target) in found for found in visited.values()):
            continue
        for program in own:
            outcome = stem.run(program, prelude=PRELUDE.format(targets=[target]), remains=True, flags=FLAGS | flags_for(rule))
            if reached_in(outcome):
                break
        else:
            pytest.fail(f"no program comes to {target}")
        bare = stem.run(program, watched=False, remains=True)
        changed = compare(bare, outcome)  # `and`: some print how long they took
        assert not (changed and set(changed) - set(compare(bare, stem.run(program, watched=False, remains=True))))
        (said,) = failures(outcome)
        assert rule.code in said
        assert rule.code not in outcome.report.run.rules_armed


@pytest.mark.slow
@pytest.mark.parametrize("target", SPINE)
def test_part_of_the_spine(target, broken, bare):
    program, outcome, reached = broken(target)
    assert not compare(bare[program], outcome)
    assert outcome.report is not None, outcome.stderr
    if target in reached:  # a worker process has nobody to tell
        assert failures(outcome), outcome.report.run.notes


#: Sinks that write to the screen, by their format, and those that write a document.
SCREENS = {"full": "terminal:TerminalSink", "concise": "concise:ConciseSink", "agent": "agent:AgentSink", "github": "github:GithubSink"}
DOCUMENTS = {"json": "json_document:JsonSink", "html": "html:HtmlSink", "sarif": "sarif:SarifSink"}


def with_broken_sink(stem, sink, **flags):
    module, _, kind = sink.partition(":")
    target = f"tensan.sinks.{module}:{kind}.write"
    outcome = stem.run(PROGRAMS[0], prelude=PRELUDE.format(targets=[target]), remains=True, flags=FLAGS | flags)
    assert set(reached_in(outcome)) == {target}
    (said,) = [line for line in outcome.stderr.splitlines() if "RuntimeError: injected" in line]
    return outcome, said


@pytest.mark.slow
@pytest.mark.parametrize("format", SCREENS)
def test_sink_of_a_screen(format, stem, bare):
    outcome, said = with_broken_sink(stem, SCREENS[format], quiet=False, format=format)
    assert set(compare(bare[PROGRAMS[0]], outcome)) == {"stderr"}
    assert said == "tensan: the report failed: RuntimeError: injected; `tensan report` shows it"
    assert outcome.stderr.splitlines()[-1].startswith("SUMMARY: tensan:")


@pytest.mark.slow
@pytest.mark.parametrize("format", DOCUMENTS)
def test_sink_of_a_document(format, stem, bare):
    outcome, said = with_broken_sink(stem, DOCUMENTS[format], quiet=False, **{format: "document"})
    assert set(compare(bare[PROGRAMS[0]], outcome)) == {"stderr"}, "and no document is left, not even a part of one"
    assert said == f"tensan: TEN901: the {format.upper()} report failed: RuntimeError: injected; `tensan report` shows the run"
    assert outcome.stderr.splitlines()[-1].startswith("SUMMARY: tensan:")


def test_each_sink_is_broken_somewhere():
    ours = {f"{kind.__module__.removeprefix('tensan.sinks.')}:{kind.__name__}" for kind in plugins.sinks().values()}
    assert ours == {*SCREENS.values(), *DOCUMENTS.values()}


@pytest.mark.slow
def test_a_failing_start_leaves_the_program_alone(broken, bare):
    program, outcome, reached = broken("tensan.adapters.torch.install:install")
    assert reached == ["tensan.adapters.torch.install:install"]
    assert not compare(bare[program], outcome)
    assert len(failures(outcome)) == 1
