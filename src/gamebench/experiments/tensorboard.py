"""Curves as TensorBoard event files, written during a run."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

from gamebench.core.errors import DiskError, ExecutorError
from gamebench.experiments.store import StoredRun
from gamebench.runs.curve import Curve

FOLDER = "tensorboard"


def check_installed() -> None:
    """Raise unless tensorboardX is installed."""
    if find_spec("tensorboardX") is None:
        raise ExecutorError('TensorBoard files need tensorboardX: pip install "gamebench[tensorboard]".')


class LiveView:
    """The event file of one run, in ``DIR/tensorboard/<id>``; a resumed run rewrites it."""

    def __init__(self, store: Path, run_id: str) -> None:
        from tensorboardX import SummaryWriter

        folder = store / FOLDER / run_id
        shutil.rmtree(folder, ignore_errors=True)
        try:
            self._writer = SummaryWriter(str(folder), flush_secs=1)
        except OSError as error:
            raise DiskError(f"{str(folder)!r} cannot be written: {error.strerror}.") from error
        self._shown = 0

    def show(self, curve: Curve) -> None:
        """Write the points that were added since the last call."""
        about = curve.about
        if not self._shown:
            text = f"{about['algorithm']} on {about['game']}, seed {about['seed']}: {about['hyper-parameters']}"
            self._writer.add_text("run", text)
        columns = {name: curve[name] for name in curve if name != "iteration"}
        for index in range(self._shown, curve.num_points):
            iteration = int(curve["iteration"][index])
            for name, values in columns.items():
                self._writer.add_scalar(name, float(values[index]), iteration)
        self._shown = curve.num_points

    def close(self) -> None:
        """Flush everything to disk."""
        self._writer.close()


def show_finished(run: StoredRun, store: Path) -> None:
    """Write the event file of a finished run, unless there is one."""
    if not (store / FOLDER / run.id).exists():
        view = LiveView(store, run.id)
        view.show(run.curve())
        view.close()
