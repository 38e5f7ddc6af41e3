"""Rules about where gradient comes from and where it does not go."""
