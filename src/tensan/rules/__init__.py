"""Rules: one file for each silent failure, one folder for each family."""
