"""A collector that is dead or hostile costs the training nothing: what watching takes is what it takes without one, within its budget."""

from contextlib import nullcontext

import pytest
from trackers.test_hostile import COLLECTORS

pytestmark = pytest.mark.slow

PROGRAM = """
import json, resource, torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x, y = torch.randn(512, 64), torch.randn(512, 1)
model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
used = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
began, steps = used(), 0
while used() - began < SECONDS:
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
    steps += 1
"""
#: CPU seconds of a run whose cost is compared, and of one that has paid back what its first steps took, whatever they cost.
SHORT, LONG = 5, 30


def cost(run, folder, seconds, collector=None):
    """Returns the run as the report tells of it, once it was watched under a collector."""
    (folder / "train.py").write_text(PROGRAM.replace("SECONDS", str(seconds)))
    make, protocol = COLLECTORS[collector] if collector else (nullcontext, "")
    with make() as endpoint:
        environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol} if collector else {}
        outcome = run(folder / "train.py", environment=environment, track=["opentelemetry"] if collector else [])
    assert outcome.status == 0, outcome.stderr
    assert any("lost" in note for note in outcome.report.run.notes) == bool(collector)
    return outcome.report.run


def test_watching_takes_what_it_takes_without_a_collector(run, tmp_path):
    bare = cost(run, tmp_path, SHORT).cost
    for collector in ("never answers, grpc", "talks garbage, http", "answers 500"):
        told = cost(run, tmp_path, SHORT, collector).cost
        assert told["self_time_ms"] <= 1.25 * bare["self_time_ms"] + 25, collector
        assert told["deep_steps"] == bare["deep_steps"]


def test_the_budget_holds_where_nobody_answers(run, tmp_path):
    assert cost(run, tmp_path, LONG, "never answers, http").overhead_pct <= 1.1  # of 1.0: the last look may go beyond
