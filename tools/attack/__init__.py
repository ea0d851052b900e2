"""Attacks on what GameBench promises: nothing lost, nothing different, nothing wrong, no traceback, no hang.

    python -m tools.attack kills --count 500        processes killed at random moments
    python -m tools.attack damage --count 2000      files of results and flattened games damaged
    python -m tools.attack inputs --count 20000     hostile specs, games, policies, states, plug-ins and command lines
    python -m tools.attack cache --count 200        the folder of machine code damaged, full or read-only

Everything is decided by ``--seed`` and the number of the case, so that ``--only NUMBER`` repeats one. All of it happens
in temporary folders. ``docs/reliability.md`` says what is promised and shows what the last long run found.
"""
