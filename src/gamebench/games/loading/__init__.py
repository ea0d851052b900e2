"""From a name, a file, a game string or an array of payoffs to a game: walking the tree, caching the arrays."""
