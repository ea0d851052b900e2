"""Runs on a Ray cluster, either an existing one or one on this machine that is started and stopped with the sweep.

Each run is a task. All nodes must see the folder of results. If a worker or node dies, its run continues elsewhere from
its checkpoint. Events go through a small actor on the node where the sweep was started.

A cluster that is started here is closed to other users, and patient on a busy machine. Ray's defaults suit machines
with one user: any process on the machine may run code on the cluster, and its folder with all sockets is open to
everyone. Here a random token is required, and the folder is private.
"""

from __future__ import annotations

import importlib
import logging
import os
import secrets
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from gamebench.errors import ExecutorError, one_line
from gamebench.experiments.executors.jobs import DELAY, PATIENCE, Job, Jobs, do_job
from gamebench.experiments.perform import Event, Options, Report, Stop
from gamebench.experiments.plan import Plan, Planner
from gamebench.experiments.store import Store
from gamebench.processes import limit_cores

MAX_TASKS = 1000
"""Largest number of tasks handed to Ray at a time, enough for a large cluster."""
ATTEMPTS = 3
"""Number of times that Ray is started before the sweep gives up."""
START = 300
"""Seconds that each part of Ray may take to start."""
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # without it, a cluster of one machine is open to its network
    "RAY_gcs_server_port_wait_time_s": f"{START}",
    "RAY_agent_register_timeout_ms": f"{1000 * START}",
    "RAY_worker_register_timeout_seconds": f"{START}",
}
"""Ray's settings for a cluster that is started here, unless the user has set them."""
LONGEST = 25
"""Longest path, in bytes, of a folder for temporary files that leaves room for the paths of Ray's sockets: the system
allows them 103 (macOS) or 107 (Linux)."""


class Mailbox:
    """A Ray actor that keeps messages until they are fetched."""

    def __init__(self) -> None:
        self._messages: list[str] = []

    def put(self, message: str) -> None:
        """Add a message."""
        self._messages.append(message)

    def fetch(self) -> list[str]:
        """Return and forget all messages."""
        messages, self._messages = self._messages, []
        return messages


_planner = cache(Planner)
"""Returns the planner of this process, which keeps loaded games."""


def do_on_ray(job: dict[str, Any], folder: str, options: dict[str, Any], mailbox: Any) -> str:
    """Do a run as a Ray task: return its last event, and send all others to the mailbox."""
    ends: list[Event] = []

    def tell(event: Event) -> None:
        if event.ends:
            ends.append(event)
        else:
            mailbox.put.remote(event.to_json())

    limit_cores(1)  # a task has one
    do_job(job, _planner(), Store(folder), Options(**options), tell, Stop())
    return ends[0].to_json()


class RayExecutor:
    """Does runs as tasks on a Ray cluster."""

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        """``workers`` limits the number of simultaneous runs; without ``address`` a local cluster is started."""
        try:
            self._ray: Any = importlib.import_module("ray") if address is not None else import_ray()
        except ImportError as error:
            raise ExecutorError("The executor 'ray' needs Ray: pip install \"gamebench[ray]\".") from error
        self._workers, self._address = workers, address

    def execute(self, plans: Iterable[Plan], store: Store, options: Options, report: Report) -> None:
        """Do all runs."""
        # Ray prints messages about dead workers to stdout, which is for results.
        with redirect_stdout(sys.stderr), self._connected():
            _Driver(self._ray, Jobs(plans), store, options, report, self._workers).go()

    @contextmanager
    def _connected(self) -> Iterator[None]:
        if self._ray.is_initialized():  # for example by a notebook, which keeps its connection
            if self._address is not None:
                raise ExecutorError(
                    "Ray is connected to a cluster already; leave out the address, or disconnect first."
                )
            yield
        elif self._address is None:
            with cluster(self._ray, self._workers):
                yield
        else:
            _connect(self._ray, self._address)
            try:
                yield
            finally:
                self._ray.shutdown()


