"""Rules about the stored data that a loader delivers."""
