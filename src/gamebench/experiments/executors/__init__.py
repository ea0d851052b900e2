"""Executors: they execute runs in this process, in worker processes on this machine, or on a Ray cluster."""

from gamebench.experiments.executors.jobs import Executor, SerialExecutor
from gamebench.experiments.executors.local import LocalExecutor

__all__ = ["Executor", "LocalExecutor", "SerialExecutor"]
