"""Solved games: which standard games there are solutions of, and the solutions that come with the package.

``python -m tools.solved_games`` computes them, and writes ``solved.json`` and ``docs/solved-games.md``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from gamebench.errors import GameBenchError
from gamebench.games.catalog import CATALOG, FIELD_GAMES

FILE = "solved.json"
EQUILIBRIUM = "equilibrium"
"""Concept of games that no linear program solves: an equilibrium, of which there may be others."""
LARGEST_DENOMINATOR = 10_000
ROUNDING_OF_VALUES = 1e-12
CHANCE = 1e-3
"""Largest probability with which an arbitrary number may be taken for a fraction."""


@dataclass(frozen=True)
class StandardGame:
    """A game of the list, and how it is loaded."""

    game: str
    teams: tuple[tuple[int, ...], ...] | None = None
    coordinated: bool = False
    iterations: int = 0
    """Iterations of CRD, for a game that no linear program solves."""
    literature: str = ""
    """What is known of its value, and from where."""

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of ``load_game``."""
        return {"teams": self.teams, "coordinated": self.coordinated}


@dataclass(frozen=True)
class SolvedGame:
    """A solution that comes with the package: its value and its certificate, without the policy.

    Examples:
        >>> import gamebench as gb
        >>> leduc = next(solved for solved in gb.solved_games() if solved.game == "Leduc")
        >>> leduc.concept, round(leduc.value, 6), leduc.gap < 1e-12
        ('minimax', -0.085606, True)
    """

    game: str
    """A shorthand or an OpenSpiel string, as ``load_game`` takes it."""
    open_spiel: str
    """The OpenSpiel string; teams, coordination and a focal player come on top of it."""
    focal: int | None
    teams: tuple[tuple[int, ...], ...] | None
    coordinated: bool
    category: str
    players: int
    """Number of players; coordinators count once."""
    decision_points: int
    fingerprint: str
    """That of the loaded game."""
    concept: str
    """That of :class:`ExactSolution`, or ``"equilibrium"``: one of possibly many, found by CRD."""
    objective: str | None
    """What the best CCE or EFCE maximises."""
    value: float | None
    """As in :class:`ExactSolution`; an equilibrium has none."""
    fraction: str | None
    """The value as a fraction, if a simple one is within the gap."""
    lower: float | None
    upper: float | None
    gap: float
    """How far the value can be from the truth; NashConv of an equilibrium."""
    payoffs: tuple[float, ...]
    incentive: float
    """The most that a player gains by deviating."""
    made_by: str
    """Which version of which method."""

    @property
    def name(self) -> str:
        """Name of the loaded game."""
        shown = "/".join(",".join(map(str, team)) for team in self.teams or ())
        is_named = self.game in CATALOG
        teams = f" [teams {shown}]" if shown and not is_named else ""
        return f"{self.game}{teams}{' [coordinated]' if self.coordinated else ''}"

    @property
    def key(self) -> tuple[str, str]:
        """What distinguishes the entry from all others."""
        return self.name, self.concept


