"""Attacks on results on disk, where GameBench promises: nothing lost, nothing different, nothing wrong shown.

    python -m tools.attack kills --count 500        processes killed at random moments
    python -m tools.attack damage --count 1000      files of results and flattened games damaged

``--seed`` and the number of a case decide everything, so ``--only NUMBER`` repeats one. Everything happens in temporary
folders. ``docs/reliability.md`` lists the promises.
"""
