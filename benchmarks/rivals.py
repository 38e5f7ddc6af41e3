"""Runs other tools on the corpus as Tensan is run on it, and counts all alike: `python benchmarks/rivals.py --python RIVALS/bin/python`.

A rival takes part where it needs nothing from the program's author: it is told of a script, as we are. It is *seen* in a faulty program
to say anything of the level of a warning or above, and *right* where a line that it names is a guilty one. Anything said of a right program
is an *alarm*, and a fault is *told apart* where its mended twin raises none. A tool that names no line can be right of none. *cpu* is the
CPU time of all programs, or of linting them; PyTorch's own row is that of no tool. A process that has imported PyTorch forks a child for
each program: this import is in nobody's figure, and each tool's own import in its.
"""

import argparse
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import corpus
import results

#: Tools that want more than a script: they are not run here.
NOT_RUN = {
    "torchtest2, guardtower, preflight-ml, torcheck": "want a model, a batch and a loss handed over in code of the user's",
    "TrainCheck": "wants a run that is known to be right, and learns from it",
    "Cockpit": "wants model and loss extended, and gives no verdict",
    "ARC, StabilityGuard": "act on a run, and want its loop rewritten",
    "gradsnitch, training-doctor, trainpulse, losslint": "want the loop to hand them its losses",
}


class Done(NamedTuple):
    """How a program, or a linter, ended."""

    status: int
    out: str
    err: str
    told: str
    cpu: float


class Said(NamedTuple):
    """What a tool said: the lines that it named, as path and number; whether it said anything; whether the program failed for it."""

    places: list[tuple[str, int]]
    anything: bool
    broke: bool


# ---- tools that watch: what is done in the program's process before it starts, and what is read from how it ended ---


def watch_nothing(_told):
    return None


def read_warnings(done):
    """PyTorch alone, with the warnings that it prints."""
    places = [(path, int(line)) for path, line in re.findall(r"^(\S[^\n]*?):(\d+): \w*Warning: ", done.err, re.MULTILINE)]
    return Said(places, bool(places), done.status != 0)


def watch_tensan(told):
    from tensan.cli.main import main

    return lambda script: main(["run", "-q", "--json", told, script])


def read_tensan(done):
    if not done.told:
        return Said([], False, True)
    found = [one for one in json.loads(done.told)["findings"] if one["level"] != "hint"]
    return Said([(one["path"], one["line"]) for one in found if one["path"]], bool(found), done.status != 0)


def watch_detect_anomaly(_told):
    import torch

    torch.autograd.set_detect_anomaly(True)


def read_detect_anomaly(done):
    """The operation whose gradient is NaN, and the traceback of its forward."""
    _, told, forward = done.err.partition("Error detected in")
    places = re.findall(r'File "([^"]+)", line (\d+)', forward.partition("(Triggered")[0])
    users = [(path, int(line)) for path, line in places if "/site-packages/" not in path]
    return Said(users, bool(told), done.status != 0 and not told)


def watch_torch_audit(told):
    """Its `autopatch`, given each model that an optimizer was made for at the model's first forward; each step is audited.

    That is later than the optimizer: a schedule is made in between, and PyTorch's schedules fail on an optimizer that it has patched.
    """
    import atexit
    import gc

    import torch
    from torch_audit import autopatch

    auditors, waiting, patched, make, forward = [], {}, set(), torch.optim.Optimizer.__init__, torch.nn.Module.__call__

    def made(optimizer, *args, **kwargs):
        make(optimizer, *args, **kwargs)
        own = {id(tensor) for group in optimizer.param_groups for tensor in group["params"]}
        modules = [item for item in gc.get_objects() if isinstance(item, torch.nn.Module)]
        inner = {id(child) for module in modules for child in module.modules() if child is not module}
        for module in modules:
            if id(module) not in inner | patched and any(id(tensor) in own for tensor in module.parameters()):
                patched.add(id(module))
                waiting[id(module)] = optimizer

    def called(module, *args, **kwargs):
        if id(module) in waiting:
            auditors.append(autopatch(module, optimizer=waiting.pop(id(module)), every_n_steps=1, reporters=[]))
        return forward(module, *args, **kwargs)

    def end():
        found = [[one.rule_id, one.severity.value] for auditor in auditors for one in auditor.finish().findings]
        Path(told).write_text(json.dumps(found))

    torch.optim.Optimizer.__init__, torch.nn.Module.__call__ = made, called
    atexit.register(end)


def read_torch_audit(done, *, but=()):
    found = [rule for rule, level in json.loads(done.told or "[]") if level in ("WARN", "ERROR", "FATAL") and not rule.startswith(but)]
    return Said([], bool(found), done.status != 0)


def read_torch_audit_of_faults(done):
    """The same without its rules of hardware and of style, which speak on nearly every program."""
    return read_torch_audit(done, but=("TA2", "TA4"))


# ---- linters: what runs them, and what is read from what they print -------------------------------------------------


def read_torch_preflight(done):
    found = [(one["path"], one["line"]) for one in json.loads(done.out)["diagnostics"] if one["severity"] != "note"]
    return Said(found, bool(found), False)


def read_torchfix(done):
    found = re.findall(r"^(\S[^\n]*?):(\d+):\d+: TOR", done.out, re.MULTILINE)
    return Said([(path, int(line)) for path, line in found], bool(found), False)


class Tool(NamedTuple):
    """A tool: the module by which the rivals' interpreter has it (none: this one has it), how it is read, and what lints or watches."""

    module: str
    read: object
    lint: tuple = ()
    watch: object = watch_nothing


