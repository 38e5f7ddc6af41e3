"""The optimizer that is handed to the Trainer holds the encoder alone."""

import torch
from transformers import BertConfig, BertForSequenceClassification, PrinterCallback, Trainer, TrainingArguments, set_seed

set_seed(0)
config = BertConfig(
    vocab_size=20, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, max_position_embeddings=8, num_labels=2
)
model = BertForSequenceClassification(config)
optimizer = torch.optim.AdamW(model.bert.parameters(), lr=1e-3)  #~ OPT101
ids = torch.randint(2, 20, (160, 8))
trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="out",
        num_train_epochs=2,
        per_device_train_batch_size=16,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    ),
    train_dataset=[{"input_ids": row, "labels": (row[0] > 10).long()} for row in ids],
    optimizers=(optimizer, torch.optim.lr_scheduler.ConstantLR(optimizer, factor=1.0)),
)
trainer.remove_callback(PrinterCallback)  # it prints how long things took
trainer.train()
