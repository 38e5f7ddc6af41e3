"""Rules about what is saved, kept and loaded."""
