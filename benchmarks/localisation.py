"""Localisation: faults planted by a generator that the commit seeds, to see whether the first bad operation and its line are named.

Each program trains a small model and meets, at one step, values that an operation cannot take, or that were broken before any
operation: in the batch, in a parameter, in a buffer or by the optimizer. The depth, where it is written, how the batch comes and the shape
of the loop are drawn at random. Counted is whether the first finding names the operation, and whether it stands on its line; and what the
search took, in steps of that program. The same program is run without Tensan under `torch.autograd.detect_anomaly`, which everybody would
try first: counted is whether it stops, and whether its forward trace ends in that line.
"""

import itertools
import json
import random
import re
import tempfile
import textwrap
from pathlib import Path
from typing import NamedTuple

import results

from tensan.testing import Stem

#: Programs of one run; quick: fewer.
PROGRAMS, QUICK = 120, 24


class Fault(NamedTuple):
    """An expression of `h` (features) and `g` (one number per sample, 1 as a rule), and the `g` at which it breaks."""

    operation: str
    kind: str
    expression: str
    gate: str


FAULTS = (
    Fault("log", "forward", "torch.log(h.abs() * g)", "0.0"),
    Fault("log", "forward", "(h.abs() * g).log()", "0.0"),
    Fault("log1p", "forward", "torch.log1p(-(g < 0.5).float() + h.abs() * g)", "0.0"),
    Fault("exp", "forward", "torch.exp(h.abs() * g)", "1e5"),
    Fault("div", "forward", "h / (h.abs() * g)", "0.0"),
    Fault("sqrt", "forward", "torch.sqrt(h.abs() * g + 0.1)", "-1e4"),
    Fault("rsqrt", "forward", "torch.rsqrt(h.pow(2) * g)", "0.0"),
    Fault("reciprocal", "forward", "torch.reciprocal(h.abs() * g + 1e-4 * g)", "0.0"),
    Fault("pow", "forward", "(h.abs() * g).pow(-0.5)", "0.0"),
    Fault("softmax", "forward", "torch.softmax(h.masked_fill(g < 0.5, float('-inf')), dim=1)", "0.0"),
    Fault("cast", "forward", "(h * g).half().float()", "1e7"),
    Fault("square", "forward", "(h * g).pow(2)", "1e25"),
    Fault("mul", "forward", "h * g * g", "1e25"),
    Fault("atanh", "forward", "torch.atanh(torch.tanh(h * g))", "1e9"),
    Fault("acos", "forward", "torch.acos(torch.tanh(h) * g)", "1e9"),
    Fault("sqrt", "backward", "torch.sqrt(h.abs() * g)", "0.0"),
    Fault("sqrt", "backward", "(h.pow(2).sum(1, keepdim=True) * g).sqrt() * h", "0.0"),
    Fault("pow", "backward", "(h.abs() * g).pow(0.5)", "0.0"),
    Fault("pow", "backward", "(h.abs() * g) ** 0.3", "0.0"),
    Fault("sqrt", "backward", "(h * g).var(dim=1, keepdim=True).sqrt() + h", "0.0"),
    Fault("acos", "backward", "torch.acos(torch.tanh(h * g))", "1e6"),
    Fault("asin", "backward", "torch.asin(torch.tanh(h * g))", "1e6"),
    Fault("rsqrt", "backward", "torch.where(g > 0.5, torch.rsqrt(h.pow(2) * g + 1e-3 * g), h)", "0.0"),
    Fault("div", "backward", "torch.where(g > 0.5, h / g, torch.zeros_like(h))", "0.0"),
    Fault("log", "backward", "torch.where(g > 0.5, torch.log(h.abs() * g + 1e-3 * g), torch.zeros_like(h))", "0.0"),
    Fault("sqrt", "backward", "torch.where(g > 0.5, torch.sqrt(h.abs() * g), h)", "0.0"),
    Fault("exp", "backward", "torch.where(g < 2, torch.exp(h.abs() * g), h)", "1e5"),
    Fault("x", "data", "h * g", "float('nan')"),
    Fault("x", "data", "h * g", "float('inf')"),
    Fault("weight", "parameter", "net.head.weight[0, 3] = float('nan')", "1.0"),
    Fault("weight", "parameter", "net.body[0].weight.div_(0 * net.body[0].weight)", "1.0"),
    Fault("bias", "parameter", "net.body[0].bias.data.add_(float('inf'))", "1.0"),
    Fault("inverse", "buffer", "1 / torch.tensor([1.0, 2.0, 0.0, 1.0, 3.0, 1.0, 2.0, 1.0])", "1.0"),
    Fault("inverse", "buffer", "torch.tensor([1.0, 2.0, -1.0, 1.0, 3.0, 1.0, 2.0, 1.0]).sqrt()", "1.0"),
    Fault("eps", "optimizer", "RMSprop(net.parameters(), lr=1e-3, eps=0.0)", "1.0"),
    Fault("eps", "optimizer", "Adam(net.parameters(), lr=1e-3, eps=0.0)", "1.0"),
    Fault("eps", "optimizer", "Adagrad(net.parameters(), lr=1e-3, eps=0.0)", "1.0"),
)
#: Broken before any operation: where the expression is written, and what the model computes instead.
OUTSIDE = {"data": "h * g", "parameter": "h * g", "buffer": "h * self.inverse", "optimizer": "h * g"}

