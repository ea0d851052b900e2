"""Solve the standard games, and write the solutions that come with the package and the table of docs/solved-games.md.

    python -m tools.solved_games            solve what is missing or has changed
    python -m tools.solved_games kuhn       the same, for games whose name contains this word
    python -m tools.solved_games --again    solve unchanged games again

The file is written after every game, so a killed run continues where it stopped. Everything takes a quarter of an hour
on one core. Last digits of values can differ from machine to machine, within the gaps.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from gamebench.algorithms import CRD
from gamebench.algorithms.crd.guided import GUIDED_VERSION
from gamebench.analysis.exact.solution import VERSION, concept_for, solve_exactly
from gamebench.analysis.exact.solved import EQUILIBRIUM, FILE, SolvedGame, as_fraction, from_dict
from gamebench.analysis.measures import evaluate
from gamebench.analysis.responses import improvements
from gamebench.core.choices import CORRELATED, OBJECTIVES
from gamebench.games.catalogue import named_game
from gamebench.games.game import Game
from gamebench.games.loading.load import load_game
from gamebench.policies import expected_values
from gamebench.runs.solve import solve
from gamebench.system.files import write_atomically
from tools import pages
from tools.standard_games import STANDARD_GAMES, StandardGame

ROOT = Path(__file__).parent.parent
SHIPPED = ROOT / "src" / "gamebench" / "exact" / FILE


def concepts_of(standard: StandardGame, game: Game) -> tuple[str, ...]:
    """Return the concepts that a game is solved for."""
    if standard.iterations:
        return (EQUILIBRIUM,)
    concept = concept_for(game)
    return CORRELATED if concept in CORRELATED else (concept,)


def made_by(standard: StandardGame) -> str:
    """Return what the numbers depend on besides the game: the version and settings of the method."""
    guided = f"CRD {CRD.version}.{GUIDED_VERSION}, {standard.iterations} iterations"
    return guided if standard.iterations else f"exact {VERSION}"


def solved(standard: StandardGame, game: Game, concept: str) -> SolvedGame:
    """Solve a game."""
    row = named_game(standard.game)
    teams = standard.teams if row is None else row.teams
    about = (standard.game, standard.game if row is None else row.open_spiel, None if row is None else row.focal)
    size = (str(game.category), game.num_players, game.num_decision_points, game.fingerprint)
    if concept == EQUILIBRIUM:
        policy = solve(game, "CRD", standard.iterations, checkpoints=[standard.iterations]).policy
        gap, incentive = max(evaluate(game, policy, "NashConv"), 0.0), max(float(improvements(game, policy).max()), 0.0)
        payoffs = tuple(expected_values(game, policy).tolist())
        numbers = (EQUILIBRIUM, None, None, None, None, None, gap, payoffs, incentive)
        return SolvedGame(*about, teams, standard.coordinated, *size, *numbers, made_by(standard))
    is_correlated = concept in CORRELATED
    found = solve_exactly(game, **({"concept": concept, "objective": OBJECTIVES[0]} if is_correlated else {}))
    fraction = as_fraction(found.value, found.gap)
    return SolvedGame(
        *about,
        teams,
        standard.coordinated,
        *size,
        concept=concept,
        objective=found.objective,
        value=found.value,
        fraction=None if fraction is None else str(fraction),
        lower=found.lower,
        upper=found.upper,
        gap=found.gap,
        payoffs=tuple(found.payoffs.tolist()),
        incentive=found.incentive,
        made_by=made_by(standard),
    )


def wanted(words: list[str]) -> Iterator[StandardGame]:
    """Yield the games whose names contain one of the words, or all games if there are no words."""
    for standard in STANDARD_GAMES:
        if not words or any(word.lower() in standard.game.lower() for word in words):
            yield standard


def write(entries: dict[tuple[str, str], SolvedGame]) -> None:
    """Write the file, with a line for each entry."""
    lines = ",\n".join(json.dumps(asdict(entry)) for entry in entries.values())
    write_atomically(SHIPPED, f"[\n{lines}\n]\n".encode())


def main() -> None:
    """Solve the games that need it, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    known = {}
    if SHIPPED.is_file():
        known = {entry.key: entry for entry in map(from_dict, json.loads(SHIPPED.read_text(encoding="utf-8")))}
    chosen = list(wanted(options.words))
    order: list[tuple[str, str]] = []
    for number, standard in enumerate(chosen, start=1):
        game = load_game(standard.game, **standard.options)
        for concept in concepts_of(standard, game):
            key = game.name, concept
            order.append(key)
            stored = known.get(key)
            is_new = stored is None or (stored.fingerprint, stored.made_by) != (game.fingerprint, made_by(standard))
            told = f"{number}/{len(chosen)} {game.name}, {concept}:"
            if not is_new and not options.again:
                print(told, "as before", flush=True)
                continue
            start = time.perf_counter()
            entry = solved(standard, game, concept)
            assert entry.key == key
            known[key] = entry
            write(known)
            seconds = time.perf_counter() - start
            print(told, f"{entry.value}, gap {entry.gap:.1e}, {seconds:.1f} s", flush=True)
    if not options.words:  # in the order of the list, without games that have left it
        known = {key: known[key] for key in order}
        write(known)
    pages.write("solved-games")


if __name__ == "__main__":
    main()
