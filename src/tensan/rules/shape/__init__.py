"""Rules about shapes that do not mean what they say."""
