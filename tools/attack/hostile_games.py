"""Hostile names and files of games, each drawn from a generator."""

from __future__ import annotations

import random
import re

from tools.attack.hostile import NUMBERS, mutated, word

FILES = {
    "nfg": (
        'NFG 1 R "dilemma" { "A" "B" } { 2 2 }\n3 3 5 0 0 5 1 1\n',
        'NFG 1 R "named" { "A" "B" } { { "up" "down" } { "left" "right" } } "a comment"\n1 -1 -1 1 -1 1 1 -1\n',
        'NFG 1 R "outcomes" { "A" "B" } { { "u" "d" } { "l" "r" } } ""\n{ { "x" 1 2 } { "y" 3/4 -1e3 } }\n1 2 0 1\n',
        'NFG 1 D "three" { "A" "B" "C" } { 2 1 2 }\n1 2 3 4 5 6 7 8 9 10 11 12\n',
    ),
    "efg": (
        'EFG 2 R "pennies" { "A" "B" }\np "" 1 1 "a" { "L" "R" } 0\np "" 2 1 "b" { "l" "r" } 0\nt "" 1 "" { 1 -1 }\n'
        't "" 2 "" { -1 1 }\np "" 2 1 "b" { "l" "r" } 0\nt "" 3 "" { -1 1 }\nt "" 4 "" { 1 -1 }\n',
        'EFG 2 R "chance" { "A" }\n"comment"\nc "" 1 "coin" { "h" 1/2 "t" 0.5 } 0\n'
        'p "" 1 1 "x" { "a" "b" } 1 "o" { 1 }\nt "" 2 "" { 2 }\nt "" 3 "" { 3 }\n'
        'p "" 1 2 "y" { "a" "b" } 0\nt "" 2\nt "" 3\n',
    ),
}
GAME_NAMES = (
    *(
        "Kuhn",
        "Kuhn-A",
        "kuhn_poker",
        "kuhn_poker(players=3)",
        "leduc_poker(players=2)",
        "tiny_hanabi",
        "matrix_pd",
        "trade_comm(num_items=2)",
    ),
    *(
        "mine",
        "mine(size=2)",
        "mine(size=----1)",
        "mine(size=-2)",
        "mine(kind='b')",
        "mine(size=1e9999)",
        "mine(size=" + "-" * 5000 + "1)",
    ),
    *(
        "mine(size=" + "(" * 300 + "1" + ")" * 300 + ")",
        "mine(size=1, size=2)",
        "mine(**{})",
        "mine(size=9**9**9)",
        "mine(size='x')",
    ),
    *(
        "repeated_game(stage_game=matrix_pd(),num_repetitions=2)",
        "turn_based_simultaneous_game(game=goofspiel(num_cards=3))",
    ),
    *(
        "goofspiel(num_cards=3,imp_info=True,points_order=descending)",
        "liars_dice(dice_sides=2)",
        "misere(game=kuhn_poker)",
    ),
    *(
        "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1.5],num_shots=2,loss_multiplier=0.5)",
        "efg_game(filename=x)",
    ),
    *(
        "universal_poker(betting=limit)",
        "nfg_game(filename=/dev/null)",
        "normal_form_extensive_game(game=matrix_pd)",
        "bargaining()",
        "tic_tac_toe",
    ),
)


def game_text(rng: random.Random) -> str:
    """Return the name of a game, more or less valid."""
    if rng.random() < 0.15:
        return word(rng)
    text = rng.choice(GAME_NAMES)
    if rng.random() < 0.3 and "(" in text:
        return re.sub(r"=[^,()]*", lambda match: match[0] if rng.random() < 0.6 else f"={rng.choice(NUMBERS)}", text)
    return text if rng.random() < 0.2 else mutated(text, rng)


def game_file(rng: random.Random) -> tuple[str, str]:
    """Return the suffix and the content of a game file, more or less valid."""
    kind = rng.choice(list(FILES))
    text = rng.choice(FILES[kind])
    how = rng.randrange(10)
    if how < 3:
        numbers = list(re.finditer(r"(?<![\"\w])-?\d[\d./e]*", text))
        for match in sorted(
            rng.sample(numbers, min(len(numbers), rng.choice((1, 2)))), key=lambda found: -found.start()
        ):
            text = text[: match.start()] + rng.choice(NUMBERS) + text[match.end() :]
    elif how < 7:
        text = mutated(text, rng)
    elif how == 7:
        count = rng.choice((1000, 60_000))
        names = " ".join(f'"{rng.choice(("s", "", "s" + str(number)))}"' for number in range(count))
        text = f'NFG 1 R "many" {{ "A" }} {{ {{ {names} }} }}\n{" ".join(["1"] * count)}\n'
        kind = "nfg"
    elif how == 8:
        depth = rng.choice((50, 3000))
        nodes = "".join(f'p "" 1 {level + 1} "" {{ "a" "b" }} 0\nt "" 1 "" {{ 1 }}\n' for level in range(depth))
        text, kind = f'EFG 2 R "deep" {{ "A" }}\n{nodes}t "" 1\n', "efg"
    else:
        text = text.replace('"A"', " ".join(['"A"'] * rng.choice((0, 5, 40))), 1)
    return kind, text
