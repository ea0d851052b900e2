"""Walk a tree with all cores: large trees are cut into parts, which worker processes walk.

A walk begins in this process. Workers are started once they are expected to pay off, and the walk is cut when the first
of them is ready.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gamebench.core.errors import GameError, shortened
from gamebench.games.game import Source
from gamebench.games.loading.budget import Budget, SizeEstimate, budget_of
from gamebench.games.loading.openspiel import can_be_loaded_again, quiet
from gamebench.games.loading.walk import LOOK_EVERY, Progress, Walk
from gamebench.games.loading.walk_parts import Assembly, Findings, TreePart
from gamebench.system.machine import free_memory
from gamebench.system.processes import GONE, WorkerProcess, num_cores, with_news
from gamebench.system.progress import as_duration, as_size

PROBES_SHARE, LATER_SHARE, EARLY_STEPS = 4, 200, 25_000
"""Size estimates may visit one state per ``PROBES_SHARE`` histories of the walk, and after ``EARLY_STEPS`` states only
one per ``LATER_SHARE``."""
EARLIEST, LATEST = 0.5, 5.0
"""Seconds before a long walk is announced: usually the first, but up to the second if workers may still start."""
WORTHWHILE = ((0.5, 1.5), (0.1, 5.0))
"""When to start workers, which takes half a second: after the first number of seconds, if at least the second is
estimated to remain; either pair is enough. Small games never start any, large ones start them early."""
PARTS_PER_WORKER = 2
"""Number of waiting parts per worker to aim for when a walk, or the rest of a part, is divided."""
LARGEST_PART = 250_000
"""Number of histories after which a worker returns the rest of a part, which others can then share."""
WORKER_MEMORY, MEMORY_SHARE = 200 << 20, 4
"""Bytes per worker, including findings that it is sending; workers may take a quarter of the free memory."""
READY_WAIT: float | None = 0
"""Seconds to wait for workers each time the walk checks whether they are ready."""
TOLD_FROM = 10.0
"""Walks that are expected to take more seconds than this are announced."""
MODULE = "gamebench.games.loading.walk_worker"
"""Module that a worker runs."""


def walk_tree(
    original: Any,
    name: str,
    source: Source,
    max_histories: int | None,
    progress: Progress | None,
    workers: int | None,
    tell: Callable[[str], None] | None,
) -> Walk:
    """Walk the whole tree of a game; the result does not depend on the number of workers."""
    number = _usual_workers() if workers is None else workers
    if not can_be_loaded_again(original, source):
        number = 1
    budget = budget_of(name, original.num_players(), max_histories)
    watch = _Watch(original, budget, number, progress, tell)
    walk = Walk(name, original.num_players())
    may_start = number > 1

    def advance() -> None:
        walk.advance(min(LOOK_EVERY, budget.histories - walk.histories))

    walk.begin(original)
    advance()
    with _Team(name, source, number) as team:
        while not walk.is_over:
            watch.look(walk, walk.histories, at_least=walk.histories + 1)
            if team.is_ready() and walk.is_cuttable:
                team.finish(walk, watch)
                continue
            if may_start and watch.is_long(walk.histories):
                may_start = False
                team.start(number)
            advance()
    if walk.histories > budget.histories:
        raise budget.refusal(walk.histories)
    return walk


def _usual_workers() -> int:
    """Return the number of cores, or fewer if there is not enough memory for that many workers."""
    return max(1, min(num_cores(), free_memory() // MEMORY_SHARE // WORKER_MEMORY))


class _Watch:
    """Checks the size of a game while its tree is walked, and reports progress."""

    def __init__(
        self,
        original: Any,
        budget: Budget,
        workers: int,
        progress: Progress | None,
        tell: Callable[[str], None] | None,
    ) -> None:
        self._budget, self._workers, self._progress, self._tell = budget, workers, progress, tell
        self._size = SizeEstimate(original, budget.histories, budget.doubt)
        with quiet():
            self._size.begin()
        self.check(at_least=1)
        self._began, self._before, self._is_shared = time.monotonic(), 0, False

    def begin_sharing(self, histories: int) -> None:
        """Record that workers continue after this many histories: the time until then does not predict the rest."""
        self._began, self._before, self._is_shared = time.monotonic(), histories, True

    def is_long(self, histories: int) -> bool:
        """Return whether the rest of a walk, after this many histories, is long enough for workers to pay off."""
        seconds, left = time.monotonic() - self._began, self._size.mean - histories
        if left < 0:  # the estimate was wrong: assume that half of the histories remain
            left = histories
        expected = seconds * left / histories
        return any(seconds >= earliest and expected >= enough for earliest, enough in WORTHWHILE)

    def check(self, at_least: int) -> None:
        """Raise if the game, which has at least this many histories, is beyond its budget."""
        if at_least > self._budget.histories or self._size.is_beyond_budget:
            raise self._budget.refusal(self._size.rough())

    def look(self, walk: Walk, histories: int, at_least: int) -> None:
        """Improve the estimate, check the size, and report progress; ``walk`` has all or most of the findings."""
        self._size.probe_within(min(histories / PROBES_SHARE, EARLY_STEPS + histories / LATER_SHARE))
        self.check(at_least)
        self._budget.check_memory(histories, len(walk.chance), len(walk.parents), walk.text)
        self._announce(walk, histories)
        if self._progress is not None:
            self._progress(histories, max(self._size.mean, histories))

    def _announce(self, walk: Walk, histories: int) -> None:
        """Announce the time and memory of a long walk once, as soon as they can be estimated."""
        passed, walked = time.monotonic() - self._began, histories - self._before
        is_alone = self._workers > 1 and not self._is_shared
        if self._tell is None or passed < (LATEST if is_alone else EARLIEST) or walked == 0:
            return
        total = max(self._size.mean, histories)
        seconds = passed * total / walked
        memory = self._budget.bytes(total * len(walk.chance) / walk.histories, len(walk.parents), walk.text)
        if not self._budget.is_chosen and memory > self._budget.memory:  # it will probably be refused
            return
        if seconds > TOLD_FROM:
            self._tell(
                f"Walking the tree of {shortened(self._budget.name)} (about {total:.2g} histories) takes about "
                f"{as_duration(seconds)} and {as_size(memory)} of memory."
            )
            self._tell = None


class _Walker:
    """A worker process, and the part that it is walking."""

    def __init__(self) -> None:
        self.process = WorkerProcess(MODULE)
        self.is_ready = False
        """Whether it has loaded the game."""
        self.part: TreePart | None = None
        self.histories = 0
        """Number of histories that it has walked in its part."""

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when the worker has sent something."""
        return self.process.channel.fileno()

    def walk(self, part: TreePart) -> None:
        """Send a part to the worker, which returns its findings and the rest of the part after a while."""
        self.part = part
        self.process.send((part.subtrees, LARGEST_PART))


