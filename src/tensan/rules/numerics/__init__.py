"""Rules about numbers that stop being numbers."""
