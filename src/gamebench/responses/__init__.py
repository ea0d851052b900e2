"""Best responses of players and teams, the gains from deviating, and what a player can secure alone."""

from gamebench.responses.deviations import AveragePlay as AveragePlay
from gamebench.responses.deviations import batch_improvements as batch_improvements
from gamebench.responses.deviations import improvements as improvements
from gamebench.responses.deviations import play_of as play_of
from gamebench.responses.response import BestResponse as BestResponse
from gamebench.responses.response import best_response as best_response
from gamebench.responses.security import SecurityLevel as SecurityLevel
from gamebench.responses.security import lone_players_level as lone_players_level
from gamebench.responses.security import security_level as security_level
