"""Best responses of players and teams, the gains from deviating, and what a player can secure alone."""

from gamebench.responses.deviations import AveragePlay, batch_improvements, improvements, play_of
from gamebench.responses.response import BestResponse, best_response
from gamebench.responses.security import LonePart, SecurityLevel, lone_players_part, security_level

__all__ = [
    "AveragePlay",
    "BestResponse",
    "LonePart",
    "SecurityLevel",
    "batch_improvements",
    "best_response",
    "improvements",
    "lone_players_part",
    "play_of",
    "security_level",
]
