"""What is played: games as arrays, where they come from and how they are transformed."""
