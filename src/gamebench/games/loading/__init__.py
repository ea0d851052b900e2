"""Load games from names, files, game strings and arrays of payoffs: walk the tree, and cache the arrays."""
