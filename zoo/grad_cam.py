"""A small CNN that finds a blob, and Grad-CAM by hooks on its last convolution: where in the picture the decision comes from."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def make_pictures(size):
    images = 0.3 * torch.randn(size, 1, 16, 16)
    rows, columns = torch.randint(2, 12, (size,)), torch.randint(2, 12, (size,))
    labels = torch.randint(0, 2, (size,))
    for image, row, column, label in zip(images, rows.tolist(), columns.tolist(), labels.tolist(), strict=True):
        image[0, row : row + 3, column : column + 3] += 2.0 if label else -2.0
    return images, labels, torch.stack([rows, columns], dim=1) + 1


class GradCam:
    def __init__(self, model, layer):
        self.model = model
        layer.register_forward_hook(self.save_activation)
        layer.register_full_backward_hook(self.save_gradient)

    def save_activation(self, module, inputs, output):
        self.activation = output.detach()

    def save_gradient(self, module, grad_input, grad_output):
        self.gradient = grad_output[0].detach()

    def __call__(self, images, labels):
        self.model.zero_grad()
        self.model(images).gather(1, labels[:, None]).sum().backward()
        weights = self.gradient.mean(dim=(2, 3), keepdim=True)
        return F.relu((weights * self.activation).sum(dim=1))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    images, labels, _ = make_pictures(640)
    loader = DataLoader(TensorDataset(images, labels), batch_size=32, shuffle=True)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 2)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(4):
        model.train()
        running_loss = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            running_loss += loss.item()
        print(f"epoch {epoch + 1}: loss {running_loss / len(loader):.4f}")

    model.eval()
    images, labels, middles = make_pictures(64)
    maps = GradCam(model, model[2])(images, labels)
    highest = maps.flatten(1).argmax(dim=1)
    found = torch.stack([highest // 16, highest % 16], dim=1)
    near = ((found - middles).abs().amax(dim=1) <= 2).float().mean()
    print(f"{near:.2f} of the maps are highest on the blob")


if __name__ == "__main__":
    main()
