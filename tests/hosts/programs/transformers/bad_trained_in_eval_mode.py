"""The loss of each fifth step is looked at in eval mode, and the model is left in it for the step itself."""

import torch
from transformers import BertConfig, BertForSequenceClassification, PrinterCallback, Trainer, TrainingArguments, set_seed


class Looking(Trainer):
    def training_step(self, model, inputs, num_items_in_batch=None):
        loss = super().training_step(model, inputs, num_items_in_batch)
        return loss

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        if self.state.global_step > 5:
            model.eval()  #~ MOD101
            with torch.no_grad():
                model(**inputs)
        return super().compute_loss(model, inputs, return_outputs, num_items_in_batch)


set_seed(0)
config = BertConfig(
    vocab_size=20, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, max_position_embeddings=8, num_labels=2
)
ids = torch.randint(2, 20, (160, 8))
trainer = Looking(
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
    train_dataset=[{"input_ids": row, "labels": (row[0] > 10).long()} for row in ids],
)
trainer.remove_callback(PrinterCallback)  # it prints how long things took
trainer.train()
