"""Rules about what a model is evaluated on."""
