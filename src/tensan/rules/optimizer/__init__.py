"""Rules about optimizers, gradient clearing, clipping and learning-rate schedules."""
