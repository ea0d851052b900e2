"""``gamebench``, quicker where that changes nothing that is asked of the tiny paper.

Figures have only their first panels, few dots, no layout, and fonts that are quick to embed: what is in every
panel is tested with the figures in memory, and files as users get them are tested with reports. Costs are timed in more
but much shorter turns. Runs are done in one process: that workers do the same is tested with sweeps, and that this
command starts them with experiments that are done again. Nothing waits for the disk: the folder need not survive a
power cut.
"""

import os
import sys
from dataclasses import replace

from matplotlib import rc_context

from gamebench.cli.entry import main
from gamebench.experiments.executors import LocalExecutor, SerialExecutor
from gamebench.paper import reproduction, tables
from gamebench.report import figures


def draw_a_part(chart):
    with rc_context(figures.SETTINGS):
        figure = figures.compose(replace(chart, panels=chart.panels[:1]))
    figure.set_layout_engine("none")
    return figure


if __name__ == "__main__":
    figures.DOTS = 40
    figures.SETTINGS.update({"pdf.fonttype": 3, "ps.fonttype": 3})
    reproduction.draw = draw_a_part
    tables.TRIAL, tables.TURNS = 0.0005, 10
    LocalExecutor.execute = SerialExecutor.execute
    os.fsync = lambda file: None
    sys.argv[0] = "gamebench"
    main()
