"""Best responses of players and teams, gains from deviating, and security levels."""

from gamebench.analysis.responses.deviations import AveragePlay as AveragePlay
from gamebench.analysis.responses.deviations import batch_improvements as batch_improvements
from gamebench.analysis.responses.deviations import improvements as improvements
from gamebench.analysis.responses.deviations import play_of as play_of
from gamebench.analysis.responses.response import BestResponse as BestResponse
from gamebench.analysis.responses.response import best_response as best_response
from gamebench.analysis.responses.security import SecurityLevel as SecurityLevel
from gamebench.analysis.responses.security import lone_players_level as lone_players_level
from gamebench.analysis.responses.security import security_level as security_level
