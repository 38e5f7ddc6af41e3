#~ crash: GRD203
#~ edit: logits
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
mse = nn.MSELoss()
for step in range(4):
    x = torch.randn(16, 10)
    y = torch.randint(0, 4, (16,))
    logits = model(x)
    predicted = logits.argmax(dim=1)  #~ maker
    loss = mse(predicted.float(), y.float())
    opt.zero_grad()
    loss.backward()  #~ fails
    opt.step()
print("end")
