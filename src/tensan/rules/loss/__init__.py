"""Rules about what losses are given."""
