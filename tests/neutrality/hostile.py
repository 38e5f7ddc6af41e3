# ruff: noqa: E501
"""Programs whose forward does more than compute: counters, caches, hooks, writes, generators, files, threads."""

from __future__ import annotations

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

ids = torch.randint(1, 30, ({rows}, 9))
ids[torch.arange(9)[None] >= torch.randint(3, 9, ({rows}, 1))] = 0
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
    "running average": {
        "before": "class Meter:\n    def __init__(self):\n        self.sum = self.count = 0\n    def update(self, value):\n"
        "        self.sum += value; self.count += 1\nAVERAGE = Meter()",
        "forward": "AVERAGE.update(h.mean().item())",
        "end": "print(AVERAGE.sum, AVERAGE.count)",
    },
    "remembers calls": {
        "before": "import functools\n@functools.lru_cache(2)\ndef positions(length):\n    LOG.append(length)\n    return torch.randn(length, 16)",
        "forward": "h = h + positions(h.shape[1] - COUNT % 3)[:1]; COUNT += 1",
        "end": "print(positions.cache_info())",
    },
    "remembers weakly": {
        "before": "import weakref\nALIVE = weakref.WeakSet()",
        "forward": "ALIVE.add(h); self.calls = max(self.calls, len(ALIVE))",
    },
    "counts what is freed": {"before": "import weakref", "forward": "weakref.finalize(h, METER.update, [1]); LOG.append(METER[1])"},
    "replaces data": {"forward": "self.head.bias.data = self.head.bias.data * 0.99"},
    "writes data of a frozen parameter": {
        "made": "self.scale = nn.Parameter(torch.ones(16), requires_grad=False)",
        "forward": "self.scale.data.mul_(1.01); h = h * self.scale",
        "end": "print(model.scale.tolist())",
    },
    "writes data of a buffer": {"forward": "self.seen.data.add_(1)"},
    "writes a global tensor": {"before": "T = torch.zeros(16)", "forward": "T.add_(0.01); h = h + T", "end": "print(T.tolist())"},
    "averages earlier activations": {
        "before": "PAST = collections.deque(maxlen=2)",
        "forward": "PAST.append(h.detach().mean()); h = h - torch.stack(list(PAST)).mean()",
    },
    "feeds back its output": {
        "before": "STATE = {}",
        "forward": "h = h + STATE.get('last', 0); STATE['last'] = h.detach()[:, :1].mean(0)",
    },
    "own numpy generator": {"made": "self.random = np.random.RandomState(3)", "forward": "h = h + float(self.random.randn())"},
    "own python generator": {"made": "self.random = random.Random(3)", "forward": "h = h * self.random.choice([0.5, 1, 2])"},
    "shuffles a list": {"before": "ORDER = list(range(9))", "forward": "random.shuffle(ORDER); h = h[:, ORDER]", "end": "print(ORDER)"},
    "seeds numpy": {"forward": "np.random.seed(COUNT); COUNT += 1"},
    "puts a state back": {"forward": "s = torch.get_rng_state(); h = h + torch.randn(16); torch.set_rng_state(s)"},
    "skips layers at random": {"forward": "h = self.attention.out_proj(h) if random.random() < 0.5 else h"},
    "hook that goes": {
        "after": "def once(m, i, o):\n    LOG.append(1); handle.remove()\nhandle = model.norm.register_forward_hook(once)",
    },
    "hook that adds hooks": {
        "after": "def more(m, i, o):\n    LOG.append(len(m._forward_hooks))\n    if len(LOG) < 4:\n"
        "        m.register_forward_hook(lambda *a: LOG.append(0))\nmodel.norm.register_forward_hook(more)",
    },
    "hook with keywords": {
        "after": "model.attention.register_forward_pre_hook(lambda m, a, k: METER.update(sorted(k)), with_kwargs=True)",
    },
    "hook on every module": {
        "after": "hooked = nn.modules.module.register_module_forward_hook(lambda m, i, o: METER.update([type(m).__name__]))",
        "end": "hooked.remove()",
    },
    "hook on every backward": {
        "after": "model.norm.register_full_backward_pre_hook(lambda m, g: LOG.append(len(g)))",
    },
    "worker with a queue": {
        "before": "import queue\nQ = queue.Queue()\ndef work():\n    while (item := Q.get()) is not None:\n        LOG.append(item); Q.task_done()\n"
        "worker = threading.Thread(target=work); worker.start()",
        "forward": "Q.put(round(h.mean().item(), 6)); Q.join()",
        "end": "Q.put(None); worker.join()",
    },
    "pool of threads": {
        "before": "from concurrent.futures import ThreadPoolExecutor\nPOOL = ThreadPoolExecutor(2)",
        "forward": "LOG.append(sum(POOL.map(lambda t: float(t.sum()), h.detach()[:2])))",
        "end": "POOL.shutdown()",
    },
    "holds a lock": {"before": "LOCK = threading.Lock()", "forward": "with LOCK:\n            self.calls += 1"},
    "local to a thread": {"before": "LOCAL = threading.local()", "forward": "LOCAL.n = getattr(LOCAL, 'n', 0) + 1; LOG.append(LOCAL.n)"},
    "context variable": {
        "before": "import contextvars\nDEPTH = contextvars.ContextVar('depth', default=0)",
        "forward": "DEPTH.set(DEPTH.get() + 1)",
        "end": "print(DEPTH.get())",
    },
    "environment": {
        "before": "import os\nos.environ['CALLS'] = '0'",
        "forward": "os.environ['CALLS'] = str(int(os.environ['CALLS']) + 1)",
        "end": "print(os.environ['CALLS'])",
    },
    "property that counts": {
        "before": "class Counted(nn.Linear):\n    @property\n    def gain(self):\n        LOG.append(1); return 1.0 + len(LOG) * 1e-3",
        "made": "self.counted = Counted(16, 16)",
        "forward": "h = self.counted(h) * self.counted.gain",
    },
    "scale for the loss": {"forward": "self.calls += 1; self.scale = 1 / self.calls", "step": "LOG.append(model.scale)"},
    "calls itself": {
        "made": "self.inside = False",
        "forward": "if not self.inside:\n            self.inside = True\n            with torch.no_grad():\n                LOG.append(self(ids).sum().item())\n"
        "            self.inside = False",
    },
    "logs": {
        "before": "import logging, sys\nlogging.basicConfig(stream=sys.stdout, format='%(message)s')",
        "forward": "logging.warning('mean %.6f', h.mean().item())",
    },
    "writes lines to an open file": {
        "before": "FILE = open('lines.txt', 'w')",
        "forward": "FILE.write(f'{h.sum().item():.6f}\\n')",
        "end": "FILE.close()",
    },
    "pickles itself": {"before": "import pickle", "forward": "LOG.append(len(pickle.dumps(self.head)))"},
    "copies itself": {"before": "import copy", "forward": "h = h + copy.deepcopy(self.attention.out_proj)(h) * 0.1"},
    "saves its state": {"forward": "LOG.append(sorted(self.state_dict())[:2])"},
    "looks at its caller": {"before": "import sys", "forward": "LOG.append(sys._getframe().f_code.co_name)"},
    "collects garbage": {"before": "import gc", "forward": "gc.collect(); LOG.append(len(gc.garbage))"},
}


def program(name: str, *, rows: int = 96, cleared: bool = False) -> str:
    """Returns a program.

    Args:
        name: which.
        rows: of its data, of which a step takes 16.
        cleared: whether it throws its gradients away before it steps.
    """
    places = dict.fromkeys(("before", "made", "forward", "after", "step", "end"), "pass") | HOSTILE[name]
    places["step"] += "\n    optimizer.zero_grad()" if cleared else ""
    return PROGRAM.format(rows=rows, **places)
