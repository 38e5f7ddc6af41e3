"""Low-rank parts in a frozen BERT, checkpointed activations, an optimizer and a schedule of one's own, a callback that averages weights."""

import torch
from torch import nn
from transformers import BertConfig, BertForSequenceClassification, PrinterCallback, Trainer, TrainerCallback, TrainingArguments, set_seed


class LowRank(nn.Module):
    def __init__(self, layer, rank=4):
        super().__init__()
        self.layer = layer
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


class Average(TrainerCallback):
    def __init__(self):
        self.kept = {}

    def on_step_end(self, args, state, control, model=None, **kwargs):
        for name, parameter in model.named_parameters():
            if parameter.requires_grad:
                self.kept[name] = 0.9 * self.kept.get(name, parameter.detach().clone()) + 0.1 * parameter.detach()


set_seed(3)
config = BertConfig(
    vocab_size=24, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=12, num_labels=3
)
model = BertForSequenceClassification(config)
model.bert.requires_grad_(False)
for layer in model.bert.encoder.layer:
    layer.attention.self.query = LowRank(layer.attention.self.query)
    layer.attention.self.value = LowRank(layer.attention.self.value)
trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
optimizer = torch.optim.AdamW(trained, lr=5e-3)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-3, total_steps=30)
ids = torch.randint(2, 24, (120, 12))
data = [{"input_ids": row, "labels": row[:3].argmax()} for row in ids]
average = Average()
trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="out",
        num_train_epochs=3,
        per_device_train_batch_size=12,
        gradient_checkpointing=True,
        gradient_checkpointing_kwargs={"use_reentrant": False},
        save_strategy="no",
        logging_steps=10,
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    ),
    train_dataset=data,
    optimizers=(optimizer, schedule),
    callbacks=[average],
)
trainer.remove_callback(PrinterCallback)  # it prints how long things took
print(round(trainer.train().training_loss, 6), len(average.kept), round(float(sum(value.sum() for value in average.kept.values())), 5))
