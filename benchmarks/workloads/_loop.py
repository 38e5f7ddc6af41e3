"""Times a training loop by the CPU and by the wall clock and prints both as JSON: what every workload does around its own step."""

import argparse
import json
import time

import torch


def measure(step, *, steps):
    """Calls `step(number)` so many times after a twentieth of them as warm-up, and prints what the rest took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=steps)
    steps = parser.parse_args().steps
    torch.set_num_threads(1)
    warm_up = steps // 20
    for number in range(warm_up):
        step(number)
    wall, cpu = time.perf_counter(), time.process_time()
    for number in range(warm_up, steps):
        loss = step(number)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    counted = steps - warm_up
    print(json.dumps({"steps": counted, "loop_cpu": cpu, "loop_wall": wall, "step_ms": 1000 * cpu / counted, "loss": loss.item()}))
