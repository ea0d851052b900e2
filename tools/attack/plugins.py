"""Plug-ins that misbehave."""

from __future__ import annotations

import random

RAISES = (
    *(
        "raise SystemExit",
        "raise SystemExit(3)",
        "import sys; sys.exit()",
        "import sys; sys.exit('text')",
        "raise BadText()",
        "raise ValueError",
    ),
    *(
        "raise BaseException('x')",
        "raise GeneratorExit",
        "return deep(0)",
        "raise RuntimeError('a\\nb\\x1b[2J' * 500)",
        "raise MemoryError",
    ),
    *(
        "raise StopIteration",
        "raise Group('x', [ValueError()])",
        "assert False",
        "return 1 / 0",
        "raise UnicodeDecodeError('u', b'', 0, 1, 'x')",
    ),
)
RETURNS = (
    *(
        "return None",
        "return 'text'",
        "return float('nan')",
        "return float('inf')",
        "return 1j",
        "return []",
        "return {}",
        "return object()",
    ),
    *(
        "return np.zeros(3)",
        "return True",
        "return 10**400",
        "return Odd()",
        "return policy",
        "return np.array('x')",
        "pass",
        "return np.float32(1)",
    ),
)
HEAD = """import numpy as np
import gamebench as gb
Group = BaseExceptionGroup

class BadText(Exception):
    def __str__(self): raise ValueError("no text")
    __repr__ = __str__

class Odd:
    def __float__(self): raise TypeError
    def __repr__(self): raise ValueError
    def __eq__(self, other): raise ValueError
    __hash__ = None

def deep(level): return deep(level + 1)
"""
PLACES = {
    "module": ("def run():\n    {body}\nrun()\n", ["run", "Kuhn-A", "-n", "2"]),
    "measure": (
        "@gb.register_measure\ndef own(game, policy):\n    {body}\n",
        ["run", "Kuhn-A", "-n", "2", "--measure", "own"],
    ),
    "game": ("@gb.register_game\ndef own(policy=1):\n    {body}\n", ["evaluate", "own"]),
    "game's parameter": ("@gb.register_game\ndef own(policy=Odd()):\n    {body}\n", ["evaluate", "own(policy=2)"]),
    "convex": (
        "@gb.register_convex(name='own')\ndef own(policy):\n    {body}\n",
        ["run", "Kuhn-A", "-a", "GMD", "-n", "2", "--set", "convex=own"],
    ),
    "objective": (
        "@gb.register_measure\ndef own(game, policy):\n    {body}\n",
        ["run", "Kuhn-A", "-a", "CMD", "-n", "12", "--set", "objective=own"],
    ),
    "controller": (
        "@gb.register_controller\nclass Own(gb.Controller):\n    '''Own.'''\n    name = 'Own'\n"
        "    def update(self, policy, losses, current_loss, generator):\n        {body}\n",
        ["run", "Kuhn-A", "-a", "CMD", "-n", "12", "--set", "controller=Own"],
    ),
    "algorithm": (
        "@gb.register_algorithm\nclass Own(gb.Algorithm):\n    '''Own.'''\n    name = 'Own'\n"
        "    def start(self, game, seed):\n"
        "        return gb.State(seed=seed, policy=np.array(gb.uniform_policy(game).probabilities))\n"
        "    def advance(self, game, policy, iterations):\n        {body}\n",
        ["run", "Kuhn-A", "-a", "Own", "-n", "2"],
    ),
    "start of an algorithm": (
        "@gb.register_algorithm\nclass Own(gb.Algorithm):\n    '''Own.'''\n    name = 'Own'\n"
        "    def start(self, game, policy):\n"
        "        {body}\n    def advance(self, game, state, iterations): pass\n",
        ["run", "Kuhn-A", "-a", "Own", "-n", "2"],
    ),
    "experiment": ("@gb.register_experiment\ndef own(policy=0):\n    {body}\n", ["sweep", "own", "--dry-run"]),
}


def plugin(rng: random.Random) -> tuple[str, str, list[str]]:
    """Return where a plug-in misbehaves, its text, and the command that uses it."""
    place = rng.choice(list(PLACES))
    text, command = PLACES[place]
    body = rng.choice(RAISES if place == "module" or rng.random() < 0.5 else RETURNS)
    return place, HEAD + text.replace("{body}", body), command
