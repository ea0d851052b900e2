"""How tests are written.

The folders are the layers of the package; files at the top test several layers, the documentation or the repository.

- Expected numbers come from ``oracles``: naive implementations that share neither code nor ideas with the fast ones.
  Write a new oracle without looking at the code it checks. ``oracles/random_games.py`` makes games for hypothesis.
  Tolerances are 1e-12 unless the other side is less exact.
- What must hold for every object of a kind (each game, each measure, ...) is a ``@question`` in ``gamebench.testing``,
  asked of everything that comes with the package, and of broken examples, in ``testing/test_conformance.py``.
- Tests pass on a busy machine. Never assert a time; that is the task of ``make bench``. Wait for an event
  (``wait_until`` in ``patience.py``), never for seconds. Where order matters, make the process wait for the test. A
  ``timeout`` only ends what hangs, so it is always ``HANG``.
- Tests of more than five seconds are marked ``slow``. Those marked ``ray`` start a cluster and run last, one by one.
- ``gamebench(...)`` and ``on_screen(...)`` of ``cli/commands.py`` run a command in the test's own process.
  ``started(...)`` starts it as users do, which takes seconds: for workers, signals and streams.
- ``test_documentation.py`` runs all code of the README and the docs and compares what they show; its docstring has the
  rules. A block that only the test needs stands in an HTML comment, ``<!-- test ... -->``.
- ``make coverage`` also runs some tests with the compiler off (``NUMBA_DISABLE_JIT=1``): only then do kernels count. It
  fails below 95 %. ``make mutants`` changes the numerical core in one place at a time; mutants that cannot be noticed
  are listed with the reason in ``tools/equivalent_mutants.txt``.
- A fault found by ``python -m tools.attack`` gets an ordinary test in the usual place.
"""
