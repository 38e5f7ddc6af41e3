"""A causal language model on sequences of unequal length: padded by a collate function, masked, two groups of parameters, a warm-up."""

import lightning.pytorch as pl
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD, WORDS = 0, 20


class Model(pl.LightningModule):
    def __init__(self, width=32):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, width, padding_idx=PAD)
        self.position = nn.Parameter(torch.randn(16, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.1, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, WORDS)

    def forward(self, tokens):
        length = tokens.shape[1]
        causal = torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
        hidden = self.encoder(self.embedding(tokens) + self.position[:length], mask=causal, src_key_padding_mask=tokens == PAD)
        return self.head(hidden)

    def training_step(self, tokens, batch_idx):
        logits = self(tokens[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=PAD)
        self.log("loss", loss, batch_size=len(tokens), prog_bar=True)
        return loss

    def validation_step(self, tokens, batch_idx):
        logits = self(tokens[:, :-1])
        self.log("val", nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=PAD), batch_size=len(tokens))

    def configure_optimizers(self):
        decayed = [parameter for parameter in self.parameters() if parameter.dim() > 1]
        others = [parameter for parameter in self.parameters() if parameter.dim() <= 1]
        optimizer = torch.optim.AdamW([{"params": decayed}, {"params": others, "weight_decay": 0.0}], lr=3e-3)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 10))
        return [optimizer], [{"scheduler": schedule, "interval": "step"}]


def sentences(count, seed):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        start, length = torch.randint(1, WORDS, (), generator=generator), torch.randint(5, 15, (), generator=generator)
        yield (start + torch.arange(int(length)) * 3) % (WORDS - 1) + 1


def collate(items):
    return pad_sequence(items, batch_first=True, padding_value=PAD)


pl.seed_everything(5, verbose=False)
trainer = pl.Trainer(
    max_epochs=3,
    val_check_interval=0.5,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
train = DataLoader(list(sentences(160, 0)), batch_size=16, shuffle=True, collate_fn=collate)
trainer.fit(Model(), train, DataLoader(list(sentences(40, 1)), batch_size=20, collate_fn=collate))
print({name: round(float(value), 6) for name, value in trainer.callback_metrics.items()})
