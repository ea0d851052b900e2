"""Meta-controllers, which choose the weights of configurable mirror descent, one file each; and fixed schedules."""

from gamebench.controllers.controller import (
    CONTROLLERS,
    SHARED,
    Controller,
    Loss,
    Losses,
    check_used,
    controller_class,
    register_controller,
)
from gamebench.controllers.dglds import DGLDS
from gamebench.controllers.drs import DRS
from gamebench.controllers.gld import GLD
from gamebench.controllers.glds import GLDS
from gamebench.controllers.rs import RS
from gamebench.controllers.schedules import SCHEDULES, scheduled_weights

for _controller in (DRS, RS, GLD, GLDS, DGLDS):
    register_controller(_controller)

__all__ = [
    "CONTROLLERS",
    "DGLDS",
    "DRS",
    "GLD",
    "GLDS",
    "RS",
    "SCHEDULES",
    "SHARED",
    "Controller",
    "Loss",
    "Losses",
    "check_used",
    "controller_class",
    "register_controller",
    "scheduled_weights",
]
