"""``gamebench``, quicker where that changes nothing that is asked of the tiny paper.

Files of figures are empty: every panel is tested with the figures in memory, and files as users get them are tested
with reports. Costs are timed in more but much shorter turns. Runs are done in one process: that workers do the same is
tested with sweeps, and that this command starts them with experiments that are done again. Nothing waits for the disk:
the folder need not survive a power cut.
"""

import os
import sys

from matplotlib.figure import Figure

from gamebench.cli.entry import main
from gamebench.experiments.executors import LocalExecutor, SerialExecutor
from gamebench.paper import reproduction, tables

if __name__ == "__main__":
    reproduction.draw = lambda chart: Figure()
    tables.TRIAL, tables.TURNS = 0.0005, 10
    LocalExecutor.execute = SerialExecutor.execute
    os.fsync = lambda file: None
    sys.argv[0] = "gamebench"
    main()
