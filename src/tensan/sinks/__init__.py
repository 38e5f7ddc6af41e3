"""Where a report goes: one module per format."""
