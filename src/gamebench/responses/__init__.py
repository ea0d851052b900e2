"""Best responses of players and teams, and the gains from deviating."""

from gamebench.responses.deviations import AveragePlay, batch_improvements, improvements, play_of
from gamebench.responses.response import BestResponse, best_response

__all__ = ["AveragePlay", "BestResponse", "batch_improvements", "best_response", "improvements", "play_of"]
