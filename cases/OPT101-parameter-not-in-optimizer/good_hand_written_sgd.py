"""No optimizer object at all: plain tensors updated by hand under no_grad."""
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.linspace(-1, 1, 200)
y = torch.sin(2 * x)
coef = [torch.randn((), requires_grad=True) for _ in range(4)]
rate = 1e-3
for step in range(80):
    guess = coef[0] + coef[1] * x + coef[2] * x**2 + coef[3] * x**3
    loss = (guess - y).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        for c in coef:
            c -= rate * c.grad
            c.grad = None
print(f"loss {loss.item():.2f}")
