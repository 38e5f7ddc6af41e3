"""The padding of the targets is the blank and lies beyond their lengths."""
import torch
from torch import nn
from torch.nn.functional import ctc_loss, one_hot
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 6))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(12):
    calls = [torch.randint(1, 6, (int(torch.randint(2, 6, ())),)) for _ in range(8)]
    frames = [one_hot(call.repeat_interleave(3), 6) + 0.2 * torch.randn(3 * len(call), 6) for call in calls]
    spectra, targets = pad_sequence(frames), pad_sequence(calls, batch_first=True)
    num_frames, num_calls = [len(frame) for frame in frames], [len(call) for call in calls]
    log_probs = model(spectra).log_softmax(-1)
    loss = ctc_loss(log_probs, targets, num_frames, num_calls, zero_infinity=True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
