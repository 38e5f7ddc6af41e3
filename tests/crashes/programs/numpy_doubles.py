#~ crash: SHP202
#~ edit: float()
import numpy as np
import torch

rng = np.random.default_rng(0)
features = rng.normal(size=(100, 5))
price = features @ np.array([1.0, -2.0, 0.5, 0.0, 3.0]) + 0.1 * rng.normal(size=100)

x = torch.from_numpy(features)  #~ maker
y = torch.from_numpy(price).unsqueeze(1).float()
torch.manual_seed(0)
model = torch.nn.Linear(5, 1)  #~ maker
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(20):
    prediction = model(x)  #~ fails
    loss = torch.nn.functional.mse_loss(prediction, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("fit", step)
