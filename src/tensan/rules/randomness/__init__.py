"""Rules about generators and where their randomness repeats."""
