"""Best responses of players and teams."""

from gamebench.responses.deviations import AveragePlay, BestResponse, average_play, best_response, improvements

__all__ = ["AveragePlay", "BestResponse", "average_play", "best_response", "improvements"]
