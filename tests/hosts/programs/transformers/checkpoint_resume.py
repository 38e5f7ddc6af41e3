"""Saves while it trains, stops early, goes on from a checkpoint, and ends with the best model."""

import shutil

import torch
from transformers import BertConfig, BertForSequenceClassification, EarlyStoppingCallback, PrinterCallback, Trainer, TrainingArguments, set_seed
from transformers.utils.logging import disable_progress_bar, set_verbosity_error


def rows(count, seed):
    ids = torch.randint(2, 20, (count, 8), generator=torch.Generator().manual_seed(seed))
    return [{"input_ids": row, "labels": (row[0] > 10).long()} for row in ids]


def trainer(epochs):
    config = BertConfig(
        vocab_size=20, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, max_position_embeddings=8, num_labels=2
    )
    made = Trainer(
        model=BertForSequenceClassification(config),
        args=TrainingArguments(
            output_dir="out",
            num_train_epochs=epochs,
            per_device_train_batch_size=10,
            learning_rate=3e-3,
            lr_scheduler_type="constant",
            eval_strategy="epoch",
            save_strategy="epoch",
            save_total_limit=2,
            load_best_model_at_end=True,
            metric_for_best_model="eval_loss",
            logging_strategy="epoch",
            report_to="none",
            use_cpu=True,
            disable_tqdm=True,
        ),
        train_dataset=rows(80, 0),
        eval_dataset=rows(30, 1),
        callbacks=[EarlyStoppingCallback(early_stopping_patience=3)],
    )
    made.remove_callback(PrinterCallback)  # it prints how long things took
    return made


set_seed(2)
disable_progress_bar()
set_verbosity_error()  # it warns where two saves lie within a second of each other
trainer(2).train()
again = trainer(5)
again.train(resume_from_checkpoint=True)
print(again.state.global_step, round(again.state.best_metric, 6), round(again.evaluate()["eval_loss"], 6))
print({name: round(float(value.double().sum()), 6) for name, value in again.model.state_dict().items() if "classifier" in name})
shutil.rmtree("out")
