# ruff: noqa: E501
"""Programs whose forward does more than compute: a step of theirs is played again, and everything they leave behind is as it was."""

import pytest

from tensan.testing import compare

PROGRAM = """
import collections, itertools, random, threading, warnings
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0); torch.set_num_threads(1); random.seed(0); np.random.seed(0)
COUNT, LOG, CACHE, METER = 0, [], {{}}, collections.Counter()
{before}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30, 16)
        self.attention = nn.MultiheadAttention(16, 2, dropout=0.1, batch_first=True)
        self.norm, self.drop, self.head = nn.BatchNorm1d(16), nn.Dropout(0.2), nn.Linear(16, 3)
        self.register_buffer("seen", torch.zeros(4))
        self.calls = 0
        {made}

    def forward(self, ids):
        global COUNT
        h = self.embedding(ids)
        {forward}
        h = h + self.attention(h, h, h, need_weights=False)[0]
        return self.head(self.drop(self.norm(h.mean(1))))

ids = torch.randint(1, 30, (96, 9))
ids[torch.arange(9)[None] >= torch.randint(3, 9, (96, 1))] = 0
labels = (ids == 5).any(1).long()
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
{after}
for x, y in DataLoader(TensorDataset(ids, labels), batch_size=16, shuffle=True):
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    {step}
    optimizer.step()
    print(f"{{loss.item():.9f}}", torch.rand(()).item(), random.random(), np.random.rand())
print(COUNT, LOG, CACHE, sorted(METER.items()), model.calls, model.seen.tolist(), [p._version for p in model.parameters()])
print([b._version for b in model.buffers()], x._version, ids._version, sum(p.double().sum().item() for p in model.parameters()))
{end}
"""

