#~ crash: GRD202
#~ edit: no_grad
"""Linear regression from scratch."""
import torch

torch.manual_seed(0)
X = torch.randn(100, 3)
y = X @ torch.tensor([2.0, -1.0, 0.5]) + 0.3
w = torch.zeros(3, requires_grad=True)  #~ maker
b = torch.zeros(1, requires_grad=True)
lr = 0.1
for epoch in range(10):
    y_hat = X @ w + b
    loss = ((y_hat - y) ** 2).mean()
    loss.backward()
    w -= lr * w.grad  #~ fails
    b -= lr * b.grad
    w.grad = None
    b.grad = None
print("learned")
