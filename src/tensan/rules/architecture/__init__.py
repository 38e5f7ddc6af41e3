"""Rules about how a model is put together: what its outputs depend on, and what they must not."""
