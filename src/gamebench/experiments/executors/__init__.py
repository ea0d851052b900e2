"""Executors: do runs in this process, in worker processes on this machine, or on a Ray cluster."""

from gamebench.experiments.executors.jobs import Executor, SerialExecutor
from gamebench.experiments.executors.local import LocalExecutor, num_cores

__all__ = ["Executor", "LocalExecutor", "SerialExecutor", "num_cores"]
