"""``gamebench``, quicker where that changes nothing that is asked of the tiny paper.

Figures have few dots, costs are timed in more but much shorter turns, and runs are done in one process: that workers do
the same is tested with sweeps, and that this command starts them with experiments that are done again.
"""

import sys

from gamebench.cli.entry import main
from gamebench.experiments.executors import LocalExecutor, SerialExecutor
from gamebench.paper import costs
from gamebench.report import figures


def execute_here(self, plans, store, options, report):
    SerialExecutor().execute(plans, store, options, report)


if __name__ == "__main__":
    figures.DOTS = 40
    costs.TRIAL, costs.TURNS = 0.0005, 10
    LocalExecutor.execute = execute_here
    sys.argv[0] = "gamebench"
    main()
