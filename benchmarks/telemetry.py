"""Telemetry: what watching takes of a training loop whose collector is dead or hostile, beside the same loop with none."""

import sys
from pathlib import Path

import cost

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from hostile_collectors import COLLECTORS

WORKLOAD = "lstm"


def measure(options):
    script = cost.HERE / "workloads" / f"{WORKLOAD}.py"
    steps = ["--steps", str(cost.QUICK[WORKLOAD])] if options.quick else []
    bare = cost.run(script, steps, watched=False)
    figures = {"no telemetry": _figures(cost.run(script, steps, watched=True), bare)}
    for name, (make, protocol) in COLLECTORS.items():
        with make() as endpoint:
            environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol}
            figures[name] = _figures(
                cost.run(script, steps, watched=True, flags=["--track", "opentelemetry"], environment=environment), bare
            )
        print(f"   {name:42} self {figures[name]['self_pct']:.2f} %", flush=True)
    return {
        "workload": WORKLOAD,
        "collectors": figures,
        "worst_self_pct": max(held["self_pct"] for held in figures.values()),
        "same_loss": all(held["same_loss"] for held in figures.values()),
    }


def _figures(watched, bare):
    run = watched["report"]["run"]
    return {
        "self_pct": round(run["overhead_pct"], 3),
        "seconds": round(watched["wall"], 1),
        "same_loss": watched["loop"]["loss"] == bare["loop"]["loss"],
        "lost": sum("TEN903" in note for note in run["notes"]),
    }


def lines(figures):
    beside = figures["collectors"]["no telemetry"]["self_pct"]
    told = sum(held["lost"] > 0 for held in figures["collectors"].values())
    yield (
        f"{len(figures['collectors']) - 1} collectors: self {figures['worst_self_pct']:.2f} % at most, {beside:.2f} % with none; "
        f"{told} reports say what was lost; losses {'equal' if figures['same_loss'] else 'DIFFER'}"
    )
