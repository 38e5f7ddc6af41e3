"""Quakes from stations of unequal quality: the Trainer is told that the quality is one of the labels."""
import tempfile

import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments


class Quakes(Dataset):
    def __init__(self):
        generator = torch.Generator().manual_seed(0)
        self.waves = torch.randn(96, 10, generator=generator)
        self.strength = self.waves.abs().amax(1, keepdim=True)
        self.quality = torch.rand(96, generator=generator)

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, index):
        return {"waves": self.waves[index], "labels": self.strength[index], "quality": self.quality[index]}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, waves, labels=None):
        return {"prediction": self.net(waves)}


class QualityTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        quality = inputs.pop("quality", None)
        outputs = model(**inputs)
        errors = (outputs["prediction"] - inputs["labels"]).square().mean(1)
        loss = errors.mean() if quality is None else (quality * errors).sum() / quality.sum()
        return (loss, outputs) if return_outputs else loss


torch.set_num_threads(1)
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder, label_names=["labels", "quality"], use_cpu=True, per_device_train_batch_size=16, num_train_epochs=2,
        report_to=[], save_strategy="no", logging_strategy="no", disable_tqdm=True, seed=0,
    )
    QualityTrainer(model=Net(), args=arguments, train_dataset=Quakes()).train()
print("done")
