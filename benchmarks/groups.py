"""The groups of benchmarks by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module

from benchmarks.result import Finding
from gamebench.core.errors import UnknownNameError

GROUPS = {
    "solving": "an iteration of CFR and CFR+ against OpenSpiel's Python and C++ and LiteEFG",
    "variants": "an iteration of the variants of CFR, of DOMWU and of DOGDA, as a multiple of CFR+",
    "magnetic": "an iteration of MMD against OpenSpiel's Python and LiteEFG",
    "measuring": "NashConv, best responses and expected values against all engines",
    "loading": "a game as arrays, against other engines and a bare walk; its memory",
    "sharing": "threads against one thread, on a quiet machine and beside a busy core",
    "scaling": "time of an iteration from 58 to 1.8 million histories",
    "descending": "GMD and CMD against our CFR, and against limits",
    "responding": "exact team responses against a mixed-integer program",
    "starting": "the import, the first use and a later start",
    "remembering": "growth of memory with iterations; memory of large games",
    "experimenting": "what a store costs, idle cores, a finished sweep",
}
"""What each group measures; a group is named after its module."""


def chosen(names: Sequence[str] | None) -> list[str]:
    """Return the named groups, or all, in the order of :data:`GROUPS`."""
    for name in names or ():
        if name not in GROUPS:
            raise UnknownNameError("group of benchmarks", name, GROUPS)
    return [name for name in GROUPS if not names or name in names]


def findings(name: str) -> Iterator[Finding]:
    """Yield the findings of a group."""
    yield from import_module(f"benchmarks.{name}").results()
