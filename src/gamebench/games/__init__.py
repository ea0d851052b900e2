"""What is played: games as arrays, where they come from, and games made from games."""

from gamebench.games import catalogue as catalogue
from gamebench.games.game import Category as Category
from gamebench.games.game import DecisionPoint as DecisionPoint
from gamebench.games.game import Game as Game
from gamebench.games.loading.load import OWN_GAMES as OWN_GAMES
