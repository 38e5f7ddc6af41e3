#~ crash: CKP201
#~ edit: out_features=10
#~ edit: num_classes=10
import io

import torch
import torch.nn as nn


class Backbone(nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        self.stem = nn.Linear(16, 32)
        self.fc = nn.Linear(32, num_classes)  #~ maker

    def forward(self, x):
        return self.fc(torch.relu(self.stem(x)))


def pretrain():
    net = Backbone(10)
    file = io.BytesIO()
    torch.save(net.state_dict(), file)
    file.seek(0)
    return file


torch.manual_seed(0)
file = pretrain()
model = Backbone(num_classes=100)
model.load_state_dict(torch.load(file))  #~ fails
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loss = nn.functional.cross_entropy(model(torch.randn(8, 16)), torch.arange(8))
loss.backward()
opt.step()
print("fine-tuned")