#: Says, in the watched program, what the search took and what a step takes, both in CPU time of the thread, and how often it played a step.
TIMED = """
import atexit, json, time
from torch.optim.optimizer import register_optimizer_step_post_hook
from tensan.adapters.torch.statistics import Statistics
from tensan.adapters.torch.template import Template
ends, searches, search, play, plays, most = [], [], Statistics._locate, Template.play, 0, 0
def counted(self, *args, **kwargs):
    global plays
    plays += 1
    return play(self, *args, **kwargs)
Template.play = counted
def timed(self, record):
    global most
    began, before = time.thread_time_ns(), plays
    search(self, record)
    searches.append(time.thread_time_ns() - began)
    most = max(most, plays - before)
Statistics._locate = timed
register_optimizer_step_post_hook(lambda *_: ends.append(time.thread_time_ns()))
atexit.register(lambda: open("times.json", "w").write(json.dumps({"ends": ends, "searches": searches, "replays": most})))
"""

MODEL = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential({layers})
        self.head = nn.Linear(8, 1)
{buffer}
    def forward(self, x, g):
        h = self.body(x)
{inside}
        return self.head(h){outside}
"""
BODY = {
    "module": ("        h = {expression}  #!", "", "", "net(x, g)"),
    "function": ("        h = features(h, g)", "", "def features(h, g):\n    return {expression}  #!\n", "net(x, g)"),
    "loss": ("", ", h", "", "net(x, g)"),
}
LOOPS = {
    "module level": """
{setup}
for step, {batch} in {source}:
{fetch}
{step}
print(loss.item())
""",
    "function": """
def main():
    {setup}
    for step, {batch} in {source}:
{fetch}
{step}
    print(loss.item())


main()
""",
    "class": """
class Trainer:
    def __init__(self):
        {setup}
        self.net, self.opt, self.X, self.G, self.Y = net, opt, X, G, Y

    def fit(self):
        net, opt, X, G, Y = self.net, self.opt, self.X, self.G, self.Y
        for step, {batch} in {source}:
{fetch}
{step}
        print(loss.item())


