"""Teams whose members coordinate: their beliefs, and the games between their coordinators."""
