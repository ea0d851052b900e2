"""Ray: a cluster that exists, or one on this machine that is started and stopped with the work.

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
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gamebench.errors import ExecutorError, one_line
from gamebench.files import is_locked, try_lock
from gamebench.processes import num_cores

ATTEMPTS = 3
"""Number of times that Ray is started before we give up."""
START = 300
"""Seconds that each part of Ray may take to start."""
GRACE = 20.0
"""Seconds that Ray's processes have to end by themselves."""
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # without it, a cluster of one machine is open to its network
    "RAY_gcs_server_port_wait_time_s": f"{START}",
    "RAY_agent_register_timeout_ms": f"{1000 * START}",
    "RAY_worker_register_timeout_seconds": f"{START}",
}
"""Ray's settings for a cluster that is started here, unless the user has set them."""
IN_USE = "in-use"
"""A file in the folder of a cluster that is locked as long as the process lives that started it."""
LONGEST = 25
"""Longest path, in bytes, of a folder for temporary files that leaves room for the paths of Ray's sockets: the system
allows them 103 (macOS) or 107 (Linux)."""


def installed(address: str | None = None) -> Any:
    """Import Ray, with our settings unless a cluster exists at an address."""
    try:
        return importlib.import_module("ray") if address is not None else import_ray()
    except ImportError as error:
        raise ExecutorError("""The executor 'ray' needs Ray: pip install "gamebench[ray]".""") from error


@contextmanager
def connected(ray: Any, workers: int | None = None, address: str | None = None) -> Iterator[None]:
    """Be connected to a cluster within the block: the one that this process knows, or at an address, or a new one.

    ``workers`` is the number of cores of a new one (default: all).
    """
    if ray.is_initialized():  # for example by a notebook, which keeps its connection
        if address is not None:
            raise ExecutorError("Ray is connected to a cluster already; leave out the address, or disconnect first.")
        yield
    elif address is None:
        if workers is not None and workers > num_cores():
            here = f"This machine has {num_cores()} cores for {workers} processes of Ray, which will take turns."
            warnings.warn(here, RuntimeWarning, stacklevel=2)
        with cluster(ray, workers):
            yield
    else:
        _connect(ray, address)
        try:
            yield
        finally:
            ray.shutdown()


def _connect(ray: Any, address: str) -> None:
    """Connect to a cluster. Fail within seconds if nobody listens at the address: Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    if address != "auto" and "/" not in address and not (host and port.isdecimal()):
        raise ExecutorError(
            f"The address of a Ray cluster has the form HOST:PORT, such as 10.0.0.1:6379, not {address!r}."
        )
    try:
        if port.isdecimal() and "/" not in host:
            socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray raises all kinds of exceptions here
        raise ExecutorError(f"The Ray cluster cannot be reached at {address!r}: {one_line(error)}.") from error


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
        with try_lock(folder / IN_USE):
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


def _stop(ray: Any, folder: Path, grace: float = GRACE) -> None:
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
    psutil.wait_procs(alive, timeout=GRACE)
    shutil.rmtree(folder, ignore_errors=True)


def private_folder() -> Path:
    """Return a new folder with a short path that only this user can enter.

    Those of processes that were killed are removed.
    """
    parent = os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()
    if "RAY_TMPDIR" not in os.environ and len(os.fsencode(parent)) > LONGEST:
        parent = "/tmp"
    for other in Path(parent).glob("gb-*"):
        with suppress(OSError):  # it is another user's
            if (other / IN_USE).exists() and not is_locked(other / IN_USE):
                shutil.rmtree(other, ignore_errors=True)
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