Trainer().fit()
""",
}
SETUP = """torch.manual_seed({seed})
torch.set_num_threads(1)
X, G = torch.randn({n}, 5), torch.ones({n}, 1)
Y = X.sum(1, keepdim=True)
G[{row}] = {gate}
net = Net()
opt = torch.optim.{optimizer}"""
BATCHES = {
    "slices": ("i", "enumerate(range(0, {n}, 16))", "x, g, y = X[i : i + 16], G[i : i + 16], Y[i : i + 16]"),
    "inline": ("i", "enumerate(torch.arange({n}).split(16))", "y = Y[i]"),
    "loader": ("(x, g, y)", "enumerate(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, G, Y), batch_size=16))", ""),
    "dictionary": (
        "batch",
        "enumerate([dict(x=X[i : i + 16], g=G[i : i + 16], y=Y[i : i + 16]) for i in range(0, {n}, 16)])",
        "x, g, y = batch['x'], batch['g'], batch['y']",
    ),
}


def program(number, chance):
    """Returns a program's text and the fault that is planted in it."""
    fault = FAULTS[number % len(FAULTS)]
    places = ["module"] if fault.kind in OUTSIDE else ["module", "function"] if fault.operation == "cast" else list(BODY)
    place = chance.choice(places)
    depth = chance.randint(1, 4)
    layers = ", ".join(f"nn.Linear({5 if level == 0 else 8}, 8), nn.{chance.choice(['Tanh', 'ReLU', 'GELU'])}()" for level in range(depth))
    between = chance.choice(["", "", "nn.Dropout(0.1), ", "nn.LayerNorm(8), ", "nn.BatchNorm1d(8), "])
    layers += f", {between}nn.Linear(8, 8)"
    inside, outside, helper, call = BODY[place]
    num_steps = chance.choice([12, 40, 90, 300])
    bad = chance.randrange(1, num_steps)
    kind = chance.choice(list(BATCHES))
    batch, source, fetch = (part.format(n=16 * num_steps) for part in BATCHES[kind])
    if kind == "inline":
        call = call.replace("(x, g)", "(X[i], G[i])")
    step = [f"out = {call}"]
    if place == "loss":
        step = [f"out, h = {call}", *(["g = G[i]"] if kind == "inline" else []), f"extra = {fault.expression}  #!"]
        loss = "(out - y).pow(2).mean() + 1e-3 * extra.mean()"
    else:
        loss = "(out - y).pow(2).mean()"
    if fault.kind == "parameter":
        step = [f"if step == {bad}:", "    with torch.no_grad():", f"        {fault.expression}  #!", *step]
    step += [f"loss = {loss}", "opt.zero_grad()", "loss.backward()"]
    if chance.random() < 0.3:
        step.append("nn.utils.clip_grad_norm_(net.parameters(), 1.0)")
    step.append("opt.step()")
    shape = chance.choice(list(LOOPS))
    indent = {"module level": 4, "function": 8, "class": 12}[shape]
    setup = SETUP.format(
        seed=chance.randrange(1000),
        n=16 * num_steps,
        row=16 * bad + chance.randrange(16),
        gate=fault.gate,
        optimizer=f"{fault.expression}  #!"
        if fault.kind == "optimizer"
        else chance.choice(["SGD", "Adam"]) + "(net.parameters(), lr=1e-3)",
    )
    if fault.kind == "optimizer":  # a feature that is always zero: the weights that it meets have no gradient but zero
        setup = setup.replace("Y = X.sum", "X[:, 2] = 0.0\nY = X.sum")
    expression = OUTSIDE.get(fault.kind, fault.expression)
    buffer = f"        self.register_buffer('inverse', {fault.expression})  #!\n" if fault.kind == "buffer" else ""
    if fault.kind in OUTSIDE:
        inside = inside.replace("  #!", "")
    text = "import torch\nfrom torch import nn\n\n\n" + helper.format(expression=expression) + "\n"
    text += MODEL.format(layers=layers, inside=inside.format(expression=expression), outside=outside, buffer=buffer)
    text += LOOPS[shape].format(
        setup=textwrap.indent(setup, " " * (indent - 4)).lstrip(),
        batch=batch,
        source=source,
        fetch=textwrap.indent(fetch, " " * indent),
        step=textwrap.indent("\n".join(step), " " * indent),
    )
    return text, fault, {"place": place, "depth": depth, "batch": kind, "loop": shape, "layer": between.split("(")[0], "step": bad}


