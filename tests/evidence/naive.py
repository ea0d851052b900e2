"""What the tests of claims mean, by brute force: over all seeds, and all ends that the swing of a curve allows."""

import math


def agree(answers):
    """The answer that all have in common, if there is one."""
    found = set(answers)
    return found.pop() if len(found) == 1 else None


def every(answers):
    """Whether all are true, in Kleene's logic: ``None`` if what is not known could still turn the answer."""
    return False if False in answers else None if None in answers else True


def some(answers):
    """Whether one is true, in Kleene's logic."""
    return {True: False, False: True, None: None}[
        every([{True: False, False: True, None: None}[one] for one in answers])
    ]


def first(x, values, level):
    return next((time for time, value in zip(x, values, strict=True) if value <= level), math.inf)


def ends(x, run):
    """The lowest end that a run may have, the measured one and the highest, as ``definitions`` says it."""
    last = [value for time, value in zip(x, run, strict=True) if time >= x[-1] / 4]
    later = [(one, other) for place, one in enumerate(last) for other in last[place:]]
    swing = min(max(other - one for one, other in later), max(one - other for one, other in later))
    swing = swing if swing > 1e-7 else 0.0
    return max(run[-1] - swing, min(last)), run[-1], min(run[-1] + swing, max(last))


def orders(x, run, other):
    """1 if the run is ahead and -1 if the other is: with the ends as they are, and at either extreme."""

    def is_ahead(mine, its, end, its_end):
        end, its_end = max(end, 1e-7), max(its_end, 1e-7)
        if end < its_end / 2 or its_end < end / 2:
            return end < its_end / 2
        level = 2 * max(end, its_end)
        return level <= 0.1 * mine[0] and 1.9 * first(x, mine, level) <= first(x, its, level)

    for one, its in zip(ends(x, run), ends(x, other)[::-1], strict=True):
        forth, back = is_ahead(run, other, one, its), is_ahead(other, run, its, one)
        assert not (forth and back)
        yield forth - back


def ahead(x, runs, others):
    """Whether all runs are ahead of all others; no method is ahead of itself."""
    found = {order for run in runs for other in others for order in orders(x, run, other)}
    return False if runs == others or 1 not in found else True if found == {1} else None


def sooner(x, runs, others):
    """Whether all runs reach the end of the others before these do."""

    def by(level):
        mine, its = ([first(x, run, level + 1e-7) for run in some_runs] for some_runs in (runs, others))
        pairs = [(one, other) for one in mine for other in its]
        return True if all(a < b for a, b in pairs) else False if all(a > b for a, b in pairs) else None

    return agree(by(max(level)) for level in zip(*(ends(x, run) for run in others), strict=True))
