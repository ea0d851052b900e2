"""User-defined regret minimisers: kernels built from three small functions."""

from __future__ import annotations

from functools import cache

import numpy as np

from gamebench.kernels.compiling import compiled_by_user
from gamebench.kernels.gradients import differentiate_with_magnitude
from gamebench.kernels.passes import add_play, add_to_parents, count_iterations, realise, realise_player
from gamebench.kernels.regret import differentiate_choices, without_rounding


def merged(function):
    """Compile like an internal kernel: merged with its callers, and without counting references."""
    return compiled_by_user(function, _nrt=False, forceinline=True)


@cache
def slices_of(count):
    """Return a kernel that takes a tuple of ``count`` arrays and returns the tuple of their slices ``[begin:end]``."""
    if not count:
        return merged(lambda arrays, begin, end: ())
    slices_before, last = slices_of(count - 1), count - 1
    return merged(lambda arrays, begin, end: (*slices_before(arrays, begin, end), arrays[last][begin:end]))


@cache
def own_regret_steps(accumulate, recommend, average, num_arrays=0):
    """Return a kernel that runs iterations of the regret minimiser that these three functions define.

    They are called at each decision point. ``settings`` is a named tuple of numbers, ``t`` the iteration, and arrays
    have an entry for each action:

    - ``accumulate(settings, t, latest, regrets, *own)`` updates the regrets, given those of this iteration;
    - ``recommend(settings, t, latest, regrets, policy, *own)`` writes weights into ``policy``, which are normalised;
    - ``average(settings, t)`` returns the weight of the iteration in the average policy.

    ``own`` are the ``num_arrays`` arrays that the regret minimiser keeps for itself.

    Regrets within rounding of zero are set to zero: those of the iteration, and the accumulated ones, for which
    rounding is relative to their previous values.

    ``kernel(form, endings, steps, alternating, settings, regrets, total_play, policy, powers, sums, counts, own)`` runs
    ``steps`` iterations; its arrays from ``regrets`` on are modified in place.
    """
    accumulate, recommend, average = map(compiled_by_user, (accumulate, recommend, average))
    slices = slices_of(num_arrays)

    @merged
    def update(form, player, settings, t, share, x, q, a, latest, regrets, total_play, policy, own):
        firsts, parents, starts = form.first_sequences, form.parent_sequences, form.parent_starts
        for point in range(form.player_blocks[player + 1] - 1, form.player_blocks[player] - 1, -1):
            begin, end = np.uintp(firsts[point]), np.uintp(firsts[point + 1])
            value, magnitude = 0.0, 0.0
            for s in range(begin, end):
                value += policy[s] * q[s]
                magnitude += policy[s] * a[s]
            add_to_parents(starts, parents, point, value, q)
            add_to_parents(starts, parents, point, magnitude, a)
            for s in range(begin, end):
                latest[s] = without_rounding(q[s] - value, a[s] + magnitude)
                a[s] = abs(regrets[s])
                total_play[s] += share * x[s]
            here = slices(own, begin, end)
            accumulate(settings, t, latest[begin:end], regrets[begin:end], *here)
            recommend(settings, t, latest[begin:end], regrets[begin:end], policy[begin:end], *here)
            total = 0.0
            for s in range(begin, end):
                regrets[s] = without_rounding(regrets[s], a[s])  # rounding may have left a remainder of an old regret
                policy[s] = 0.0 if policy[s] < 0.0 else policy[s]
                total += policy[s]
            for s in range(begin, end):
                if total == 0.0:
                    policy[s] = 1.0 / (end - begin)
                else:  # weights whose total is not finite must not look like a policy
                    policy[s] = policy[s] / total if total < np.inf else np.nan

    def steps(form, endings, steps, alternating, settings, regrets, total_play, policy, powers, sums, counts, own):
        players = len(form.last_sequences)
        size = len(policy) + players
        x, q, a, latest = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
        realise(form, policy, x)
        for t in range(counts[0] + 1, counts[0] + steps + 1):
            share = average(settings, t)
            add_play(np.int64(0), np.int64(len(policy)), t, powers, x, sums)
            if not alternating:
                differentiate_with_magnitude(endings, np.int64(0), len(q), x, q, a)
            for player in range(players):
                if alternating:
                    differentiate_choices(form, endings, player, x, q, a)
                update(form, player, settings, t, share, x, q, a, latest, regrets, total_play, policy, own)
                if alternating:
                    realise_player(form, player, policy, x)
            if not alternating:
                realise(form, policy, x)
        count_iterations(steps, counts)

    return compiled_by_user(steps)