def measure(options):
    """Runs the programs; the seed is the commit, so that nobody tunes to it."""
    seed = getattr(options, "seed", None) or results.commit()
    chance = random.Random(seed)
    rows = []
    with tempfile.TemporaryDirectory() as folder, Stem() as stem:
        for number in range(QUICK if options.quick else PROGRAMS):
            text, fault, drawn = program(number, chance)
            path = Path(folder, f"fault_{number}.py")
            path.write_text(text)
            wanted = {index for index, line in enumerate(text.splitlines(), 1) if line.endswith("#!")}
            if fault.kind == "data":  # where the batch enters, or where it first meets the model
                wanted |= {index for index, line in enumerate(text.splitlines(), 1) if "net(" in line}
            rows.append(
                {
                    "operation": fault.operation,
                    "kind": fault.kind,
                    **drawn,
                    **judge(path, fault, wanted, stem, getattr(options, "flags", None)),
                }
            )
            if getattr(options, "keep_failures", None) and not rows[-1]["line"]:
                Path(options.keep_failures, path.name).write_text(text)
    costs = sorted(row["search_steps"] for row in rows if row["search_steps"] is not None)
    took = {"median": costs[len(costs) // 2], "most": costs[-1], "above_20": sum(cost > 20 for cost in costs)} if costs else {}
    replays = max((row["replays"] for row in rows), default=0)
    different = {(row["operation"], row["kind"], row["place"], row["depth"], row["batch"], row["loop"]) for row in rows}
    return {
        "seed": seed,
        "programs": len(rows),
        "different": len(different),
        "search_steps": took,
        "most_replays": replays,
        "kinds": {kind: _of_kind(rows, kind) for kind in dict.fromkeys(row["kind"] for row in rows)},
        **{key: sum(row[key] for row in rows) for key in COUNTED},
        "rows": rows,
    }


def _of_kind(rows, kind):
    of = [row for row in rows if row["kind"] == kind]
    return {"programs": len(of), **{key: sum(row[key] for row in of) for key in COUNTED}}


COUNTED = ("seen", "line", "named", "anomaly_stops", "anomaly_line")


def judge(path, fault, wanted, stem, flags=None):
    """Returns what Tensan and what anomaly mode say of a program."""
    outcome = stem.run(path, prelude=TIMED, flags=flags)
    times = json.loads(outcome.files.get("times.json", b"{}"))
    steps = sorted(after - before for before, after in itertools.pairwise(times.get("ends", ())))
    told = [one for one in outcome.report.findings if one.level != "hint"] if outcome.report else []
    first = told[0] if told else None
    named = str(first.evidence.get("operation", "")) if first else ""
    same = named == fault.operation or (fault.kind == "data" and first is not None and first.evidence.get("kind") == "batch")
    if first is not None and fault.kind in ("parameter", "buffer"):
        same = f"{fault.operation}`" in first.message
    elif first is not None and fault.kind == "optimizer":
        same = first.code == "NUM102" and "eps" in first.label
    same = same or {named, fault.operation} in ({"square", "pow"}, {"cast", "_to_copy"})
    bare = stem.run(path, watched=False, prelude="import torch; torch.autograd.set_detect_anomaly(True)")
    trace = bare.stderr.partition("Traceback of forward call")[2].partition("(Triggered internally")[0]
    lines = re.findall(rf'File ".*{path.name}", line (\d+)', trace)
    return {
        "seen": bool(told),
        "line": first is not None and first.line in wanted,
        "named": same,
        "told": f"{first.code}:{first.line} {named}" if first else "",
        "wanted": sorted(wanted),
        "broke": outcome.status,
        "search_steps": round(sum(times["searches"]) / steps[len(steps) // 2], 1) if times.get("searches") and steps else None,
        "replays": times.get("replays", 0),
        "anomaly_stops": bare.status != 0,
        "anomaly_line": bool(lines) and int(lines[-1]) in wanted,
    }


def lines(figures):
    total = figures["programs"]
    yield f"{total} planted faults, {figures['different']} of them different; seed {figures['seed']}"
    yield f"the search took {figures['search_steps']} steps of the program that it searched, and at most {figures['most_replays']} replays"
    for kind, of in figures["kinds"].items():
        yield f"{kind}: " + ", ".join(f"{key} {value}" for key, value in of.items())
    yield f"{total} planted faults: seen {figures['seen']}, on their line {figures['line']}, operation named {figures['named']}"
    yield f"detect_anomaly beside it: stops {figures['anomaly_stops']}, forward trace ends in the line {figures['anomaly_line']}"


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed")
    parser.add_argument("--keep-failures")
    figures = measure(parser.parse_args())
    for row in figures["rows"]:
        if not (row["line"] and row["named"]):
            print(row)
    for line in lines(figures):
        print(line)