TOOLS = {
    "PyTorch's own warnings": Tool("torch", read_warnings),
    "Tensan": Tool("", read_tensan, watch=watch_tensan),
    "`set_detect_anomaly`": Tool("torch", read_detect_anomaly, watch=watch_detect_anomaly),
    "torch-audit": Tool("torch_audit", read_torch_audit, watch=watch_torch_audit),
    "torch-audit without TA2xx and TA4xx": Tool("torch_audit", read_torch_audit_of_faults, watch=watch_torch_audit),
    "torch-preflight": Tool("torch_preflight", read_torch_preflight, lint=("-m", "torch_preflight", "check", "--format", "json")),
    "torchfix": Tool("torchfix", read_torchfix, lint=("-m", "torchfix")),
}


# ---- the process that forks, in the interpreter that has the rivals -------------------------------------------------


def serve(name):
    """Runs each script that is named on standard input under a tool, in a child, and says how it ended."""
    import torch
    import torch._dynamo
    import torch.utils.data

    assert torch.__version__
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(name, order)
        _, status, used = os.wait4(child, 0)
        print(json.dumps({"status": os.waitstatus_to_exitcode(status), "cpu": used.ru_utime + used.ru_stime}), flush=True)


def _become(name, order):
    """Turns this process into the program; never returns."""
    for stream, path in enumerate([os.devnull, order["out"], order["err"]]):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), stream)
    os.chdir(order["folder"])
    script = order["script"]
    sys.stdin, sys.argv, sys.path[0] = open(os.devnull), [script], os.path.dirname(script)  # noqa: SIM115
    start = TOOLS[name].watch(order["told"]) or (lambda script: runpy.run_path(script, run_name="__main__"))
    status = 0
    try:
        status = start(script) or 0
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # noqa: BLE001 - shown as python shows it
        sys.excepthook(*sys.exc_info())
        status = 1
    import atexit
    import threading

    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else 0)


# ---- the measurement ------------------------------------------------------------------------------------------------


class Watching:
    """Runs programs under a tool that watches."""

    def __init__(self, name, python):
        plain = {key: value for key, value in os.environ.items() if not key.startswith("TENSAN")}
        words = [python, __file__, "--serve", name]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=plain)

    def __call__(self, script):
        with tempfile.TemporaryDirectory() as scratch:
            paths = {key: str(Path(scratch, key)) for key in ("out", "err", "told")}
            self._process.stdin.write(json.dumps({"script": script, "folder": scratch, **paths}) + "\n")
            self._process.stdin.flush()
            ended = json.loads(self._process.stdout.readline())
            texts = {key: Path(path).read_text() if os.path.exists(path) else "" for key, path in paths.items()}
        return Done(**ended, **texts)

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def linting(words, python):
    """Returns what lints a script."""

    def lint(script):
        before = os.times()
        done = subprocess.run([python, *words, script], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return Done(done.returncode, done.stdout, done.stderr, "", cpu)

    return lint


def judged(run, done, read):
    said = read(done)
    near = any(
        path.replace(os.sep, "/").endswith(file) and abs(line - wanted) <= corpus.NEAR
        for path, line in said.places
        for file, wanted in run.guilty
    )
    return {"name": run.name, "kind": run.kind, "seen": said.anything, "line": near, "broke": said.broke, "cpu": round(done.cpu, 2)}


def summed(rows):
    faulty, right = [row for row in rows if row["kind"] == "buggy"], [row for row in rows if row["kind"] != "buggy"]
    alarmed = {row["name"] for row in right if row["seen"]}
    return {
        "seen": sum(row["seen"] for row in faulty),
        "apart": sum(row["seen"] and row["name"] not in alarmed for row in faulty),
        "line": sum(row["line"] for row in faulty),
        "alarms": sum(row["seen"] for row in right),
        "broke": sum(row["broke"] for row in rows),
        "cpu": round(sum(row["cpu"] for row in rows), 1),
        "rows": rows,
    }


def version(module, python):
    """Returns the version of a tool in the interpreter that has it; None where it is not installed there."""
    code = f"import importlib.metadata as m; print(next(m.version(n) for n in m.packages_distributions()[{module!r}]))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def measure(folder, python, *, only=(), known=None):
    """Yields what has been measured so far, after each tool; tools that are left out keep what is known of them."""
    runs = list(corpus.runs(folder))
    tools, missing = dict(known or {}), []
    for name in only or TOOLS:
        tool = TOOLS[name]
        found = version(tool.module, python) if tool.module else results.commit()
        if found is None:
            missing.append(name)
            continue
        start = linting(tool.lint, python) if tool.lint else Watching(name, python if tool.module else sys.executable)
        tools.pop(name, None)
        tools[name] = {"version": found} | summed([judged(run, start(str(run.script.resolve())), tool.read) for run in runs])
        if not tool.lint:
            start.close()
        yield {
            "faulty": sum(run.kind == "buggy" for run in runs),
            "right": sum(run.kind != "buggy" for run in runs),
            "tools": tools,
            "missing": missing,
            "not_run": NOT_RUN,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has the rivals and PyTorch (default: this one)")
    parser.add_argument("--corpus", type=Path, default=corpus.FOLDER)
    parser.add_argument("--only", action="append", choices=TOOLS, default=[])
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve)
    from bench import machine

    measured = {"date": time.strftime("%Y-%m-%d"), "commit": results.commit(), "changed": results.is_changed(), "machine": machine()}
    before = results.latest().get("rivals")
    known = before["tools"] if options.only and before and before["measured"]["date"] == measured["date"] else {}
    for held in measure(options.corpus, options.python, only=options.only, known=known):
        (*_, name) = held["tools"]
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in held["tools"][name].items() if key != "rows"), flush=True)
        kept = results.keep(measured | {"rivals": held | {"measured": {key: measured[key] for key in measured if key != "rivals"}}})
    print(f"kept in {kept}")


if __name__ == "__main__":
    main()
