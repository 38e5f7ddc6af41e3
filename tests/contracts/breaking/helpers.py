"""What the fixture calls in another file."""

from torch import nn


def scaled(x, scale):
    if scale == 0:
        raise ZeroDivisionError("no scale")
    return _checked(x / scale)


def _checked(x):
    try:
        return _positive(x)
    except LookupError as error:
        raise RuntimeError("as a consequence") from error


def _positive(x):
    if (x == 0.5).sum() > x.numel() // 3:
        raise LookupError("ones")
    return x


class Gate(nn.Module):
    """The last of the parts."""

    def forward(self, x):
        assert x.shape[-1] == 8, "eight features"
        return x.sigmoid()
