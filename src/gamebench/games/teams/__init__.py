"""Teams whose members coordinate: beliefs, and the games between coordinators."""
