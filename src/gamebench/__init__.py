"""GameBench is a Python library and command line for solving and measuring finite games.

It takes single-agent, cooperative, zero-sum, general-sum and team games, runs CMD and the field's solvers on all of
them, and measures every policy exactly.

>>> import gamebench as gb
>>> game = gb.load_game("Kuhn")
>>> gb.evaluate(game, gb.uniform_policy(game), "NashConv")
2.0625

``__init__.pyi`` is the list of the public names; each is imported when it is first used.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