def _standard_games() -> tuple[StandardGame, ...]:
    """Return the games with a shorthand, and well-known ones besides that load within seconds."""
    symmetric = "0, by symmetry"
    pair = ((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))
    known = {
        "Kuhn-2": "-1/18 (Kuhn 1950)",
        "Leduc": "-0.0856 (OpenSpiel and others)",
        "TinyHanabi-A": "10 (Foerster et al. 2019)",
        **dict.fromkeys(("Goofspiel-4", "Goofspiel-5"), symmetric),
    }
    with_crd = {"Kuhn": 5_000, "Goofspiel": 5_000, "Leduc-3": 20_000}
    shorthands = [
        StandardGame(name, None, row.teams is not None, with_crd.get(name, 0), known.get(name, ""))
        for name, row in (*CATALOG.items(), *FIELD_GAMES.items())
    ]
    poker = [
        StandardGame("leduc_poker(suit_isomorphism=True)", literature=known["Leduc"]),
        StandardGame("kuhn_poker(players=3)", ((1, 2), (0,)), True),
        *(StandardGame("kuhn_poker(players=4)", teams, True) for teams in pair),
        StandardGame("kuhn_poker(players=4)", iterations=5_000),
    ]
    dice = [
        *(StandardGame(f"liars_dice(numdice=1,dice_sides={sides})") for sides in (2, 3)),
        StandardGame("liars_dice(numdice=2,dice_sides=2)"),
    ]
    goofspiel = [
        *(
            StandardGame(f"goofspiel({parameters})", literature=symmetric)
            for parameters in (
                "num_cards=3,points_order=descending",
                "num_cards=3,points_order=random",
                "num_cards=3,points_order=random,imp_info=True",
                "num_cards=4,points_order=ascending,imp_info=True",
                "num_cards=4,points_order=random,imp_info=True",
                "num_cards=4,points_order=descending,imp_info=True,returns_type=point_difference",
            )
        ),
        StandardGame("goofspiel(num_cards=3,points_order=descending,imp_info=True,returns_type=total_points)"),
        StandardGame("goofspiel(players=3,num_cards=3,imp_info=True,points_order=random)", ((0, 1), (2,)), True),
        StandardGame("goofspiel(players=3,num_cards=4,imp_info=True,points_order=descending)", ((0, 1), (2,)), True),
        StandardGame("goofspiel(players=3,num_cards=4,imp_info=True,points_order=descending)", iterations=5_000),
        StandardGame("goofspiel(players=4,num_cards=3,imp_info=True,points_order=descending)", pair[0], True),
    ]
    matrices = [
        *(StandardGame(f"matrix_{name}", literature=symmetric) for name in ("rps", "brps", "rpsw")),
        *(StandardGame(f"matrix_{name}") for name in ("mp", "pd", "sh", "bos", "cd", "coordination", "shapleys_game")),
        *(StandardGame(f"repeated_game(stage_game=matrix_{name}(),num_repetitions=2)") for name in ("pd", "cd")),
        StandardGame("coordinated_mp"),
        StandardGame("matching_pennies_3p", iterations=1_000),
    ]
    contests = [
        *(
            StandardGame(f"blotto(players=2,coins={coins},fields={fields})", literature=symmetric)
            for coins, fields in ((5, 3), (10, 3), (6, 4))
        ),
        StandardGame("blotto(players=3,coins=4,fields=3)", ((0, 1), (2,)), True),
        StandardGame("blotto(players=3,coins=4,fields=3)", iterations=1_000),
        StandardGame("oshi_zumo(coins=4,size=1,horizon=6)", literature=symmetric),
        StandardGame("oshi_zumo(coins=6,size=1,min_bid=1)", literature=symmetric),
        *(StandardGame(f"first_sealed_auction(players=2,max_value={value})") for value in (3, 5, 6)),
        StandardGame("first_sealed_auction(players=3,max_value=4)", iterations=1_000),
    ]
    boards = [
        StandardGame("tic_tac_toe", literature="0, a draw"),
        StandardGame("misere(game=tic_tac_toe())", literature="0, a draw"),
        *(StandardGame(f"hex(board_size={size})", literature="1 (Nash 1952)") for size in (2, 3)),
        *(StandardGame(f"dark_hex(board_size=2,gameversion={version})") for version in ("cdh", "adh")),
        StandardGame("nim(pile_sizes=1;2;3)", literature="-1 (Bouton 1901)"),
        StandardGame("connect_four(rows=3,columns=3,x_in_row=3)"),
        StandardGame("mnk(m=3,n=3,k=2)"),
        StandardGame("breakthrough(rows=3,columns=2)"),
        StandardGame("dots_and_boxes(num_rows=1,num_cols=2)"),
        StandardGame("clobber(rows=2,columns=3)"),
    ]
    two = "board_width=2,board_height=2,num_shots=2,allow_repeated_shots=False"
    mediated = [
        StandardGame(f"battleship({two},ship_sizes=[1],ship_values=[1])"),
        StandardGame(f"battleship({two},ship_sizes=[2],ship_values=[1],loss_multiplier=2.0)"),
        StandardGame("sheriff(max_items=3,max_bribe=1,num_rounds=2)"),
        StandardGame("sheriff(max_items=3,max_bribe=2,num_rounds=3)"),
        StandardGame(
            "sheriff(item_penalty=1.0,item_value=5.0,sheriff_penalty=1.0,max_items=10,max_bribe=2,num_rounds=2)"
        ),
    ]
    common = [
        StandardGame("lewis_signaling"),
        *(StandardGame(f"trade_comm(num_items={items})") for items in (3, 4)),
        StandardGame("catch"),
        StandardGame("deep_sea(size=6)"),
    ]
    return (*shorthands, *poker, *dice, *goofspiel, *matrices, *contests, *boards, *mediated, *common)


STANDARD_GAMES = _standard_games()
"""The games of the list: all with a shorthand, and others that papers use."""


def as_fraction(value: float, gap: float) -> Fraction | None:
    """Return the simple fraction that is within the gap of a value; ``None`` if there is none.

    The more exact the value, the larger a denominator may be: an arbitrary number should not look like a fraction.

    Examples:
        >>> from gamebench.exact.solved import as_fraction
        >>> str(as_fraction(-0.055555555555555580, 1e-16)), as_fraction(-0.0856064240780, 1e-12)
        ('-1/18', None)
    """
    nearest = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    radius = max(gap, ROUNDING_OF_VALUES)
    is_simple = nearest.denominator**2 * radius <= CHANCE
    return nearest if is_simple and abs(nearest - Fraction(value)) <= radius else None


def solved_games() -> tuple[SolvedGame, ...]:
    """Return the solutions that come with the package: every game with a shorthand, and others that papers use.

    Games between players with different interests have two, the best CCE and the best EFCE. The mixed games of the
    paper are solved with coordination.

    Examples:
        >>> import gamebench as gb
        >>> [solved.fraction for solved in gb.solved_games() if solved.game.startswith("MCC")]
        ['-1/48', '7/528', '1/4']
    """
    return _shipped()


@cache
def _shipped() -> tuple[SolvedGame, ...]:
    try:
        text = (files("gamebench.exact") / FILE).read_text(encoding="utf-8")
    except OSError as error:
        raise GameBenchError("The solved games that come with GameBench are missing: install it again.") from error
    return tuple(from_dict(entry) for entry in json.loads(text))


def from_dict(entry: dict[str, Any]) -> SolvedGame:
    """Return an entry of the file."""
    teams = None if entry["teams"] is None else tuple(tuple(team) for team in entry["teams"])
    return SolvedGame(**{**entry, "teams": teams, "payoffs": tuple(entry["payoffs"])})
