"""Which data are looked through for equal samples, and that odd ones are passed over in silence."""

import pytest
import torch
from torch.utils.data import ConcatDataset, Dataset, Subset, TensorDataset

from tensan.adapters.torch.equal_rows import MOST_BYTES, MOST_ROWS, rows_of

ROWS = TensorDataset(torch.arange(12.0).reshape(6, 2), torch.arange(6))


class Own(Dataset):
    tensors = (torch.ones(4, 2),)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.tensors[0][index]


@pytest.mark.parametrize(
    ("dataset", "shape"),
    [
        (ROWS, (6, 8)),
        (Subset(ROWS, [5, 0, 5]), (3, 8)),
        (Subset(ROWS, range(2, 4)), (2, 8)),
        (TensorDataset(torch.ones(3, 4, 5, dtype=torch.bfloat16)), (3, 40)),
        (TensorDataset(torch.ones(5, dtype=torch.bool)), (5, 1)),
        (TensorDataset(torch.ones(6, 2, requires_grad=True).t()), (2, 24)),
        (TensorDataset(torch.ones(MOST_ROWS + 9, 2)), (MOST_ROWS, 8)),
        (TensorDataset(torch.ones(8, MOST_BYTES // 8, dtype=torch.float16)), (4, MOST_BYTES // 4)),
    ],
)
def test_are_looked_through(dataset, shape):
    rows = rows_of(dataset)
    assert rows is not None
    assert (tuple(rows.shape), rows.dtype) == (shape, torch.uint8)


@pytest.mark.parametrize(
    "dataset",
    [
        Own(),
        ConcatDataset([ROWS, ROWS]),
        Subset(Subset(ROWS, [0, 1]), [0, 1]),
        Subset(ROWS, torch.tensor([0, 1])),
        Subset(ROWS, [7, 99]),
        TensorDataset(),
        TensorDataset(torch.ones(4, 0)),
        TensorDataset(torch.ones(1, 3)),
        TensorDataset(torch.ones(4, 2, dtype=torch.complex64)),
        TensorDataset(torch.ones(4, 2).to_sparse()),
        TensorDataset(torch.ones(4, 2, device="meta")),
        TensorDataset(torch.ones(2, MOST_BYTES, dtype=torch.uint8)),
        [1, 2, 3],
        None,
    ],
)
def test_are_passed_over(dataset):
    assert rows_of(dataset) is None
