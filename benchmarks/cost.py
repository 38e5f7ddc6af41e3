"""Cost: four workloads, bare and watched in turn, as ratios beside bare/bare; hook time, calls, syncs, bytes; start-up; memory."""

import compileall
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tensan

HERE = Path(__file__).resolve().parent
WORKLOADS = ("mlp", "lstm", "cnn", "transformer")
#: Part of a workload's steps that a quick look takes.
QUICK = {"mlp": 1500, "lstm": 80, "cnn": 50, "transformer": 12}
#: What a script does before its own first line can matter: its imports, and what torch imports behind the first optimizer.
START = "import torch\nmodel = torch.nn.Linear(4, 4)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"


def measure(options):
    # What pip does when it installs a package, and an editable install leaves to the first import.
    compileall.compile_dir(Path(tensan.__file__).parent, quiet=1)
    workloads = {}
    for name in WORKLOADS:
        steps = ["--steps", str(QUICK[name])] if options.quick else []
        workloads[name] = _workload(HERE / "workloads" / f"{name}.py", steps, turns=options.turns)
        print(f"   {_workload_line(name, workloads[name])}", flush=True)
    return {"workloads": workloads, "startup": _startup(turns=options.turns)}


def _workload(script, arguments, *, turns):
    rows = []
    for turn in range(turns):
        order = ["bare", "watched", "again"] if turn % 2 == 0 else ["again", "watched", "bare"]
        rows.append({kind: run(script, arguments, watched=kind == "watched") for kind in order})
    counted = rows[0]["watched"]["loop"]["steps"]
    all_steps = rows[0]["watched"]["report"]["run"]["steps"]
    reports = [row["watched"]["report"]["run"] for row in rows]
    median = statistics.median
    return {
        "turns": turns,
        "steps": counted,
        "step_ms": round(median(row["bare"]["loop"]["step_ms"] for row in rows), 3),
        "self_pct": round(median(run["overhead_pct"] for run in reports), 3),
        "self_ms": round(median(run["cost"].get("self_time_ms", 0) for run in reports), 1),
        "loop_ratio": round(median(row["watched"]["loop"]["loop_cpu"] / _both(row, "loop", "loop_cpu") for row in rows), 4),
        "loop_bare_bare": round(median(row["again"]["loop"]["loop_cpu"] / row["bare"]["loop"]["loop_cpu"] for row in rows), 4),
        "whole_ratio": round(median(row["watched"]["cpu"] / _both(row, "cpu") for row in rows), 4),
        "whole_bare_bare": round(median(row["again"]["cpu"] / row["bare"]["cpu"] for row in rows), 4),
        "calls_per_step": round(median(run["cost"].get("hook_calls", 0) for run in reports) / all_steps, 3),
        "syncs_per_step": round(median(run["cost"].get("device_syncs", 0) for run in reports) / all_steps, 3),
        "deep_steps": median(run["cost"].get("deep_steps", 0) for run in reports),
        "run_file_bytes": median(row["watched"]["bytes"] for row in rows),
        "memory_mb": round(median(row["watched"]["memory_mb"] - _both(row, "memory_mb") for row in rows), 1),
        "memory_bare_mb": round(median(row["bare"]["memory_mb"] for row in rows), 1),
        "same_loss": all(row[kind]["loop"]["loss"] == rows[0]["bare"]["loop"]["loss"] for row in rows for kind in row),
        "findings": sorted({told["code"] for row in rows for told in row["watched"]["report"]["findings"] if told["level"] != "hint"}),
    }


def _both(row, *keys):
    """The mean of the two bare runs of a turn."""
    values = []
    for kind in ("bare", "again"):
        value = row[kind]
        for key in keys:
            value = value[key]
        values.append(value)
    return sum(values) / 2


def run(script, arguments, *, watched, flags=(), environment=None):
    """Runs a workload in a process of its own and returns what it took, what it printed and, watched, its report."""
    with tempfile.TemporaryDirectory() as folder:
        report, runs = Path(folder, "report.json"), Path(folder, "runs")
        words = ["-m", "tensan", "run", "--quiet", "--json", str(report), "--output", str(runs), *flags] if watched else []
        names = {name: value for name, value in os.environ.items() if not name.startswith("TENSAN")} | (environment or {})
        output = Path(folder, "stdout")
        with output.open("wb") as stdout:
            began = time.monotonic()
            process = subprocess.Popen([sys.executable, *words, str(script), *arguments], cwd=folder, stdout=stdout, env=names)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise RuntimeError(f"{script}: ended with status {process.returncode}")
        text = output.read_text()
        return {
            "cpu": usage.ru_utime + usage.ru_stime,
            "wall": time.monotonic() - began,
            "memory_mb": usage.ru_maxrss / (1024 if sys.platform == "linux" else 1024 * 1024),
            "loop": json.loads(text) if text else {},
            "report": json.loads(report.read_text()) if watched else {},
            "bytes": sum(path.stat().st_size for path in runs.rglob("*.jsonl")),
        }


def _startup(*, turns):
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "start.py")
        script.write_text(START)
        pairs = [(run(script, [], watched=False), run(script, [], watched=True)) for _ in range(turns + 1)][1:]
    return {
        "cpu_s": round(statistics.median(watched["cpu"] - bare["cpu"] for bare, watched in pairs), 3),
        "wall_s": round(statistics.median(watched["wall"] - bare["wall"] for bare, watched in pairs), 3),
        "bare_cpu_s": round(statistics.median(bare["cpu"] for bare, _ in pairs), 3),
    }


def _workload_line(name, held):
    return (
        f"{name:12} {held['step_ms']:8.3f} ms/step  self {held['self_pct']:.2f} % ({held['self_ms']:.0f} ms)  "
        f"loop {held['loop_ratio']:.3f} (bare/bare {held['loop_bare_bare']:.3f})  "
        f"whole {held['whole_ratio']:.3f} ({held['whole_bare_bare']:.3f})  "
        f"{held['calls_per_step']:.2f} calls/step  {held['syncs_per_step']:.2f} syncs/step  "
        f"{held['deep_steps']:.0f} deep steps  {held['run_file_bytes']:.0f} bytes  {held['memory_mb']:+.1f} MB"
        + ("" if held["same_loss"] else "  LOSS DIFFERS")
        + (f"  ALARM {held['findings']}" if held["findings"] else "")
    )


def lines(figures):
    held = figures["startup"]
    yield f"start-up: {held['cpu_s']:+.3f} s of CPU, {held['wall_s']:+.3f} s by the clock, beyond {held['bare_cpu_s']:.2f} s of imports"
