"""Helpers of many tests: policies of several kinds, also in the form that OpenSpiel's C++ code expects."""

import fcntl
import os
import pty
import struct
import subprocess
import termios

import numpy as np
import pytest

import gamebench as gb
from gamebench.games.game import Source
from gamebench.games.loading.flatten import flatten
from gamebench.games.loading.openspiel import original_game


def game_of(text: str, name: str = "random") -> gb.Game:
    """The game that the text of a Gambit file describes."""
    source = Source("efg", text)
    return flatten(original_game(source), name, source, 10_000)


def near_deterministic_policy(game: gb.Game, seed: int, smallest: float = 1e-10) -> gb.Policy:
    """One action of each decision point is nearly certain; the others have about the smallest possible probability."""
    rng = np.random.default_rng(seed)
    probabilities = np.full(game.num_sequences, smallest)
    for point in game.decision_points:
        row = probabilities[point.sequences]
        row *= rng.uniform(1, 3, len(row))
        chosen = rng.integers(len(row))
        row[chosen] = 0.0
        row[chosen] = 1.0 - row.sum()
    return gb.Policy(game, probabilities)


def three_policies(game: gb.Game) -> dict[str, gb.Policy]:
    return {
        "uniform": gb.uniform_policy(game),
        "random": gb.random_policy(game, seed=7),
        "near-deterministic": near_deterministic_policy(game, seed=7),
    }


def as_state_policy(policy: gb.Policy) -> dict[str, list[tuple[int, float]]]:
    """Information state -> [(action, probability)], on the full game; players must not share information states."""
    game = policy.game
    table = {}
    for point in game.decision_points:
        ids = game.labels.action_ids[point.sequences]
        table[point.information_state] = list(zip(ids, policy.probabilities[point.sequences].tolist(), strict=True))
    assert len(table) == game.num_decision_points
    return table


def as_naive_policy(policy: gb.Policy) -> dict[tuple[int, str], dict[int, float]]:
    """(player, information state) -> {action: probability}, as the naive oracle expects it."""
    game = policy.game
    return {
        (point.player, point.information_state): dict(
            zip(game.labels.action_ids[point.sequences], policy.probabilities[point.sequences].tolist(), strict=True)
        )
        for point in game.decision_points
    }


def refuses(error, match, function, *arguments, **options):
    """Check that the function refuses the arguments with an error of one sentence."""
    with pytest.raises(error, match=match) as caught:
        function(*arguments, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    assert message.endswith((".", "?"))


def on_terminal(command, columns: int = 80, **environment: str) -> str:
    """What a command shows on a terminal; it must succeed."""
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")
    }  # pytest-xdist's
    variables = {**inherited, **environment}
    with subprocess.Popen(command, stdin=writer, stdout=writer, stderr=writer, env=variables) as process:
        os.close(writer)
        shown = b""
        while True:
            try:
                part = os.read(reader, 4096)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            shown += part
    os.close(reader)
    assert process.returncode == 0, shown.decode()
    return shown.decode()
