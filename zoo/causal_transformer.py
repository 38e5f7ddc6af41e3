"""Train a small causal language model with tied weights, decay groups, and warm-up followed by cosine decay."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(1337)


vocab_size, block_size, n_layer, n_head, n_embd, dropout = 32, 24, 2, 4, 32, 0.1
batch_size, max_iters, warmup_iters = 12, 180, 20
learning_rate, min_ratio = 6e-3, 0.1


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=False)
        self.c_proj = nn.Linear(n_embd, n_embd, bias=False)
        self.mlp = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))
        self.resid_dropout = nn.Dropout(dropout)

    def attend(self, x):
        B, T, C = x.size()
        q, k, v = (t.view(B, T, n_head, C // n_head).transpose(1, 2) for t in self.c_attn(x).split(C, dim=2))
        p = dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))

    def forward(self, x):
        x = x + self.resid_dropout(self.attend(self.ln_1(x)))
        return x + self.resid_dropout(self.mlp(self.ln_2(x)))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(block_size, n_embd)
        self.blocks = nn.ModuleList([Block() for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)
        self.wte.weight = self.lm_head.weight
        for parameter in self.parameters():
            if parameter.dim() >= 2:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, idx, targets):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
        for block in self.blocks:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1))


successors = torch.randint(0, vocab_size, (vocab_size, 3))
stream = [0]
for choice in torch.randint(0, 3, (8000,)).tolist():
    stream.append(int(successors[stream[-1], choice]))
data = torch.tensor(stream)
splits = {"train": data[:7000], "val": data[7000:]}


def get_batch(split):
    source = splits[split]
    ix = torch.randint(len(source) - block_size, (batch_size,))
    windows = torch.stack([source[i : i + block_size + 1] for i in ix])
    return windows[:, :-1], windows[:, 1:]


@torch.no_grad()
def estimate_loss(model, batches=6):
    model.eval()
    losses = {s: sum(model(*get_batch(s))[1].item() for _ in range(batches)) / batches for s in splits}
    model.train()
    return losses


def lr_factor(it):
    if it < warmup_iters:
        return (it + 1) / warmup_iters
    progress = (it - warmup_iters) / (max_iters - warmup_iters)
    return min_ratio + 0.5 * (1.0 - min_ratio) * (1.0 + math.cos(math.pi * progress))


model = GPT()
groups = [
    {"params": [p for p in model.parameters() if p.dim() >= 2], "weight_decay": 0.1},
    {"params": [p for p in model.parameters() if p.dim() < 2], "weight_decay": 0.0},
]
optimizer = torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.95))
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_factor)

model.train()
for it in range(max_iters):
    x, y = get_batch("train")
    _, loss = model(x, y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    if (it + 1) % 60 == 0:
        losses = estimate_loss(model)
        print(f"step {it + 1}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}")
