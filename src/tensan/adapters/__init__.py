"""Adapters: one folder per framework; each emits neutral events and is the only part that imports it."""
