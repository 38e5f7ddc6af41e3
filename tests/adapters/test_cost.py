"""What watching takes, counted in calls, since times are noisy: it does not grow with the number of steps."""

import pytest

STEPS = 1_500

LOOP = """
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for number in range({steps}):
    loss = nn.functional.mse_loss(model(x), y)
{body}
"""

BODIES = {
    "an ordinary step": "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()",
    "gradients are clipped": """
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()""",
    "updates by hand, without an optimizer": """
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.01 * parameter.grad""",
    "gradients that nobody uses": "    loss.backward()",
    "gradients without a backward": "    torch.autograd.grad(loss, list(model.parameters()))",
}


@pytest.mark.parametrize("name", BODIES)
def test_a_longer_run_is_not_heard_more_often(stem, tmp_path, name):
    script = tmp_path / "loop.py"
    script.write_text(LOOP.format(steps=STEPS, body=BODIES[name]))
    outcome = stem.run(script, flags={"overhead": 0.01})  # only what is done whatever it costs
    assert outcome.status == 0
    assert outcome.report is not None
    calls = outcome.report.run.cost["hook_calls"]
    assert calls < STEPS, f"{calls} calls in {STEPS} steps"
