from . import catalogue as catalogue
from .game import Category as Category
from .game import DecisionPoint as DecisionPoint
from .game import Game as Game
from .loading.load import OWN_GAMES as OWN_GAMES
