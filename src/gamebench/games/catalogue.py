"""Catalogue of games with a shorthand: the paper's, benchmarks of other papers, large games and coordinated games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gamebench.core.choices import Category
from gamebench.core.registry import Registry

if TYPE_CHECKING:
    from gamebench.games.game import Game


@dataclass(frozen=True)
class CatalogGame:
    """A game with a shorthand: how to load it, its expected size and fingerprint, and hyper-parameters for it.

    The hyper-parameters are the paper's; games that are not in the paper share one set.
    """

    shorthand: str
    category: Category
    players: int
    decision_points: int
    fingerprint: str
    history: int
    """M, the number of latest policies that CMD and GMD use."""
    radius: float
    """mu, the distance of DRS's and RS's candidates from the current weights."""
    open_spiel: str
    focal: int | None = None
    teams: tuple[tuple[int, ...], ...] | None = None
    coordinated: bool = False
    """Whether the players are coordinators, because members of a team agree on plans before the game."""
    floor: float | None = None
    """Lowest known NashConv of independent policies of a team's members (``tools/floors.py``)."""


_SINGLE, _TEAM = Category.SINGLE_AGENT, Category.COOPERATIVE
_ZERO, _GENERAL, _MIXED = Category.ZERO_SUM, Category.GENERAL_SUM, Category.MIXED

_KUHN = "kuhn_poker(players={})"
_GOOFSPIEL = "goofspiel(players={},num_cards=3,imp_info=True,points_order=descending)"
_HANABI = "tiny_hanabi(num_players=2,num_chance=2,num_actions={},payoff={})"
_HANABI_A = "10;0;0;4;8;4;10;0;0;0;0;10;4;8;4;0;0;10;0;0;10;4;8;4;0;0;0;10;0;0;4;8;4;10;0;0"
_HANABI_B = "1;0;1;0;0;1;0;1;0;1;0;0;1;0;1;0"
_HANABI_C = "3;0;1;3;3;0;3;0;3;2;0;2;0;1;0;0"
# OpenSpiel now ships 1000 instances of bargaining; the first ten have the paper's 178 decision points.
_BARGAINING = "bargaining(max_turns=2,max_num_instances=10)"
_BATTLESHIP = (
    "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1.5],num_shots=2,loss_multiplier=0.5)"
)

_MCC_KUHN_A: dict[str, Any] = {"open_spiel": _KUHN.format(3), "teams": ((0, 1), (2,))}
_MCC_KUHN_B: dict[str, Any] = {"open_spiel": _KUHN.format(3), "teams": ((0, 2), (1,))}
_MCC_GOOFSPIEL: dict[str, Any] = {"open_spiel": _GOOFSPIEL.format(3), "teams": ((0, 1), (2,))}


def _registered(*games: CatalogGame) -> Registry[CatalogGame]:
    registry: Registry[CatalogGame] = Registry("game")
    for game in games:
        registry.register(game.shorthand, game)
    return registry


