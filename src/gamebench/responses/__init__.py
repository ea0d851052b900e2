"""Best responses of players and teams, and what they would gain."""

from gamebench.responses.average_play import AveragePlay, play_of
from gamebench.responses.gains import batch_improvements, improvements
from gamebench.responses.responding import BestResponse, best_response

__all__ = ["AveragePlay", "BestResponse", "batch_improvements", "best_response", "improvements", "play_of"]