#: Name, then what is put into the places of the program.
HOSTILE = {
    "nothing": {},
    "counts globally": {"forward": "COUNT += 1"},
    "counts in an attribute": {"forward": "self.calls += 1"},
    "appends to a list": {"forward": "LOG.append(tuple(h.shape))"},
    "appends numbers": {"forward": "LOG.append(round(h.sum().item(), 6))"},
    "keeps tensors": {"forward": "LOG.append(h.detach())", "end": "print(len(LOG))"},
    "caches by shape": {"forward": "h = h + CACHE.setdefault(h.shape[1], torch.randn(h.shape[1], 16))"},
    "meters": {"forward": "METER[int(ids.sum()) % 7] += 1"},
    "iterates": {"before": "TICKS = itertools.count()", "forward": "h = h * (1 + next(TICKS) * 1e-3)"},
    "pops": {"before": "STACK = list(range(100))", "forward": "h = h + STACK.pop() * 1e-3"},
    "generates": {"before": "def gen():\n    while True:\n        yield torch.randn(16)\nG = gen()", "forward": "h = h + next(G)"},
    "prints": {"forward": "print('forward', self.training)"},
    "warns": {"forward": "warnings.warn(f'call {COUNT}')"},
    "writes a file": {"forward": "open('calls.txt', 'a').write('x')", "end": "print(len(open('calls.txt').read()))"},
    "reads its clock of calls": {"forward": "self.calls += 1; h = h if self.calls % 2 else h * 1.5"},
    "draws from torch": {"forward": "h = h + 0.1 * torch.randn_like(h)"},
    "draws from python": {"forward": "h = h * random.uniform(0.9, 1.1)"},
    "draws from numpy": {"forward": "h = h + torch.from_numpy(np.random.randn(16).astype('float32'))"},
    "draws from a generator": {"before": "G = torch.Generator().manual_seed(3)", "forward": "h = h + torch.randn(16, generator=G)"},
    "draws in place": {"forward": "h = h + torch.empty(16).uniform_(-0.1, 0.1)"},
    "draws a permutation": {"forward": "h = h[:, torch.randperm(h.shape[1])]"},
    "draws samples": {"forward": "h = h + torch.multinomial(torch.ones(5), 1) * 0.01"},
    "seeds": {"forward": "torch.manual_seed(COUNT)"},
    "forks its generators": {"forward": "with torch.random.fork_rng():\n            torch.manual_seed(5); h = h + torch.randn(16)"},
    "augments by numpy": {"before": "N = np.random.default_rng(0)", "forward": "h = h + float(N.normal())"},
    "writes into a buffer": {"forward": "self.seen += ids.float().mean()"},
    "writes into a slice of a buffer": {"forward": "self.seen[1:3] = h.detach().mean()"},
    "copies into a buffer": {"forward": "self.seen.copy_(h.detach()[0, 0, :4])"},
    "replaces a buffer": {"forward": "self.seen = self.seen + h.detach()[0, 0, :4]"},
    "writes by data": {"forward": "self.head.bias.data.mul_(0.9)"},
    "writes a parameter": {"forward": "with torch.no_grad():\n            self.head.bias.add_(0.01)"},
    "clamps a parameter": {"forward": "self.head.weight.data.clamp_(-0.1, 0.1)"},
    "fills by numpy": {"forward": "self.seen.numpy()[0] += 1"},
    "writes its input": {"forward": "ids[:, 0] = 1; h = self.embedding(ids)"},
    "writes its activations": {"forward": "h = h * 1; h[:, 0] = 0; h.mul_(2).add_(1)"},
    "writes a view": {"forward": "h = h.clone(); h.view(-1)[::3] = 0; h.transpose(0, 1)[1] += 1"},
    "relu in place": {"forward": "h = F.relu(h + 1, inplace=True); h = F.dropout(h * 1, 0.1, True, inplace=True)"},
    "renormalises the embedding": {"forward": "h = h + F.embedding(ids, self.embedding.weight, max_norm=1.0)"},
    "momentum of a teacher": {
        "made": "self.teacher = nn.Linear(16, 16).requires_grad_(False)",
        "forward": "with torch.no_grad():\n            self.teacher.weight.lerp_(self.attention.out_proj.weight, 0.1)\n        h = h + self.teacher(h)",
    },
    "queue of negatives": {
        "made": "self.register_buffer('queue', torch.randn(32, 16)); self.at = 0",
        "forward": "h = h + (h @ self.queue.clone().t()).mean(-1, keepdim=True)\n        self.queue[self.at : self.at + 16] = h.detach().mean(1)\n"
        "        self.at = (self.at + 16) % 32",
    },
    "attribute for the loss": {"forward": "self.last = h"},
    "hook that appends": {"after": "model.attention.register_forward_hook(lambda m, i, o: LOG.append(1))"},
    "hook that changes": {"after": "model.embedding.register_forward_hook(lambda m, i, o: o * 1.1)"},
    "hook before": {"after": "model.head.register_forward_pre_hook(lambda m, i: (i[0] + 0.1,))"},
    "hook on a parameter": {"after": "model.head.weight.register_hook(lambda g: LOG.append(1) or g * 0.5)"},
    "hook after accumulation": {"after": "model.head.weight.register_post_accumulate_grad_hook(lambda p: LOG.append(p.grad.shape))"},
    "hook on an activation": {"forward": "h.register_hook(lambda g: LOG.append(1))"},
    "backward hook of a module": {"after": "model.head.register_full_backward_hook(lambda m, i, o: LOG.append(2))"},
    "retains a gradient": {"forward": "h.retain_grad(); self.kept = h", "step": "LOG.append(model.kept.grad is not None)"},
    "custom function": {
        "before": "class Double(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        LOG.append('f'); return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        LOG.append('b'); return g * 2",
        "forward": "h = Double.apply(h)",
    },
    "saved tensors hooks": {
        "forward": "with torch.autograd.graph.saved_tensors_hooks(lambda t: LOG.append(1) or t, lambda t: t):\n            h = h * h.sigmoid()"
    },
    "checkpoint": {
        "before": "from torch.utils.checkpoint import checkpoint",
        "forward": "h = checkpoint(lambda t: LOG.append(1) or F.dropout(t, 0.1).tanh(), h, use_reentrant=False)",
    },
    "gradient inside": {"forward": "g, = torch.autograd.grad(h.pow(2).sum(), h, create_graph=True); h = h + g * 0.01"},
    "autocast": {"forward": "with torch.autocast('cpu', dtype=torch.bfloat16):\n            h = h + self.attention.out_proj(h)"},
    "switches gradients off": {"forward": "torch.set_grad_enabled(False); self.calls += 1; torch.set_grad_enabled(True)"},
    "reads a number": {"forward": "h = h if h.mean().item() < 1e9 else h * 0"},
    "branches on a value": {"forward": "h = h * 2 if (ids.sum() % 2 == 0) else h"},
    "picks by mask": {"forward": "self.calls += len(h[ids > 3])"},
    "threads": {
        "forward": "t = threading.Thread(target=lambda: LOG.append(1)); t.start(); t.join()",
    },
    "computes in a thread": {
        "forward": "t = threading.Thread(target=lambda: CACHE.update(x=float(torch.ones(3).sum()))); t.start(); t.join()"
    },
    "sets the default type": {"forward": "torch.set_default_dtype(torch.float64); torch.set_default_dtype(torch.float32)"},
    "deletes": {"forward": "t = h * 2; del t"},
    "catches": {
        "forward": "try:\n            h @ torch.ones(3)\n        except RuntimeError as error:\n            LOG.append(type(error).__name__)"
    },
    "changes its own mode": {"forward": "self.drop.train(COUNT % 2 == 0); COUNT += 1"},
    "adds a parameter": {"forward": "self.extra = getattr(self, 'extra', None) or nn.Parameter(torch.zeros(1)); h = h + self.extra"},
    "weights by hand": {"step": "[p.grad.mul_(0.5) for p in model.parameters() if p.grad is not None]"},
    "double precision": {"forward": "h = (h.double() * 2).float()"},
    "numpy and back": {"forward": "h = h + torch.tensor(h.detach().numpy().mean(), dtype=torch.float32)"},
    "shared memory": {
        "before": "A = np.zeros(16, dtype='float32'); T = torch.from_numpy(A)",
        "forward": "np.add(A, 1, out=A); h = h + T * 0.01",
    },
    "vmap": {"forward": "h = torch.func.vmap(lambda t: t * 2)(h)"},
    "profiles": {"forward": "with torch.profiler.record_function('block'):\n            h = h * 1"},
    "subclass": {
        "before": "class Tagged(torch.Tensor):\n    pass",
        "forward": "h = h.as_subclass(Tagged) * 1; h = h.as_subclass(torch.Tensor)",
    },
    "strides": {"forward": "h = h.transpose(1, 2).contiguous().transpose(1, 2).as_strided(h.shape, h.stride())"},
    "sets memory": {"forward": "t = torch.zeros(3); t.set_(torch.ones(3)); h = h + t.sum()"},
    "resizes": {"forward": "t = torch.zeros(3); t.resize_(5).fill_(1); h = h + t.sum()"},
    "sparse": {"forward": "h = h + torch.sparse.mm(torch.eye(16).to_sparse(), torch.ones(16, 1)).t()"},
    "complex": {"forward": "h = h + torch.fft.ifft(torch.fft.fft(h)).real"},
    "empty": {"forward": "torch.empty(0, 4).sum(); h = torch.cat([h, h[:, :0]], 1)"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_everything_left_behind_is_the_same(name, stem, tmp_path):
    places = dict.fromkeys(("before", "made", "forward", "after", "step", "end"), "pass") | HOSTILE[name]
    program = tmp_path / "hostile.py"
    program.write_text(PROGRAM.format(**places))
    bare = stem.run(program, watched=False, remains=True)
    assert bare.status == 0, bare.stderr
    watched = stem.run(program, remains=True, flags={"preview": True, "overhead": 100.0})
    assert watched.report is not None, watched.stderr
    assert not watched.report.run.notes, watched.report.run.notes
    assert not compare(bare, watched)
    run = watched.report.run
    assert "SHP102" in run.rules_armed or any(what.startswith("replay (") for what in run.not_checked), run.rules_armed


def test_the_table_is_long_enough():
    assert len(HOSTILE) >= 70
