"""Rules about train and eval mode, batch statistics and tied parameters."""
