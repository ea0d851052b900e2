"""Files of Gambit: reading and writing them."""
