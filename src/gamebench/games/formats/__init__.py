"""Reading and writing Gambit files."""