class _Team:
    """Worker processes that walk the tree of one game; they end with the ``with`` block."""

    def __init__(self, name: str, source: Source, number: int) -> None:
        self._name, self._source, self._number = name, source, number
        self._walkers: list[_Walker] = []

    def __enter__(self) -> _Team:
        return self

    def __exit__(self, *_: object) -> None:
        for walker in self._walkers:
            self._end(walker)

    def _end(self, walker: _Walker) -> None:
        walker.process.dismiss()
        walker.process.wait(0)

    def start(self, number: int) -> None:
        """Start some workers, or as many as the machine allows."""
        before = len(self._walkers)
        with suppress(OSError):
            for _ in range(number):
                self._walkers.append(_Walker())
        for walker in self._walkers[before:]:  # once all have been started: sending a long text blocks
            walker.process.send((self._name, self._source))

    def is_ready(self) -> bool:
        """Return whether a worker has loaded the game."""
        for walker in with_news(self._walkers, READY_WAIT) if self._walkers else ():
            self._listen(walker, None)
        return any(walker.is_ready for walker in self._walkers)

    def finish(self, walk: Walk, watch: _Watch) -> None:
        """Cut a walk and let the workers finish it."""
        assembly = Assembly(walk, PARTS_PER_WORKER * self._number)
        watch.begin_sharing(walk.histories)
        while not assembly.is_merged:
            for walker in self._walkers:
                if walker.is_ready and walker.part is None and (part := assembly.take()) is not None:
                    walker.walk(part)
            if assembly.can_merge:
                assembly.merge()
            for walker in with_news(self._walkers, 0 if assembly.can_merge or assembly.is_merged else None):
                self._listen(walker, assembly)
            histories = assembly.histories + sum(walker.histories for walker in self._walkers)
            watch.look(walk, histories, at_least=histories)

    def _listen(self, walker: _Walker, assembly: Assembly | None) -> None:
        """Handle a message from a worker; ``assembly`` is ``None`` until the walk is cut."""
        try:
            said = walker.process.channel.recv()
        except GONE:
            self._replace(walker, is_missed=assembly is not None)
            return
        if isinstance(said, int):
            walker.histories = said
        elif isinstance(said, Findings):
            assert assembly is not None
            assert walker.part is not None
            assembly.receive(walker.part, said, PARTS_PER_WORKER * self._number)
            walker.part, walker.histories = None, 0
        else:
            walker.is_ready = True

    def _replace(self, walker: _Walker, is_missed: bool) -> None:
        """Remove a dead worker and start another one for its part, once; until the walk is cut, nothing is lost."""
        self._walkers.remove(walker)
        how, part = walker.process.last_words(), walker.part
        self._end(walker)
        if part is not None:
            part.deaths += 1
            part.is_taken = False
            self.start(1)
        if is_missed and (not self._walkers or (part is not None and part.deaths > 1)):
            raise GameError(
                f"The tree of {self._name!r} cannot be walked: worker processes died, the last one {how}; if memory is "
                f"short, close other programs or choose smaller parameters."
            )
