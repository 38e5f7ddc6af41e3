"""Runs a target exactly as python would, and follows it into its children."""
