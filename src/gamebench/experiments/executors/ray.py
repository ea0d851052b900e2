"""The executor for a Ray cluster that is already running.

Each run is a task. All nodes need access to the folder of results. If a worker or node dies, another one
continues the run from its checkpoint. Events go through a small actor on the node where the sweep was started.
"""

from __future__ import annotations

import importlib
import logging
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from typing import Any

from gamebench.core.errors import ExecutorError, one_line
from gamebench.experiments.executors.jobs import DELAY, PATIENCE, Job, Jobs, do_job
from gamebench.experiments.perform import Event, Options, Report, Stop
from gamebench.experiments.plan import Plan, Planner
from gamebench.experiments.store import Store
from gamebench.system.processes import limit_cores

MAX_TASKS = 1000
"""Maximum number of tasks handed to Ray at a time, enough for a large cluster."""


class Mailbox:
    """A Ray actor that keeps events until they are fetched."""

    def __init__(self) -> None:
        self._events: list[Event] = []

    def put(self, event: Event) -> None:
        """Add an event."""
        self._events.append(event)

    def fetch(self) -> list[Event]:
        """Return and forget all events."""
        events, self._events = self._events, []
        return events


_planner = cache(Planner)
"""Returns this process's planner, which keeps loaded games."""


def do_on_ray(job: dict[str, Any], folder: str, options: Options, mailbox: Any) -> Event:
    """Execute a run as a Ray task: return its last event, and send all others to the mailbox."""
    ends: list[Event] = []

    def tell(event: Event) -> None:
        if event.ends:
            ends.append(event)
        else:
            mailbox.put.remote(event)

    limit_cores(1)  # a task gets one core
    do_job(job, _planner(), Store(folder), options, tell, Stop())
    return ends[0]


@contextmanager
def connected(ray: Any, address: str | None = None) -> Iterator[None]:
    """Connect to a cluster within the block, or use the connection that this process already has.

    Without an address, Ray looks at ``RAY_ADDRESS``, then on this machine.
    """
    if ray.is_initialized():  # for example by a notebook, which keeps its connection
        if address is not None:
            raise ExecutorError("Ray is already connected to a cluster; leave out the address, or disconnect first.")
        yield
        return
    try:
        _connect(ray, address)
        yield
    finally:
        ray.shutdown()


def _connect(ray: Any, address: str | None) -> None:
    host, _, port = (address or "").rpartition(":")
    has_port = bool(host) and port.isdecimal()
    if address not in (None, "auto") and "/" not in address and not has_port:
        raise ExecutorError(
            f"The address of a Ray cluster has the form HOST:PORT, such as 10.0.0.1:6379, not {address!r}."
        )
    try:
        if has_port and "/" not in host:  # Ray would try for minutes to reach an address where nobody listens
            socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
        ray.init(address=address or "auto", log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray raises all kinds of exceptions here
        if address is None and isinstance(error, ConnectionError):
            how = "start one with 'ray start --head', or give the address of another"
            raise ExecutorError(f"There is no Ray cluster on this machine: {how}.") from error
        raise ExecutorError(
            f"The Ray cluster cannot be reached at {address or 'auto'!r}: {one_line(error)}."
        ) from error


class RayExecutor:
    """Executes runs as Ray tasks."""

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        """``workers`` limits the number of simultaneous runs; without ``address``, Ray looks on this machine."""
        try:
            self._ray: Any = importlib.import_module("ray")
        except ImportError as error:
            raise ExecutorError("""The executor 'ray' needs Ray: pip install "gamebench[ray]".""") from error
        self._workers, self._address = workers, address

    def execute(self, plans: Iterable[Plan], store: Store, options: Options, report: Report) -> None:
        """Execute all runs."""
        tasks: dict[Any, Job] = {}
        # Ray prints messages about dead workers to stdout, which is reserved for results.
        with redirect_stdout(sys.stderr), connected(self._ray, self._address):
            try:
                self._do(Jobs(plans), tasks, store, options, report)
            except BaseException:
                for task in tasks:  # running tasks write their checkpoints, the others never start
                    self._ray.cancel(task)
                if tasks:
                    self._ray.wait(list(tasks), num_returns=len(tasks), timeout=PATIENCE)
                raise

    def _do(self, jobs: Jobs, tasks: dict[Any, Job], store: Store, options: Options, report: Report) -> None:
        """Hand out tasks and handle their events until all runs have ended; ``tasks`` holds the unfinished ones."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        ray, errors = self._ray, self._ray.exceptions
        this_node = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        mailbox = ray.remote(Mailbox).options(num_cpus=0, scheduling_strategy=this_node).remote()
        # `Jobs`, not Ray, retries lost runs and counts how often their worker died.
        do = ray.remote(do_on_ray).options(num_cpus=1, max_retries=0)
        while jobs.unfinished:
            while len(tasks) < (self._workers or MAX_TASKS) and (job := jobs.take()) is not None:
                tasks[do.remote(job.message(), str(store.folder), options, mailbox)] = job
            done, _ = ray.wait(list(tasks), timeout=DELAY) if tasks else ([], [])
            try:
                events = ray.get(mailbox.fetch.remote())
            except errors.RayError as error:
                raise ExecutorError(f"The connection to Ray's workers is lost ({type(error).__name__}).") from error
            running = {job.plan.id: job for job in tasks.values()}
            for event in events:
                if event.run in running:  # it has not ended in the meantime
                    running[event.run].note(event)
                    report(event)
            for task in done:
                job = tasks.pop(task)
                try:
                    event = ray.get(task)
                except errors.RayTaskError as error:
                    why = f"The Ray workers cannot execute GameBench runs: {one_line(error.cause)}."
                    raise ExecutorError(why) from error
                except errors.RayError as error:
                    jobs.died(job, f"Its Ray worker was lost ({type(error).__name__})", store, report)
                else:
                    report(event)
                    jobs.ended(job, event)
