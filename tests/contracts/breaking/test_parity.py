"""The contract-breaking suite: it catches what modes do otherwise in silence, and passes right modules."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import tensan
from tensan.errors import ContractViolation


class Branch(nn.Module):
    def forward(self, x):
        return x * 2 if x.sum() > 0 else x - 1


class RaisesUncompiled(nn.Module):
    """Leaves its check out where a compiler looks, as is often advised."""

    def forward(self, x):
        if not torch.compiler.is_compiling() and x.isnan().any():
            raise ValueError("NaN")
        return x * 2


class MakesType(nn.Module):
    """Makes its result of a type that a trace writes down."""

    def forward(self, x):
        return torch.ones(3, dtype=x.dtype)


class BakesLength(nn.Module):
    def forward(self, x):
        return x.sum(0) / len(x)


def wrong(module, example, *modes):
    return {str(case): what for case in tensan.breaking(module, example, modes=modes) if (what := case.broken())}


def test_a_traced_branch_is_caught():
    found = wrong(Branch(), (torch.ones(4),), "trace", "compile")
    assert found["trace-0:negative"] == "output has other values: 4 of 4 differ"
    assert all(name.startswith("trace-") for name in found)


def test_a_raise_that_export_loses_is_caught():
    found = wrong(RaisesUncompiled(), (torch.ones(4),), "export", "trace", "compile")
    assert found["export-0:nan"] == "ValueError is lost: the call returns"
    assert {name.partition("-")[0] for name in found} == {"export", "trace", "compile"}


def test_a_type_that_changes_is_caught():
    assert wrong(MakesType(), (torch.ones(4),), "trace")["trace-0:float64"] == "output has type torch.float32, not torch.float64"


def test_a_raise_of_the_framework_that_a_trace_loses_is_caught():
    assert wrong(nn.BatchNorm1d(4), (torch.randn(6, 4),), "trace") == {"trace-0:axis 0 of one": "ValueError is lost: the call returns"}


def test_a_length_that_is_written_down_is_caught():
    assert "trace-0:axis 0 less one" in wrong(BakesLength(), (torch.ones(4, 2),), "trace")


def test_a_case_says_what_is_wrong():
    case = next(case for case in tensan.breaking(Branch(), (torch.ones(2),), modes=("trace",)) if str(case) == "trace-0:zeros")
    with pytest.raises(ContractViolation, match="Branch, trace, input 0:zeros: output has other values: 2 of 2 differ"):
        case.check()


@pytest.mark.parametrize(
    ("arguments", "words"), [(((torch.ones(2),), ("jit",)), "unknown mode 'jit'"), ((torch.ones(2), ("trace",)), "expected a tuple")]
)
def test_wrong_arguments_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        tensan.breaking(Branch(), arguments[0], modes=arguments[1])


def test_the_module_stays_as_it_is():
    module = nn.BatchNorm1d(3)
    before = {name: value.clone() for name, value in module.state_dict().items()}
    for case in tensan.breaking(module, (torch.randn(4, 3),), modes=("compile",)):
        case.broken()
    assert all(value.equal(before[name]) for name, value in module.state_dict().items())


class Share(nn.Module):
    """Divides by what may be nothing."""

    def forward(self, x):
        return x / x.sum(-1, keepdim=True)


class Swallows(nn.Module):
    """Makes zeros of what is not finite, and refuses what is empty."""

    def forward(self, x):
        if not x.numel():
            raise ValueError("nothing to do")
        return x.nan_to_num(0.0, 0.0, 0.0)


def test_what_a_module_makes_of_broken_inputs_in_silence():
    found = wrong(Share(), (torch.ones(2, 4),), "eager")
    assert found == {"eager-0:zeros": "returns 8 NaN or infinite values though all that went in was finite"}
    told = {case.variant.name: case.told() for case in tensan.breaking(Share(), (torch.ones(2, 4),), modes=("eager",))}
    assert told["0:nan"] == "returns 4 NaN or infinite values as they came in"
    assert told["0:axis 1 empty"] == told["example"] == "returns"
    told = {case.variant.name: case.told() for case in tensan.breaking(Swallows(), (torch.ones(2, 4),), modes=("eager",))}
    assert told["0:nan"] == told["0:-inf"] == "returns finite values, though some that went in were not"
    assert told["0:axis 0 empty"] == "raises ValueError"


def test_a_mean_of_nothing_is_caught():
    class Mean(nn.Module):
        def forward(self, x):
            return x.mean(1)

    assert wrong(Mean(), (torch.ones(2, 4),), "eager") == {
        "eager-0:axis 1 empty": "returns 2 NaN or infinite values though all that went in was finite"
    }


def test_what_is_promised_must_be_raised():
    promises = {"*:axis * empty": ValueError, "*:nan": ArithmeticError, "*:one axis more": ValueError}

    def broken(module):
        cases = tensan.breaking(module, (torch.ones(2, 4),), modes=("eager",), raises=promises)
        return {case.variant.name: what for case in cases if (what := case.broken())}

    assert broken(Swallows()) == {
        "0:nan": "returns finite values, though some that went in were not, though ArithmeticError was promised",
        "0:one axis more": "returns, though ValueError was promised",
    }

    class Keeps(Swallows):
        def forward(self, x):
            if x.dim() != 2:
                raise ValueError("two axes")
            if x.isnan().any():
                raise FloatingPointError("NaN")
            return super().forward(x)

    assert not broken(Keeps())
    case = next(each for each in tensan.breaking(Swallows(), (torch.ones(2, 4),), modes=("eager",), raises=promises) if "nan" in str(each))
    with pytest.raises(ContractViolation, match=r"Swallows, eager, input 0:nan: .*ArithmeticError was promised"):
        case.check()
    with pytest.raises(ValueError, match=r"raises: '9:nan' fits no input; there are example, 0:zeros"):
        tensan.breaking(Swallows(), (torch.ones(2, 4),), raises={"9:nan": ValueError})


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.a, self.b = nn.LayerNorm(6), nn.Linear(6, 12), nn.Linear(12, 6)

    def forward(self, x):
        return x + self.b(F.gelu(self.a(self.norm(x))))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        return self.out(F.scaled_dot_product_attention(q, k, v))


class MaskedMean(nn.Module):
    def forward(self, x, mask):
        return (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)


class Both(nn.Module):
    def forward(self, x, y):
        return {"sum": x + y, "pair": (x * y, x - y)}


class RootMeanSquare(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(6))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.weight


class Gated(nn.Module):
    def forward(self, x):
        return torch.where(x > 0, x.sqrt(), x.exp())


class First(nn.Module):
    """Gives back the first of the results of a part."""

    def __init__(self, part):
        super().__init__()
        self.part = part

    def forward(self, *given):
        return self.part(*given)[0]


class Shaped(nn.Module):
    """Takes sizes from its input alone."""

    def forward(self, x):
        return x.reshape(x.shape[0], -1).flip(0).cumsum(1)


RIGHT = {
    "linear": (nn.Linear(4, 3), (torch.randn(5, 4),)),
    "perceptron": (nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), (torch.randn(5, 4),)),
    "convolution": (nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()), (torch.randn(2, 3, 8, 8),)),
    "convolution of steps": (nn.Conv1d(3, 4, 3, padding=1), (torch.randn(2, 3, 8),)),
    "batch norm evaluated": (nn.BatchNorm2d(3).eval(), (torch.randn(2, 3, 4, 4),)),
    "layer norm": (nn.LayerNorm(6), (torch.randn(3, 6),)),
    "group norm": (nn.GroupNorm(2, 4), (torch.randn(2, 4, 5),)),
    "gru": (First(nn.GRU(4, 5, batch_first=True)), (torch.randn(2, 6, 4),)),
    "attention layer": (First(nn.MultiheadAttention(8, 2, batch_first=True)), tuple(torch.randn(2, 5, 8) for _ in range(3))),
    "encoder layer": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0), (torch.randn(2, 5, 8),)),
    "embedding": (nn.Embedding(10, 4), (torch.tensor([[1, 2, 3], [4, 5, 6]]),)),
    "dropout": (nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)), (torch.randn(5, 4),)),
    "residual": (Residual(), (torch.randn(3, 6),)),
    "attention": (Attention(), (torch.randn(2, 5, 8),)),
    "masked mean": (MaskedMean(), (torch.randn(2, 5, 3), torch.tensor([[True, True, False, False, False], [True] * 5]))),
    "dictionary": (Both(), (torch.randn(3, 4), torch.randn(3, 4))),
    "root mean square": (RootMeanSquare(), (torch.randn(3, 6),)),
    "gated": (Gated(), (torch.randn(3, 6),)),
    "shaped": (Shaped(), (torch.randn(3, 4, 2),)),
    "bilinear": (nn.Bilinear(3, 4, 2), (torch.randn(5, 3), torch.randn(5, 4))),
    "pooling": (nn.MaxPool1d(2), (torch.randn(2, 3, 8),)),
}


#: Compiled anew for each input, which takes seconds: some stand for all.
COMPILED = ("linear", "gated", "embedding", "root mean square")


@pytest.mark.parametrize("name", RIGHT)
def test_right_modules_are_passed_by(name):
    assert not wrong(*RIGHT[name], "export", "trace")


@pytest.mark.parametrize("name", RIGHT.keys())
def test_right_modules_make_nothing_of_finite_values_that_is_not(name):
    assert not wrong(*RIGHT[name], "eager")


@pytest.mark.parametrize("name", COMPILED)
def test_right_modules_are_passed_by_when_compiled(name):
    assert not wrong(*RIGHT[name], "compile", "fullgraph")
