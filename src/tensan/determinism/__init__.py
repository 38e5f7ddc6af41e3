"""The determinism of a run: all seeds and switches in one call, and a token with which what was met in it can be met again."""