PAPER_GAMES = _registered(
    CatalogGame("Kuhn-A", _SINGLE, 1, 6, "0447744296ec128e", 1, 0.05, _KUHN.format(2), focal=0),
    CatalogGame("Kuhn-B", _SINGLE, 1, 6, "7903c44b86f5f62c", 1, 0.05, _KUHN.format(2), focal=1),
    CatalogGame("Goofspiel-S", _SINGLE, 1, 8, "7dc1477ef6c496ab", 1, 0.05, _GOOFSPIEL.format(2), focal=0),
    CatalogGame("TinyHanabi-A", _TEAM, 2, 8, "ea94442badd9b14e", 3, 0.05, _HANABI.format(3, _HANABI_A)),
    CatalogGame("TinyHanabi-B", _TEAM, 2, 6, "6bd345a4eee72c39", 1, 0.05, _HANABI.format(2, _HANABI_B)),
    CatalogGame("TinyHanabi-C", _TEAM, 2, 6, "732da49b1924d673", 1, 0.05, _HANABI.format(2, _HANABI_C)),
    CatalogGame("Kuhn", _ZERO, 3, 48, "3d468601951cc42a", 5, 0.01, _KUHN.format(3)),
    CatalogGame("Leduc", _ZERO, 2, 936, "78a7fac985cbd94b", 3, 0.05, "leduc_poker(players=2)"),
    CatalogGame("Goofspiel", _ZERO, 3, 30, "630592b8de28e7e3", 3, 0.01, _GOOFSPIEL.format(3)),
    CatalogGame("Bargaining", _GENERAL, 2, 178, "8c2b18a7055087c5", 5, 0.05, _BARGAINING),
    CatalogGame("TradeComm", _GENERAL, 2, 22, "bde2f150e5e66f36", 1, 0.01, "trade_comm(num_items=2)"),
    CatalogGame("Battleship", _GENERAL, 2, 210, "c66d30ced2690932", 1, 0.05, _BATTLESHIP),
    CatalogGame("MCCKuhn-A", _MIXED, 3, 48, "f85270bf39ca8f46", 1, 0.01, **_MCC_KUHN_A, floor=0.0),
    CatalogGame("MCCKuhn-B", _MIXED, 3, 48, "3e28a1d0df61c12e", 1, 0.01, **_MCC_KUHN_B, floor=0.00141615),
    CatalogGame("MCCGoofspiel", _MIXED, 3, 30, "97f5bcf883dbd9ab", 1, 0.01, **_MCC_GOOFSPIEL, floor=0.0),
)
"""The fifteen games of the paper."""

UNIFORM_PLAY = {
    "Kuhn-A": (58, 2.0, 0.375),
    "Kuhn-B": (58, 2.0, 0.5416666666666666),
    "Goofspiel-S": (67, 1.0, 0.6666666666666666),
    "TinyHanabi-A": (55, 10.0, 6.277777777777778),
    "TinyHanabi-B": (31, 1.0, 0.5625),
    "TinyHanabi-C": (31, 3.0, 1.1875),
    "Kuhn": (617, 4.0, 2.0625),
    "Leduc": (9457, 13.0, 4.747222222222222),
    "Goofspiel": (418, 1.0, 0.9166666666666671),
    "Bargaining": (3979, 10.0, 5.0),
    "TradeComm": (349, 1.0, 0.125),
    "Battleship": (2581, 1.5, 0.1318359375),
    "MCCKuhn-A": (617, 4.0, 1.0625),
    "MCCKuhn-B": (617, 4.0, 1.0130208333333333),
    "MCCGoofspiel": (418, 1.0, 0.5555555555555557),
}
"""Number of histories, largest payoff, and the uniform policy's main measure, to list games without loading them."""

_DICE = "liars_dice(numdice=1,dice_sides={})"
_POINTS = "goofspiel(num_cards={},imp_info=True,points_order=descending)"
_SHOTS = (
    "battleship(board_width=2,board_height=2,ship_sizes=[2],ship_values=[2],num_shots=3,allow_repeated_shots=False)"
)

FIELD_GAMES = _registered(
    CatalogGame("Kuhn-2", _ZERO, 2, 12, "051e8de65f24f403", 3, 0.05, "kuhn_poker"),
    CatalogGame("LiarsDice-4", _ZERO, 2, 1024, "807c60b15e8cf9bf", 3, 0.05, _DICE.format(4)),
    CatalogGame("LiarsDice-5", _ZERO, 2, 5120, "94ecf4052a4c7bb4", 3, 0.05, _DICE.format(5)),
    CatalogGame("LiarsDice-6", _ZERO, 2, 24576, "3844274aaaa56852", 3, 0.05, _DICE.format(6)),
    CatalogGame("Goofspiel-4", _ZERO, 2, 162, "73576b29f51ec2ae", 3, 0.05, _POINTS.format(4)),
    CatalogGame("Goofspiel-5", _ZERO, 2, 2124, "2fe7a86bed035f58", 3, 0.05, _POINTS.format(5)),
    CatalogGame("Battleship-3", _ZERO, 2, 3286, "4f6c7d5089cd1252", 3, 0.05, _SHOTS),
    CatalogGame("Leduc-3", _ZERO, 3, 25800, "b1d19139e0e6b2f6", 3, 0.05, "leduc_poker(players=3)"),
)
"""Benchmark games of other papers on solvers."""

