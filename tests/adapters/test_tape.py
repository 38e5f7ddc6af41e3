"""A recorded step comes back bit for bit when it is played, a change spreads as it would have, and the program is left alone."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from tensan.adapters.torch import alignment
from tensan.adapters.torch.tape import Play, Refused, Tape, key_in_tape
from tensan.adapters.torch.trace import Trace


def record(program, *inputs):
    """Runs a program once with a tape open; returns the tape and what the program returned."""
    trace = Trace({})
    trace.tape = Tape()
    assert trace.open()
    result = program(*inputs)
    assert trace.close(), trace.failed
    return trace.tape, result


def played(tape, result, **changes):
    play = Play(tape, len(tape.entries), keep=[key_in_tape(result)], **changes)
    play.run()
    return play.plain(key_in_tape(result)), play.changed(key_in_tape(result))


def same(left, right):
    return left.shape == right.shape and not bool(alignment.moved(left.detach(), right.detach()).any())


def in_place(x):
    y = x * 2
    y.add_(1).clamp_(max=3)
    y[:, 0] = 7
    y.view(-1)[3:9].mul_(-1)
    return y.sum(1)


def views(x):
    left, right = x.chunk(2, -1)
    z = torch.cat([right.transpose(0, 1), left.t()], 0)
    return (z.unfold(0, 2, 1).squeeze() + z.expand(2, *z.shape)[0, :1, :, None]).flatten()


def indexing(x):
    order = torch.tensor([3, 1, 2])
    picked = x[order]
    picked[picked > 0] = 0.5
    wide = torch.zeros(8, x.shape[1]).index_add_(0, order, picked)
    return torch.where(wide > 0.1, wide, wide.exp()).gather(1, wide.argsort(1))


def random(x):
    noise = torch.randn_like(x) + torch.rand(x.shape) + torch.randint(0, 5, x.shape)
    noise = noise + torch.bernoulli(torch.full(x.shape, 0.3)) + torch.empty_like(x).normal_()
    noise = noise + torch.randn(x.shape, generator=torch.Generator().manual_seed(4))
    return F.dropout(x + noise, 0.4) + torch.randperm(x.shape[1])


class Everything(nn.Module):
    def __init__(self, core):
        super().__init__()
        self.core = core
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        self.count += 1
        result = self.core(x)
        return result[0] if isinstance(result, tuple) else result


def convolutional():
    return nn.Sequential(
        nn.Unflatten(1, (1, 2, 4)), nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten()
    )


def attending(x):
    q = x.view(len(x), 2, 2, 2).transpose(1, 2)
    mask = torch.ones(2, 2).tril().bool()
    a = F.scaled_dot_product_attention(q, q, q, attn_mask=mask)
    return a + F.scaled_dot_product_attention(q, q, q, dropout_p=0.5, is_causal=True)


def autocast(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return F.linear(x, WEIGHT) @ WEIGHT


def embedded(x):
    ids = (x.abs() * 3).long().clamp_(max=9)
    return F.embedding(ids, TABLE, max_norm=1.0) + F.embedding_bag(ids, TABLE)[:, None]


class Doubling(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, *grads):
        return grads[0] * 2


torch.manual_seed(0)
WEIGHT = nn.Parameter(torch.randn(8, 8))
TABLE = nn.Parameter(torch.randn(10, 6))
PROGRAMS = {
    "in place": in_place,
    "views": views,
    "indexing": indexing,
    "random": random,
    "attention": attending,
    "autocast": autocast,
    "embedding": embedded,
    "custom function": lambda x: Doubling.apply(x @ WEIGHT),
    "checkpoint": lambda x: checkpoint(lambda y: F.dropout(y @ WEIGHT, 0.3).relu(), x, use_reentrant=False),
    "no grad inside": lambda x: x @ WEIGHT.detach() + F.softmax(x, -1).detach(),
    "data": lambda x: (x * 1).data.mul_(2) + x.detach().clone().fill_(3),
    "read": lambda x: x / x.norm().item() if x.sum() < 1e9 else x,
    "where read": lambda x: x[x.sum(1).nonzero().squeeze(1)],
    "losses": lambda x: (
        F.cross_entropy(x, torch.arange(6) % 8) + F.mse_loss(x, x * 2) + F.kl_div(x.log_softmax(1), x.softmax(1), reduction="sum")
    ),
    "einsum": lambda x: torch.einsum("bi,ij,cj->bc", x, WEIGHT, x).logsumexp(0),
    "norms": lambda x: F.layer_norm(F.normalize(x, dim=1), (8,)) + F.group_norm(x, 2),
}
MODULES = {
    "linear": lambda: nn.Linear(8, 3),
    "convolution and batch norm": convolutional,
    "batch norm": lambda: nn.BatchNorm1d(8),
    "instance norm": lambda: nn.Sequential(nn.Unflatten(1, (2, 4)), nn.InstanceNorm1d(2, track_running_stats=True)),
    "rnn": lambda: nn.Sequential(nn.Unflatten(1, (4, 2)), nn.RNN(2, 5, num_layers=2, batch_first=True)),
    "lstm": lambda: nn.Sequential(nn.Unflatten(1, (4, 2)), nn.LSTM(2, 5, num_layers=2, dropout=0.3, bidirectional=True)),
    "gru": lambda: nn.Sequential(nn.Unflatten(1, (4, 2)), nn.GRU(2, 5)),
    "transformer": lambda: nn.Sequential(nn.Unflatten(1, (2, 4)), nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)),
    "spectral norm": lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(8, 4)),
    "weight norm": lambda: nn.utils.parametrizations.weight_norm(nn.Linear(8, 4)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_comes_back(name):
    x = torch.randn(6, 8, requires_grad=True)
    with torch.random.fork_rng():
        tape, result = record(PROGRAMS[name], x)
    assert not tape.refused
    before = x.detach().clone(), x._version, TABLE._version, torch.get_rng_state()
    again, changed = played(tape, result)
    assert same(again, result)
    assert changed is again
    assert torch.equal(before[0], x)
    assert before[1:3] == (x._version, TABLE._version)
    assert torch.equal(before[3], torch.get_rng_state())


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", MODULES)
def test_a_module_comes_back(name, training):
    torch.manual_seed(1)
    module = Everything(MODULES[name]()).train(training)
    x = torch.randn(6, 8, requires_grad=True)
    tape, result = record(module, x)
    assert not tape.refused
    kept = {key: value.clone() for key, value in module.state_dict().items()}
    versions = [tensor._version for tensor in (*module.parameters(), *module.buffers())]
    assert same(played(tape, result)[0], result)
    assert all(torch.equal(value, kept[key]) for key, value in module.state_dict().items())
    assert versions == [tensor._version for tensor in (*module.parameters(), *module.buffers())]
    result.sum().backward()  # the graph of the program is whole


@pytest.mark.parametrize("name", ["linear", "convolution and batch norm", "batch norm", "transformer", "rnn"])
def test_a_replaced_sample_changes_its_own_output_alone(name):
    torch.manual_seed(1)
    module = Everything(MODULES[name]())
    x = torch.randn(6, 8)
    tape, result = record(module, x)
    other = x.clone()
    other[2] = x[4]
    plain, changed = played(tape, result, replaced={key_in_tape(x): other})
    assert alignment.touched(alignment.moved(plain, changed), 0).tolist() == [2]
    if name in ("linear", "rnn"):  # no dropout, no statistics: what is played is what would have been
        assert torch.equal(changed, module(other))


def test_a_change_spreads_through_writes_in_place():
    def program(x):
        kept = torch.zeros(6, 8)
        kept[:3] = x[:3]
        kept[3:].copy_(x[3:]).mul_(2)
        return kept.cumsum(0)

    x = torch.randn(6, 8)
    tape, result = record(program, x)
    other = x.clone()
    other[2] = 0
    plain, changed = played(tape, result, replaced={key_in_tape(x): other})
    assert torch.equal(plain, result)
    assert torch.equal(changed, program(other))


def test_a_patched_output_spreads():
    x = torch.randn(6, 8)
    tape, result = record(lambda x: (x * 2).relu().sum(1), x)
    plain, changed = played(tape, result, patches={0: lambda value: value * 0})
    assert torch.equal(plain, result)
    assert not changed.any()


def test_what_the_program_reads_is_not_changed():
    x = torch.randn(6, 8)
    tape, result = record(lambda x: x * x.sum().item(), x)
    with pytest.raises(Refused, match="host"):
        played(tape, result, replaced={key_in_tape(x): x + 1})


def test_shapes_that_depend_on_what_is_changed():
    x = torch.rand(6, 8) + 1
    tape, result = record(lambda x: x[x > 1.5], x)
    with pytest.raises(Refused, match="shapes"):
        played(tape, result, replaced={key_in_tape(x): x + 1})


def test_another_part_of_the_same_memory_stays():
    both = torch.randn(6, 9)
    tape, result = record(lambda both: both[:, :-1] * both[:, 1:], both)
    assert torch.equal(played(tape, result)[0], result)
    left, right = both[:, :-1], both[:, 1:]
    tape, result = record(lambda left, right: left.exp() * right, left, right)
    plain, changed = played(tape, result, replaced={key_in_tape(left): torch.zeros(6, 8)})
    assert torch.equal(plain, result)
    assert torch.equal(changed, right)


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (lambda x: x.to_sparse().sum(), "sparse"),
        (lambda x: torch.fft.rfft(x).abs(), "complex"),
        (lambda x: x.clone().resize_(2, 2), "resize_"),
    ],
)
def test_refused(program, why):
    tape, _ = record(program, torch.randn(6, 8))
    assert why in tape.refused
    assert not tape.entries
    assert not tape.outside


def test_large_tensors_that_are_written_into_are_not_copied(monkeypatch):
    monkeypatch.setattr("tensan.adapters.torch.tape.MOST_COPIED", 1_000)
    tape, _ = record(lambda x: x.add_(1), torch.zeros(100, 100))
    assert "large" in tape.refused


def test_nothing_is_kept_but_what_came_from_outside():
    x = torch.randn(6, 8)
    tape, _ = record(lambda x: torch.relu(x @ WEIGHT @ WEIGHT), x)
    assert sum(len(group) for group in tape.outside.values()) == 2
    tape.forget()
    assert not tape.outside
    assert not tape.entries


@pytest.mark.parametrize("name", ["rnn", "transformer"])
def test_nothing_of_a_replay_stays_alive(name):
    import gc
    import weakref

    module = Everything(MODULES[name]())
    x = torch.randn(6, 8)
    tape, _ = record(module, x)
    seen = []
    play = Play(
        tape, len(tape.entries), replaced={key_in_tape(x): x * 2}, see=lambda index, plain, changed: seen.extend(map(weakref.ref, changed))
    )
    play.run()
    del play
    gc.collect()
    alive = [reference() for reference in seen]
    assert seen
    assert not any(isinstance(tensor, torch.Tensor) for tensor in alive)
