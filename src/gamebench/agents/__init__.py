"""Agents against each other, and agents that only act: payoffs of every pairing, and policies estimated by counting."""