_POKER = "universal_poker(betting=limit,numPlayers=2,numRounds=2,blind=1 1,raiseSize=2 4,firstPlayer=1 1,{})"
_TWELVE_RANKS = "maxRaises=6 6,numSuits=2,numRanks=12,numHoleCards=1,numBoardCards=0 1"
_LARGE_SHOTS = _SHOTS.replace("board_width=2", "board_width=3")

LARGE_GAMES = _registered(
    CatalogGame("LiarsDice-7", _ZERO, 2, 114688, "bc3882564dc02e4f", 3, 0.05, _DICE.format(7)),
    CatalogGame("LiarsDice-8", _ZERO, 2, 524288, "cdc851daa22d8593", 3, 0.05, _DICE.format(8)),
    CatalogGame("Goofspiel-6", _ZERO, 2, 34482, "cfa652665f3b6247", 3, 0.05, _POINTS.format(6)),
    CatalogGame("Goofspiel-7", _ZERO, 2, 667896, "72eb450b0f1ca1ff", 3, 0.05, _POINTS.format(7)),
    CatalogGame("Battleship-3x2", _ZERO, 2, 81027, "b030e3ef433ba58e", 3, 0.05, _LARGE_SHOTS),
    CatalogGame("Kuhn-6", _ZERO, 6, 1344, "eca2410d72c7321d", 3, 0.05, _KUHN.format(6)),
    FIELD_GAMES["Leduc-3"],
    CatalogGame("UniversalPoker", _ZERO, 2, 20160, "9fff2ed9109266b6", 3, 0.05, "universal_poker"),
    CatalogGame("BigLeduc", _ZERO, 2, 100800, "ec608881c4d929c6", 3, 0.05, _POKER.format(_TWELVE_RANKS)),
)
"""Games with more than half a million histories."""

COORDINATED_GAMES = _registered(
    *(
        CatalogGame(f"{name} [coordinated]", _ZERO, 2, points, fingerprint, 3, 0.05, **origin, coordinated=True)
        for name, points, fingerprint, origin in (
            ("MCCKuhn-A", 978, "7b531106033eb537", _MCC_KUHN_A),
            ("MCCKuhn-B", 569, "734eae3a41bcee5d", _MCC_KUHN_B),
            ("MCCGoofspiel", 71, "e01352b26c256cb3", _MCC_GOOFSPIEL),
        )
    )
)
"""The paper's mixed games, played by coordinators; ``coordinated=True`` loads the same games."""

_REGISTRIES = (PAPER_GAMES, FIELD_GAMES, LARGE_GAMES, COORDINATED_GAMES)
NAMED_GAMES = _registered(*{game.shorthand: game for registry in _REGISTRIES for game in registry.values()}.values())
"""All games with a shorthand, each once."""

_BY_FINGERPRINT = {game.fingerprint: game for game in PAPER_GAMES.values()}


def in_catalog(game: Game) -> CatalogGame | None:
    """Return the catalogue entry of a game of the paper, whatever its name; ``None`` for all other games."""
    return _BY_FINGERPRINT.get(game.fingerprint)


def named_game(name: str) -> CatalogGame | None:
    """Return the entry of a shorthand, ignoring case; ``None`` if there is no such shorthand."""
    if name not in NAMED_GAMES:
        return None
    return NAMED_GAMES[name]


def game_with(fingerprint: str) -> CatalogGame | None:
    """Return the catalogue entry with this fingerprint, or ``None``."""
    return next((game for game in NAMED_GAMES.values() if game.fingerprint == fingerprint), None)
