"""HDW: memory and time that a program spends for nothing."""
