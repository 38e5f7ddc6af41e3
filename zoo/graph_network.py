"""Classify the nodes of a graph with a two-layer graph convolutional network, from few labelled nodes."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, features, adjacency):
        return torch.sparse.mm(adjacency, features @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self, in_features, hidden, classes, dropout=0.5):
        super().__init__()
        self.conv1 = GraphConvolution(in_features, hidden)
        self.conv2 = GraphConvolution(hidden, classes)
        self.dropout = dropout

    def forward(self, features, adjacency):
        x = F.dropout(features, self.dropout, training=self.training)
        x = F.relu(self.conv1(x, adjacency))
        x = F.dropout(x, self.dropout, training=self.training)
        return F.log_softmax(self.conv2(x, adjacency), dim=1)


def make_graph(nodes=400, classes=4, features=32):
    """A stochastic block model: nodes of one class are linked more often, and their features are alike."""
    labels = torch.randint(0, classes, (nodes,))
    same = labels.unsqueeze(0) == labels.unsqueeze(1)
    probability = torch.where(same, 0.06, 0.008)
    upper = torch.triu(torch.rand(nodes, nodes) < probability, diagonal=1).float()
    adjacency = upper + upper.t() + torch.eye(nodes)
    scale = adjacency.sum(dim=1).rsqrt()
    adjacency = scale.unsqueeze(1) * adjacency * scale.unsqueeze(0)
    centres = torch.randn(classes, features)
    x = 0.5 * centres[labels] + torch.randn(nodes, features)
    x = (x - x.mean(dim=0)) / x.std(dim=0)
    return x, adjacency.to_sparse(), labels


def train(model, optimizer, x, adjacency, labels, mask):
    model.train()
    optimizer.zero_grad()
    out = model(x, adjacency)
    loss = F.nll_loss(out[mask], labels[mask])
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def test(model, x, adjacency, labels, masks):
    model.eval()
    prediction = model(x, adjacency).argmax(dim=1)
    return [(prediction[mask] == labels[mask]).float().mean().item() for mask in masks]


def main():
    torch.manual_seed(9)
    torch.set_num_threads(1)
    x, adjacency, labels = make_graph()
    order = torch.randperm(len(labels))
    masks = [torch.zeros(len(labels), dtype=torch.bool) for _ in range(3)]
    for mask, nodes in zip(masks, order.split([60, 100, 240])):
        mask[nodes] = True
    train_mask = masks[0]

    model = GCN(in_features=32, hidden=16, classes=4)
    optimizer = torch.optim.AdamW(
        [
            {"params": model.conv1.parameters(), "weight_decay": 5e-2},
            {"params": model.conv2.parameters(), "weight_decay": 0.0},
        ],
        lr=0.01,
    )
    best_valid = best_test = 0.0
    for epoch in range(1, 201):
        loss = train(model, optimizer, x, adjacency, labels, train_mask)
        train_accuracy, valid_accuracy, test_accuracy = test(model, x, adjacency, labels, masks)
        if valid_accuracy > best_valid:
            best_valid, best_test = valid_accuracy, test_accuracy
        if epoch % 50 == 0 or epoch == 1:
            print(f"epoch {epoch:3d} loss {loss:.4f} train {train_accuracy:.3f} valid {valid_accuracy:.3f}")
    print(f"test accuracy at the best validation accuracy {best_test:.3f}")


if __name__ == "__main__":
    main()
