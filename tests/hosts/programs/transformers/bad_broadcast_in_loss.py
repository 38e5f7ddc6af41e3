"""A loss of one's own compares logits of shape [16, 1] with labels of shape [16]."""

import torch
from transformers import BertConfig, BertForSequenceClassification, PrinterCallback, Trainer, TrainingArguments, set_seed


class Regression(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = (outputs.logits - labels).pow(2).mean()  #~ SHP101
        return (loss, outputs) if return_outputs else loss


set_seed(0)
config = BertConfig(
    vocab_size=20, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, max_position_embeddings=8, num_labels=1
)
ids = torch.randint(2, 20, (160, 8))
trainer = Regression(
    model=BertForSequenceClassification(config),
    args=TrainingArguments(
        output_dir="out",
        num_train_epochs=2,
        per_device_train_batch_size=16,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    ),
    train_dataset=[{"input_ids": row, "labels": row.float().mean() / 20} for row in ids],
)
trainer.remove_callback(PrinterCallback)  # it prints how long things took
trainer.train()
