"""The standard games whose solutions come with the package; ``python -m tools.solved_games`` solves them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gamebench.evidence.methods import FIELD
from gamebench.games.catalogue import NAMED_GAMES


@dataclass(frozen=True)
class StandardGame:
    """A game of the list, and how it is loaded."""

    game: str
    teams: tuple[tuple[int, ...], ...] | None = None
    coordinated: bool = False
    iterations: int = 0
    """Iterations of CRD, for a game that no linear program solves."""
    literature: str = ""
    """Its value in the literature, with the source."""

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of ``load_game``."""
        return {"teams": self.teams, "coordinated": self.coordinated}


SYMMETRIC = "0, by symmetry"
KNOWN = {
    "Kuhn-2": "-1/18 (Kuhn 1950)",
    "Leduc": "-0.0856 (OpenSpiel and others)",
    "TinyHanabi-A": "10 (Foerster et al. 2019)",
    **dict.fromkeys(("Goofspiel-4", "Goofspiel-5"), SYMMETRIC),
}
"""Values in the literature of games with a shorthand."""
WITH_CRD = {"Kuhn": 5_000, "Goofspiel": 5_000, "Leduc-3": 20_000}
"""Iterations of CRD, for those that no linear program solves."""
PAIRS = ((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))
TWO_AGAINST_ONE = ((0, 1), (2,))
SMALL_BATTLE = "board_width=2,board_height=2,num_shots=2,allow_repeated_shots=False"

STANDARD_GAMES = (
    *(
        StandardGame(name, None, NAMED_GAMES[name].teams is not None, WITH_CRD.get(name, 0), KNOWN.get(name, ""))
        for name in FIELD
    ),
    # poker
    StandardGame("leduc_poker(suit_isomorphism=True)", literature=KNOWN["Leduc"]),
    StandardGame("kuhn_poker(players=3)", ((1, 2), (0,)), True),
    *(StandardGame("kuhn_poker(players=4)", teams, True) for teams in PAIRS),
    StandardGame("kuhn_poker(players=4)", iterations=5_000),
    # dice
    *(StandardGame(f"liars_dice(numdice=1,dice_sides={sides})") for sides in (2, 3)),
    StandardGame("liars_dice(numdice=2,dice_sides=2)"),
    # goofspiel
    *(
        StandardGame(f"goofspiel({parameters})", literature=SYMMETRIC)
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
    StandardGame("goofspiel(players=3,num_cards=3,imp_info=True,points_order=random)", TWO_AGAINST_ONE, True),
    StandardGame("goofspiel(players=3,num_cards=4,imp_info=True,points_order=descending)", TWO_AGAINST_ONE, True),
    StandardGame("goofspiel(players=3,num_cards=4,imp_info=True,points_order=descending)", iterations=5_000),
    StandardGame("goofspiel(players=4,num_cards=3,imp_info=True,points_order=descending)", PAIRS[0], True),
    # matrices
    *(StandardGame(f"matrix_{name}", literature=SYMMETRIC) for name in ("rps", "brps", "rpsw")),
    *(StandardGame(f"matrix_{name}") for name in ("mp", "pd", "sh", "bos", "cd", "coordination", "shapleys_game")),
    *(StandardGame(f"repeated_game(stage_game=matrix_{name}(),num_repetitions=2)") for name in ("pd", "cd")),
    StandardGame("coordinated_mp"),
    StandardGame("matching_pennies_3p", iterations=1_000),
    # contests
    *(
        StandardGame(f"blotto(players=2,coins={coins},fields={fields})", literature=SYMMETRIC)
        for coins, fields in ((5, 3), (10, 3), (6, 4))
    ),
    StandardGame("blotto(players=3,coins=4,fields=3)", TWO_AGAINST_ONE, True),
    StandardGame("blotto(players=3,coins=4,fields=3)", iterations=1_000),
    StandardGame("oshi_zumo(coins=4,size=1,horizon=6)", literature=SYMMETRIC),
    StandardGame("oshi_zumo(coins=6,size=1,min_bid=1)", literature=SYMMETRIC),
    *(StandardGame(f"first_sealed_auction(players=2,max_value={value})") for value in (3, 5, 6)),
    StandardGame("first_sealed_auction(players=3,max_value=4)", iterations=1_000),
    # boards
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
    # with a mediator
    StandardGame(f"battleship({SMALL_BATTLE},ship_sizes=[1],ship_values=[1])"),
    StandardGame(f"battleship({SMALL_BATTLE},ship_sizes=[2],ship_values=[1],loss_multiplier=2.0)"),
    StandardGame("sheriff(max_items=3,max_bribe=1,num_rounds=2)"),
    StandardGame("sheriff(max_items=3,max_bribe=2,num_rounds=3)"),
    StandardGame("sheriff(item_penalty=1.0,item_value=5.0,sheriff_penalty=1.0,max_items=10,max_bribe=2,num_rounds=2)"),
    # common payoffs
    StandardGame("lewis_signaling"),
    *(StandardGame(f"trade_comm(num_items={items})") for items in (3, 4)),
    StandardGame("catch"),
    StandardGame("deep_sea(size=6)"),
)
"""The games with a shorthand, and other well-known ones that load within seconds."""
