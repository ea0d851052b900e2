"""Executors: do runs in this process, in worker processes on this machine, or on a Ray cluster."""

from gamebench.experiments.executors.jobs import Executor
from gamebench.experiments.executors.local import LocalExecutor, num_cores
from gamebench.experiments.executors.serial import SerialExecutor

__all__ = ["Executor", "LocalExecutor", "SerialExecutor", "num_cores"]
