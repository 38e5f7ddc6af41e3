"""A framework small enough for a test: clipping and stepping, and nothing to learn."""

listeners = []
steps = 0


def clip(message="gradients are clipped too late", level="error", line=None):
    for listener in listeners:
        listener("clip", message, level, line)


def step():
    global steps
    steps += 1
    for listener in listeners:
        listener("step", "", "", None)
