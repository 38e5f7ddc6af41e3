"""T5 from a config, trained to reverse sequences, evaluated by generating, with smoothed labels and grouped lengths."""

import torch
from transformers import PrinterCallback, Seq2SeqTrainer, Seq2SeqTrainingArguments, T5Config, T5ForConditionalGeneration, set_seed

PAD, END = 0, 1


def pairs(count, seed):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        words = torch.randint(2, 16, (int(torch.randint(3, 7, (), generator=generator)),), generator=generator).tolist()
        yield {"input_ids": [*words, END], "labels": [*reversed(words), END]}


def collate(items):
    def padded(name, value):
        length = max(len(item[name]) for item in items)
        return torch.tensor([item[name] + [value] * (length - len(item[name])) for item in items])

    ids = padded("input_ids", PAD)
    labels = padded("labels", -100)
    shifted = model.prepare_decoder_input_ids_from_labels(labels)  # the smoothed loss takes the labels away from the model
    return {"input_ids": ids, "attention_mask": (ids != PAD).long(), "labels": labels, "decoder_input_ids": shifted}


def metrics(prediction):
    produced, wanted = prediction.predictions[:, 1:], prediction.label_ids
    width = min(produced.shape[1], wanted.shape[1])
    kept = wanted[:, :width] > 1
    return {"right": float((produced[:, :width] == wanted[:, :width])[kept].mean())}


set_seed(4)
config = T5Config(
    vocab_size=16, d_model=32, d_kv=8, d_ff=64, num_layers=1, num_heads=4, decoder_start_token_id=PAD, pad_token_id=PAD, eos_token_id=END
)
model = T5ForConditionalGeneration(config)
trainer = Seq2SeqTrainer(
    model=model,
    args=Seq2SeqTrainingArguments(
        output_dir="out",
        num_train_epochs=2,
        per_device_train_batch_size=16,
        learning_rate=5e-3,
        label_smoothing_factor=0.1,
        eval_strategy="epoch",
        predict_with_generate=True,
        generation_max_length=8,
        save_strategy="no",
        logging_steps=4,
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    ),
    train_dataset=list(pairs(96, 0)),
    eval_dataset=list(pairs(24, 1)),
    data_collator=collate,
    compute_metrics=metrics,
)
trainer.remove_callback(PrinterCallback)  # it prints how long things took
trainer.train()
print([(entry["eval_loss"], entry["eval_right"]) for entry in trainer.state.log_history if "eval_loss" in entry])
