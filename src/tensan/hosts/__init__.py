"""Doors in other programs: each begins a watch where none runs, and only where somebody asked for it."""