def _connect(ray: Any, address: str) -> None:
    """Connect to a cluster. Fail within seconds if nobody listens at the address: Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    try:
        if port.isdecimal() and "/" not in host:
            socket.create_connection((host, int(port)), timeout=5).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray raises all kinds of exceptions here
        raise ExecutorError(f"The Ray cluster cannot be reached at {address!r}: {one_line(error)}.") from error


class _Driver:
    """The loop that hands out tasks and handles their events."""

    def __init__(
        self, ray: Any, jobs: Jobs, store: Store, options: Options, report: Report, workers: int | None
    ) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        this_node = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        self._ray, self._jobs, self._store, self._report = ray, jobs, store, report
        self._limit = workers or MAX_TASKS
        self._options = asdict(options)
        self._mailbox = ray.remote(Mailbox).options(num_cpus=0, scheduling_strategy=this_node).remote()
        # Lost runs are retried by Jobs, which counts the deaths, and not by Ray.
        self._task = ray.remote(do_on_ray).options(num_cpus=1, max_retries=0)
        self._tasks: dict[Any, Job] = {}

    def go(self) -> None:
        """Work until all runs have ended."""
        try:
            while self._jobs.unfinished:
                self._hand_out()
                done, _ = self._ray.wait(list(self._tasks), timeout=DELAY) if self._tasks else ([], [])
                self._read_mail()
                for task in done:
                    self._take_in(task)
        except BaseException:
            self._cancel()
            raise

    def _hand_out(self) -> None:
        while len(self._tasks) < self._limit and (job := self._jobs.take()) is not None:
            task = self._task.remote(job.message(), str(self._store.folder), self._options, self._mailbox)
            self._tasks[task] = job

    def _take_in(self, task: Any) -> None:
        job = self._tasks.pop(task)
        errors = self._ray.exceptions
        try:
            event = Event.from_json(self._ray.get(task))
        except errors.RayTaskError as error:
            raise ExecutorError(f"Ray's workers cannot do runs of GameBench: {one_line(error.cause)}.") from error
        except errors.RayError as error:
            self._jobs.died(job, f"Its Ray worker was lost ({type(error).__name__})", self._store, self._report)
        else:
            self._report(event)
            self._jobs.ended(job, event)

    def _read_mail(self) -> None:
        try:
            messages = self._ray.get(self._mailbox.fetch.remote())
        except self._ray.exceptions.RayError as error:
            raise ExecutorError(f"The connection to Ray's workers is lost ({type(error).__name__}).") from error
        running = {job.plan.id: job for job in self._tasks.values()}
        for event in map(Event.from_json, messages):
            if event.run in running:  # not ended in the meantime
                running[event.run].note(event)
                self._report(event)

    def _cancel(self) -> None:
        """Cancel all tasks: those that run write their checkpoints, the others never start."""
        for task in self._tasks:
            self._ray.cancel(task)
        if self._tasks:
            self._ray.wait(list(self._tasks), num_returns=len(self._tasks), timeout=PATIENCE)


def import_ray() -> Any:
    """Import Ray with our settings, which it reads while it is imported.

    The token is handed to Ray's processes in the environment, which other users cannot read. It stays there after the
    sweep: Ray keeps the first token that it sees for the rest of the process.
    """
    if (loaded := sys.modules.get("ray")) is not None and loaded.is_initialized():
        return loaded
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    is_chosen_here = "RAY_AUTH_MODE" not in os.environ
    if is_chosen_here:
        os.environ["RAY_AUTH_MODE"] = "token"
        if "RAY_AUTH_TOKEN_PATH" not in os.environ:
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    ray = importlib.import_module("ray")
    if is_chosen_here:
        ray._raylet.Config.initialize("")  # reads the environment again, in case Ray was imported before
    return ray


@contextmanager
def cluster(ray: Any, workers: int | None) -> Iterator[None]:
    """Start a cluster, connect to it, and stop it after the block; its folder is removed."""
    folder = _start(ray, workers)
    try:
        yield
    finally:
        _stop(ray, folder)


def _start(ray: Any, workers: int | None) -> Path:
    """Start Ray, several times if necessary: on a busy machine any of its time limits may be exceeded."""
    attempt = 1
    while True:
        folder = private_folder()
        try:
            with patience(folder):
                ray.init(
                    address="local",
                    num_cpus=workers,
                    include_dashboard=False,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                    _temp_dir=str(folder / "r"),  # Ray opens this one to everyone, but not the one around it
                )
            return folder
        except BaseException as error:
            _stop(ray, folder, grace=0)  # processes of a failed start never end by themselves
            if not isinstance(error, Exception):
                raise
            if attempt == ATTEMPTS:
                message = f"The Ray cluster cannot be started on this machine: {one_line(error)}."
                raise ExecutorError(message) from error
        attempt += 1


def _stop(ray: Any, folder: Path, grace: float = PATIENCE) -> None:
    """Shut Ray down and remove the folder. Processes still alive after ``grace`` seconds are killed."""
    psutil, processes = importlib.import_module("psutil"), []  # it comes with Ray
    for child, _ in _children(folder):
        with suppress(psutil.NoSuchProcess):
            processes += [child, *child.children(recursive=True)]
    ray.shutdown()
    _, alive = psutil.wait_procs(processes, timeout=grace)
    for process in alive:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(alive, timeout=PATIENCE)
    shutil.rmtree(folder, ignore_errors=True)


def private_folder() -> Path:
    """Return a new folder with a short path that only this user can enter."""
    parent = os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()
    if "RAY_TMPDIR" not in os.environ and len(os.fsencode(parent)) > LONGEST:
        parent = "/tmp"
    return Path(tempfile.mkdtemp(prefix="gb-", dir=parent))


def _children(folder: Path | str) -> list[tuple[Any, str]]:
    """Return the Ray processes of this process that use ``folder``, each with the name of its program."""
    psutil, children = importlib.import_module("psutil"), []
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # it has ended
            command = child.cmdline()
            if any(str(folder) in argument for argument in command):
                children.append((child, Path(command[0]).name))
    return children


@contextmanager
def patience(folder: Path | str) -> Iterator[None]:
    """Let a node take its time to register as long as its process lives.

    Ray gives up after thirty seconds, which no setting changes and which is too short on a busy machine.
    """
    services: Any = importlib.import_module("ray._private.services")
    look_up = services.get_node
    limit = time.monotonic() + START

    def look_up_patiently(*args: Any) -> Any:
        while True:
            try:
                return look_up(*args)
            except RuntimeError:
                if time.monotonic() > limit or "raylet" not in {program for _, program in _children(folder)}:
                    raise
                time.sleep(0.1)

    services.get_node = look_up_patiently
    try:
        yield
    finally:
        services.get_node = look_up
