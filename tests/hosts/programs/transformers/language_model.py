"""GPT-2 from a config on a tokenizer made here: accumulation, bf16, a cosine schedule, predictions after training."""

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    DataCollatorForLanguageModeling,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    PrinterCallback,
    Trainer,
    TrainingArguments,
    set_seed,
)

COLOURS, THINGS, DEEDS = ["red", "blue", "old", "new"], ["car", "house", "dog", "tree"], ["stands", "runs", "falls"]
words = ["<pad>", "<unk>", "<eos>", "the", "and", *COLOURS, *THINGS, *DEEDS]
plain = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="<unk>"))
plain.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="<pad>", unk_token="<unk>", eos_token="<eos>")

set_seed(1)


def sentence():
    pick = lambda among: among[int(torch.randint(len(among), ()))]
    clauses = [f"the {pick(COLOURS)} {pick(THINGS)} {pick(DEEDS)}" for _ in range(int(torch.randint(1, 4, ())))]
    return " and ".join(clauses)


texts = [{"input_ids": tokenizer(sentence())["input_ids"] + [tokenizer.eos_token_id]} for _ in range(144)]
config = GPT2Config(vocab_size=len(words), n_positions=32, n_embd=32, n_layer=2, n_head=2, bos_token_id=2, eos_token_id=2, pad_token_id=0)
model = GPT2LMHeadModel(config)
trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="out",
        max_steps=12,
        per_device_train_batch_size=8,
        gradient_accumulation_steps=2,
        learning_rate=5e-3,
        lr_scheduler_type="cosine",
        max_grad_norm=0.5,
        bf16=True,
        eval_strategy="steps",
        eval_steps=6,
        save_strategy="no",
        logging_steps=3,
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    ),
    train_dataset=texts[:128],
    eval_dataset=texts[128:144],
    data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
)
trainer.remove_callback(PrinterCallback)  # it prints how long things took
trainer.train()
print([round(entry["eval_loss"], 5) for entry in trainer.state.log_history if "eval_loss" in entry])
start = torch.tensor([[words.index("the")]])
print(tokenizer.decode(model.float().generate(start, max_new_tokens=8, do_sample=False, attention_mask=torch.ones_like(start))[0]))
