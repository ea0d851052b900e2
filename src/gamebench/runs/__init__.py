"""A run: an algorithm on a game, measured along the way."""
