"""Models with two axes exchanged whose sizes agree, each with the one line that is wrong and the same line as it should be."""

from typing import NamedTuple

FRAME = """
import torch, tensan
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
B, T, D, H, d = 8, 8, 16, 4, 4


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {parts}

    def heads(self, x):
        b, t, _ = x.shape
        return [layer(x).view(b, t, self.h, -1).transpose(1, 2) for layer in (self.q, self.k, self.v)]

    def forward(self, {arguments}):
        {body}


model = Net()
with torch.no_grad():
    model({first})
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(6):
    {made}
    {declared}
    y = torch.randint(0, 3, (B,))
    out = model({arguments})
    loss = {loss}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
QKV = "self.h, self.q, self.k, self.v = 4, nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16)"
SEQUENCE = {"x": ("torch.randn(B, T, D)", "B T D")}
SQUARE = {"x": ("torch.randn(6, 8, 8)", "B T D")}
MASKED = {**SEQUENCE, "mask": ("torch.arange(T).expand(B, T) >= torch.randint(4, 8, (B, 1))", "B T")}
POOLED = "return self.head(x.mean(1))"
CLASSES = "F.cross_entropy(out, y)"
SIX = "F.cross_entropy(out, y[:6])"


class Scramble(NamedTuple):
    """A model; `LINE` in its body is where `wrong` or `right` stands. `guilty` is what is at fault where that is another line."""

    body: str
    wrong: str
    right: str
    inputs: dict[str, tuple[str, str]]
    parts: str = "pass"
    loss: str = CLASSES
    right_parts: str = ""
    guilty: str = ""

    def program(self, *, right: bool) -> str:
        """Returns the whole program; its guilty line ends in `#~`."""
        line = self.right if right else f"{self.wrong}  #~" * (not self.guilty) or self.wrong
        parts = [self.right_parts or self.parts if right else self.parts] + ["self.head = nn.LazyLinear(3)"] * ("self.head" in self.body)
        made = "; ".join(f"{name} = {how}" for name, (how, _) in self.inputs.items())
        text = FRAME.format(
            parts="\n        ".join(parts),
            arguments=", ".join(self.inputs),
            body=self.body.replace("LINE", line).replace("\n", "\n        "),
            first=", ".join(how for how, _ in self.inputs.values()),
            made=made,
            declared="; ".join(f'tensan.axes({name}, "{names}")' for name, (_, names) in self.inputs.items() if names) or "pass",
            loss=self.loss,
        )
        return text if right or not self.guilty else text.replace(self.guilty, f"{self.guilty}  #~")


ATTENTION = """q, k, v = self.heads(x)
scores = q @ k.transpose(-2, -1) / 2
LINE
x = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
return self.head(x.mean(1))"""

SCRAMBLES = {
    "mask_filled": Scramble(
        ATTENTION, "scores = scores.masked_fill(mask, -1e9)", "scores = scores.masked_fill(mask[:, None, None, :], -1e9)", MASKED, QKV
    ),
    "mask_where": Scramble(
        ATTENTION, "scores = torch.where(mask, -1e9, scores)", "scores = torch.where(mask[:, None, None], -1e9, scores)", MASKED, QKV
    ),
    "mask_added": Scramble(
        ATTENTION, "scores = scores - 1e9 * mask.float()", "scores = scores - 1e9 * mask.float()[:, None, None]", MASKED, QKV
    ),
    "mask_of_batch_over_queries": Scramble(
        ATTENTION,
        "scores = scores.masked_fill(mask.t()[:, None, None, :], -1e9)",
        "scores = scores.masked_fill(mask[:, None, None, :], -1e9)",
        MASKED,
        QKV,
    ),
    "mask_in_attention": Scramble(
        "q, k, v = self.heads(x)\nLINE\nreturn self.head(x.transpose(1, 2).flatten(2).mean(1))",
        "x = F.scaled_dot_product_attention(q, k, v, attn_mask=~mask)",
        "x = F.scaled_dot_product_attention(q, k, v, attn_mask=~mask[:, None, None])",
        MASKED,
        QKV,
    ),
    "mask_transposed_for_layer": Scramble(
        f"LINE\n{POOLED}",
        "x, _ = self.att(x, x, x, key_padding_mask=mask.t(), need_weights=False)",
        "x, _ = self.att(x, x, x, key_padding_mask=mask, need_weights=False)",
        {**SEQUENCE, "mask": ("torch.arange(T).expand(B, T) >= 6", "B T")},
        "self.att = nn.MultiheadAttention(16, 4, batch_first=True)",
    ),
    "mask_on_hidden": Scramble(f"LINE\n{POOLED}", "x = x * (~mask).t()[..., None]", "x = x * (~mask)[..., None]", MASKED),
    "channels_last_in_conv2d": Scramble(
        "LINE\nreturn self.head(x.mean((2, 3)))",
        "x = self.conv(x)",
        "x = self.conv(x.permute(0, 3, 1, 2))",
        {"x": ("torch.randn(B, 6, 6, 6)", "B H W C")},
        "self.conv = nn.Conv2d(6, 4, 3)",
    ),
    "channels_last_in_conv3d": Scramble(
        "LINE\nreturn self.head(x.mean((2, 3, 4)))",
        "x = self.conv(x)",
        "x = self.conv(x.permute(0, 4, 1, 2, 3))",
        {"x": ("torch.randn(B, 5, 5, 5, 5)", "B T H W C")},
        "self.conv = nn.Conv3d(5, 4, 3)",
    ),
    "sequence_in_conv1d": Scramble(
        "LINE\nreturn self.head(x.mean(2))",
        "x = self.conv(x)",
        "x = self.conv(x.transpose(1, 2))",
        SQUARE,
        "self.conv = nn.Conv1d(8, 5, 3)",
        SIX,
    ),
    "sequence_in_batch_norm": Scramble(
        f"LINE\n{POOLED}",
        "x = self.norm(x)",
        "x = self.norm(x.transpose(1, 2)).transpose(1, 2)",
        SQUARE,
        "self.norm = nn.BatchNorm1d(8)",
        SIX,
    ),
    "channels_last_in_group_norm": Scramble(
        "LINE\nreturn self.head(x.flatten(1))",
        "x = self.norm(x)",
        "x = self.norm(x.permute(0, 3, 1, 2).contiguous())",
        {"x": ("torch.randn(B, 4, 6, 4)", "B H W C")},
        "self.norm = nn.GroupNorm(2, 4)",
    ),
    "time_in_layer_norm": Scramble(
        "x = x.transpose(1, 2)\nLINE\nreturn self.head(x.mean(2))",
        "x = self.norm(x)",
        "x = self.norm(x.transpose(1, 2)).transpose(1, 2)",
        SQUARE,
        "self.norm = nn.LayerNorm(8)",
        SIX,
    ),
    "attention_batch_first": Scramble(
        f"LINE\n{POOLED}",
        "x, _ = self.att(x, x, x)",
        "x = self.att(x.transpose(0, 1), x.transpose(0, 1), x.transpose(0, 1))[0].transpose(0, 1)",
        SEQUENCE,
        "self.att = nn.MultiheadAttention(16, 4)",
    ),
    "lstm_batch_first": Scramble(
        f"LINE\n{POOLED}", "x, _ = self.rnn(x)", "x = self.rnn(x.transpose(0, 1))[0].transpose(0, 1)", SEQUENCE, "self.rnn = nn.LSTM(16, 8)"
    ),
    "gru_time_first": Scramble(
        "LINE\nreturn self.head(x.mean(0))",
        "x, _ = self.rnn(x)",
        "x = self.rnn(x.transpose(0, 1))[0].transpose(0, 1)",
        {"x": ("torch.randn(T, B, D)", "T B D")},
        "self.rnn = nn.GRU(16, 8, batch_first=True)",
    ),
    "attention_over_heads": Scramble(
        "b, t, _ = x.shape\nq = x.view(b, t, H, d)\nLINE\nreturn self.head(x.flatten(1))",
        "x = F.scaled_dot_product_attention(q, q, q)",
        "x = F.scaled_dot_product_attention(*[q.transpose(1, 2)] * 3)",
        SEQUENCE,
    ),
    "heads_not_brought_back": Scramble(
        "b, t, _ = x.shape\nx = x.view(b, t, H, d).transpose(1, 2).relu()\nLINE\nreturn self.head(x.mean(1))",
        "x = x.reshape(b, t, H * d)",
        "x = x.transpose(1, 2).reshape(b, t, H * d)",
        {"x": ("torch.randn(B, 4, D)", "B T D")},
    ),
    "classes_last": Scramble(
        "return self.wide(x)",
        "",
        "",
        {"x": ("torch.randn(B, T, D)", "B T D"), "t": ("torch.randint(0, 8, (B, T))", "B T")},
        "self.wide = nn.Linear(16, 8)",
        "F.cross_entropy(out, t)",
        guilty="loss = F.cross_entropy(out, t)",
    ),
    "classes_first": Scramble(
        "return self.wide(x).t()",
        "",
        "",
        {"x": ("torch.randn(B, D)", "B D"), "t": ("torch.randint(0, 8, (B,))", "B")},
        "self.wide = nn.Linear(16, 8)",
        "F.cross_entropy(out, t)",
        guilty="loss = F.cross_entropy(out, t)",
    ),
    "target_transposed": Scramble(
        "return self.one(x)[..., 0]",
        "",
        "",
        {"x": ("torch.randn(B, T, D)", "B T D"), "t": ("torch.randn(T, B)", "T B")},
        "self.one = nn.Linear(16, 1)",
        "F.mse_loss(out, t)",
        guilty="loss = F.mse_loss(out, t)",
    ),
    "residual_transposed": Scramble(
        f"h = self.mix(x.transpose(1, 2)).relu()\nLINE\n{POOLED}",
        "x = x + h",
        "x = x + h.transpose(1, 2)",
        SQUARE,
        "self.mix = nn.Linear(8, 8)",
        SIX,
    ),
    "weights_transposed": Scramble(
        "w = (x @ s.transpose(1, 2)).softmax(-1)\nLINE\nreturn self.head(h.mean(1))",
        "h = w.transpose(1, 2) @ s",
        "h = w @ s",
        {**SEQUENCE, "s": ("torch.randn(B, 8, D)", "B S D")},
    ),
    "keys_not_transposed": Scramble(f"LINE\nx = w.softmax(-1) @ x\n{POOLED}", "w = x @ x", "w = x @ x.transpose(1, 2)", SQUARE, loss=SIX),
    "keys_in_einsum": Scramble(
        f"LINE\nx = w.softmax(-1) @ x\n{POOLED}",
        "w = torch.einsum('bij,bjk->bik', x, x)",
        "w = torch.einsum('bij,bkj->bik', x, x)",
        SQUARE,
        loss=SIX,
    ),
    "context_time_first": Scramble(
        f"LINE\n{POOLED}",
        "x = torch.cat([x, c], -1)",
        "x = torch.cat([x, c.transpose(0, 1)], -1)",
        {**SEQUENCE, "c": ("torch.randn(T, B, 4)", "T B E")},
    ),
    "sample_weight_over_features": Scramble(
        "LINE\nreturn self.head(x)", "x = x * w", "x = x * w[:, None]", {"x": ("torch.randn(B, 8)", "B D"), "w": ("torch.rand(B)", "B")}
    ),
    "sample_weight_over_steps": Scramble(
        "return self.one(x)[..., 0]",
        "",
        "",
        {**SEQUENCE, "w": ("torch.rand(B)", "B"), "t": ("torch.randn(B, T)", "B T")},
        "self.one = nn.Linear(16, 1)",
        "(w * (out - t) ** 2).mean()",
        guilty="loss = (w * (out - t) ** 2).mean()",
    ),
    "pooled_over_batch": Scramble(
        "LINE\nreturn self.head(h + g)",
        "h = x.mean(0)",
        "h = x.mean(1)",
        {**SEQUENCE, "g": ("torch.randn(B, D)", "B D")},
        guilty="return self.head(h + g)",
    ),
    "gate_of_other_layout": Scramble(
        "LINE\nreturn self.head(x.mean((2, 3)))",
        "x = x * g",
        "x = x * g[:, :, None, None]",
        {"x": ("torch.randn(4, 4, 4, 4)", "B C H W"), "g": ("torch.rand(4, 4)", "B C")},
        loss="F.cross_entropy(out, y[:4])",
    ),
    "protocol_embedding_in_conv1d": Scramble(
        "x = self.table(x)\nLINE\nreturn self.head(x.mean(2))",
        "x = self.conv(x)",
        "x = self.conv(x.transpose(1, 2))",
        {"x": ("torch.randint(0, 20, (6, 8))", "")},
        "self.table, self.conv = nn.Embedding(20, 8), nn.Conv1d(8, 5, 3)",
        SIX,
    ),
    "protocol_maps_in_attention": Scramble(
        f"x = self.conv(x).flatten(2).transpose(1, 2)\nLINE\n{POOLED}",
        "x, _ = self.att(x, x, x)",
        "x, _ = self.att(x, x, x)",
        {"x": ("torch.randn(B, 3, 8, 8)", "")},
        "self.conv, self.att = nn.Conv2d(3, 8, 3, stride=2), nn.MultiheadAttention(8, 2)",
        right_parts="self.conv, self.att = nn.Conv2d(3, 8, 3, stride=2), nn.MultiheadAttention(8, 2, batch_first=True)",
    ),
    "protocol_lstm_then_attention": Scramble(
        f"x, _ = self.rnn(x)\nLINE\n{POOLED}",
        "x, _ = self.att(x, x, x)",
        "x = self.att(*[x.transpose(0, 1)] * 3)[0].transpose(0, 1)",
        {"x": ("torch.randn(B, T, D)", "")},
        "self.rnn, self.att = nn.LSTM(16, 8, batch_first=True), nn.MultiheadAttention(8, 2)",
    ),
}
#: The mended twin where the loss is what changes.
RIGHT_LOSS = {
    "classes_last": "F.cross_entropy(out.transpose(1, 2), t)",
    "classes_first": "F.cross_entropy(out.t(), t)",
    "target_transposed": "F.mse_loss(out, t.t())",
    "sample_weight_over_steps": "(w[:, None] * (out - t) ** 2).mean()",
}
