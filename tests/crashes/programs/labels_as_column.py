#~ crash: SHP201
#~ edit: squeeze(1)
#~ edit: squeeze(-1)
import torch
import torch.nn as nn

torch.manual_seed(11)
features = torch.randn(120, 9)
targets = torch.randint(0, 3, (120, 1))

model = nn.Sequential(nn.Linear(9, 24), nn.Tanh(), nn.Linear(24, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)

for epoch in range(3):
    permutation = torch.randperm(120)
    for start in range(0, 120, 40):
        picked = permutation[start : start + 40]
        inputs, labels = features[picked], targets[picked]  #~ maker
        optimizer.zero_grad()
        outputs = model(inputs)  #~ maker
        loss = criterion(outputs, labels)  #~ fails
        loss.backward()
        optimizer.step()
    print("epoch", epoch)
