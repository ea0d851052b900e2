"""Every compiled loop: arrays in, arrays out, and nothing else.

Conventions: ``form`` is a :class:`~gamebench.games.sequence_form.SequenceForm`, ``endings`` the
:class:`~gamebench.games.sequence_form.Endings` of the same game; ``x`` is a realisation plan of length ``S + N`` (empty
sequences last), ``g`` a vector of the same length that holds the gradients of all players; a batch is a leading axis.
Arguments that a kernel writes to come last, and its docstring says "modified in place".

Rules:

- An ``@internal`` kernel cannot allocate, because references are not counted; callers pass working arrays. It is
  inlined into its callers. Long kernels with several callers have ``is_merged=False``, and are called once per player.
- Slice assignments between arrays, ``np.sort`` and ``np.concatenate`` take seconds to compile. Write the loop.
- Arrays of a sequence form are always read-only, and policies never are. Mixing the two compiles everything twice; so
  does mixing 32-bit and 64-bit indices, literals and variables, or rows of a matrix and separate arrays.
- Kernels that take functions as arguments are never found in the disk cache.
- All kernels together compile in 25 seconds (``make bench`` checks it). The cache does not notice changes in functions
  that a kernel calls, so its folder is named after a digest of all kernels.

``kernels.NAME`` finds a kernel in the module that defines it. Modules are imported when a kernel is first needed,
because importing Numba takes longer than most work that does not need it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from gamebench.kernels.threads import num_threads as num_threads
from gamebench.kernels.threads import set_threads as set_threads
from gamebench.kernels.threads import threads_for as threads_for
from gamebench.kernels.threads import with_threads as with_threads

if TYPE_CHECKING:
    from gamebench.kernels.compiling import *  # noqa: F403
    from gamebench.kernels.convex import *  # noqa: F403
    from gamebench.kernels.expansion import *  # noqa: F403
    from gamebench.kernels.gradients import *  # noqa: F403
    from gamebench.kernels.grouping import *  # noqa: F403
    from gamebench.kernels.magnetic_descent import *  # noqa: F403
    from gamebench.kernels.passes import *  # noqa: F403
    from gamebench.kernels.projection import *  # noqa: F403
    from gamebench.kernels.proximal import *  # noqa: F403
    from gamebench.kernels.regret import *  # noqa: F403
    from gamebench.kernels.teams import *  # noqa: F403
    from gamebench.kernels.user_minimisers import *  # noqa: F403

_MODULES = (
    *("compiling", "passes", "gradients", "convex", "projection", "magnetic_descent", "regret", "proximal"),
    *("user_minimisers", "teams", "expansion", "grouping"),
)


def __getattr__(name: str) -> object:
    """Import modules until one of them defines ``name``."""
    for module in () if name.startswith("_") else _MODULES:
        kernel = vars(import_module(f"gamebench.kernels.{module}")).get(name)
        if callable(kernel):
            globals()[name] = kernel
            return kernel
    raise AttributeError(f"module 'gamebench.kernels' has no attribute {name!r}")
