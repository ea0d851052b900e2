"""Trial of an OpenSpiel game with unusual parameters in a separate process.

Some of OpenSpiel's games do not check their parameters: with no players, no rows or a million columns they write out of
bounds, abort the process, or take minutes and gigabytes to load. A trial protects the process that loads them.
"""

from __future__ import annotations

import signal
import subprocess
import sys

from gamebench.core.errors import GameError

CPU_SECONDS = 2
"""Limit on processor time after the imports; a game with valid parameters needs a few hundredths of a second."""
MEMORY = 2**31
"""Limit in bytes on the address space used after the imports."""
NO_MEMORY = 3
"""Exit code of a trial that runs out of memory."""

_TRIAL = f"""
import random, resource, sys, time
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
try:
    import pyspiel
    if "python_" in sys.argv[1]:
        import open_spiel.python.games
    limit = int(time.process_time()) + 1 + {CPU_SECONDS}
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    try:
        with open("/proc/self/statm") as sizes:
            memory = {MEMORY} + int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    except (OSError, ValueError):
        pass  # not on Linux, or less is allowed already
    game = pyspiel.load_game(sys.argv[1])
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    for seed in range(5):
        rng, state = random.Random(seed), game.new_initial_state()
        for _ in range(200):
            for look in (state.legal_actions, state.information_state_string, state.observation_string, state.returns):
                try:
                    look()
                except pyspiel.SpielError:
                    pass  # not every game has all of them
            if state.is_terminal():
                break
            actions = state.legal_actions()
            [state.action_to_string(action) for action in actions]
            state.apply_action(rng.choice(actions))
except MemoryError:
    sys.exit({NO_MEMORY})
except BaseException:
    pass  # raised again, and reported, when the game is loaded
"""


def try_in_a_process(text: str) -> None:
    """Raise unless a separate process can load the game of a game string and play it for a while."""
    try:
        arguments = [sys.executable, "-P", "-c", _TRIAL, text]
        code = subprocess.run(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        ).returncode
    except (OSError, ValueError):  # no process can be started, so the game is loaded without a trial
        return
    if code == NO_MEMORY:
        what = f"takes more than {MEMORY >> 30} GiB of memory"
    elif code in (-signal.SIGXCPU, -signal.SIGKILL):
        what = f"takes more than {CPU_SECONDS} seconds to begin"
    elif code < 0:
        what = f"ends the process that plays it ({signal.Signals(-code).name})"
    else:
        return
    raise GameError(f"OpenSpiel cannot load the game {text!r}: it {what}; choose other parameters.")
