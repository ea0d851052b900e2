"""Indices into ``Endings.board``, the array through which threads share the passes over a game's terminals."""

HELP_PAYS_FROM = 100_000
"""Number of terminal entries above which helper threads may be used."""
SHARES = 64
"""Number of parts that a pass is divided into if several threads work on it."""
BEGIN, END, BESIDE = 0, 1, 2
"""The pass: over the sequences ``BEGIN:END``, and what is summed beside the gradient."""
NEXT, BUSY = 3, 4
"""The next share that nobody has taken; the number of helpers at work."""
HELPERS, BELL, EAR, HEARD, UNHEARD = 5, 6, 7, 8, 9
"""The number of helpers; the ends of the pipe that wakes them, and room for what comes out; rings not yet heard."""
ELSEWHERE, PLAN, GRADIENT, BESIDES = 10, 11, 12, 13
"""The bell that wakes the thread for passes elsewhere; the addresses of the arrays ``x``, ``g``, ``extra``.

Without such passes the bell is 0, and once they have ended it is ``GONE``. The answer comes by ``EAR``: a byte that is
0, or 1 if the pass failed.
"""
TURN_TAKEN, TURN_GIVEN = 14, 15
"""The ends of a pipe with one byte in it: the thread that has taken the byte may use the board for a pass elsewhere."""
SIGNALS = 16
"""How often a signal, such as that of Ctrl-C, has come while a thread waited for an answer."""
TIME, TIME_BELOW_SECONDS = 17, 18
"""Room for the clock."""
PACES, KIND = 19, 4
"""Where the three kinds of passes have ``KIND`` numbers each, as follows."""
ALONE, TOGETHER, TURN, IS_TRIED = range(KIND)
"""Picoseconds per entry, alone and together, 0 if unknown; passes since the last trial; the way that was tried then."""
MARKS = PACES + 3 * KIND
"""What is known about each share: 0, ``OURS`` or ``THEIRS``."""
SIZE = MARKS + SHARES
"""Number of places."""
GONE = -1
"""Stands for a pipe that is closed."""
OURS, THEIRS = -1, 1
"""Marks of the shares that are done: by the thread that wants the pass, or by a helper."""
LOST = "a pass over the terminals failed elsewhere"
"""What kernels raise if the answer is 1."""
