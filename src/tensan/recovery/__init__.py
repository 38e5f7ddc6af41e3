"""Keeps a run alive: decides what becomes of a bad step, and keeps on disk what is needed afterwards. Knows no framework."""
