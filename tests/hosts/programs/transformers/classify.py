"""A small BERT for classification: evaluated each epoch, metrics computed, batches padded by a collator, linear warm-up."""

import torch
from transformers import BertConfig, BertForSequenceClassification, PrinterCallback, Trainer, TrainingArguments, set_seed

WORDS, PAD = 30, 0


def reviews(count, seed):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        words = torch.randint(3, WORDS, (int(torch.randint(4, 12, (), generator=generator)),), generator=generator)
        yield {"input_ids": words.tolist(), "labels": int((words > WORDS // 2).float().mean() > 0.5)}


def collate(items):
    length = max(len(item["input_ids"]) for item in items)
    ids = torch.tensor([item["input_ids"] + [PAD] * (length - len(item["input_ids"])) for item in items])
    return {"input_ids": ids, "attention_mask": (ids != PAD).long(), "labels": torch.tensor([item["labels"] for item in items])}


def metrics(prediction):
    return {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())}


set_seed(0)
config = BertConfig(
    vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, max_position_embeddings=16, num_labels=2
)
trainer = Trainer(
    model=BertForSequenceClassification(config),
    args=TrainingArguments(
        output_dir="out",
        num_train_epochs=3,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=20,
        learning_rate=2e-3,
        weight_decay=0.01,
        warmup_steps=5,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=5,
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    ),
    train_dataset=list(reviews(128, 1)),
    eval_dataset=list(reviews(40, 2)),
    data_collator=collate,
    compute_metrics=metrics,
)
trainer.remove_callback(PrinterCallback)  # it prints how long things took
trainer.train()
print([{name: value for name, value in entry.items() if "loss" in name or "accuracy" in name} for entry in trainer.state.log_history])
