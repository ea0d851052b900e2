"""Attacks on what GameBench promises about results on disk: nothing lost, nothing different, nothing wrong shown.

    python -m tools.attack kills --count 500        processes killed at random moments
    python -m tools.attack damage --count 1000      files of results and flattened games damaged

Everything is decided by ``--seed`` and the number of the case, so that ``--only NUMBER`` repeats one. All of it happens
in temporary folders. ``docs/reliability.md`` lists the promises.
"""
