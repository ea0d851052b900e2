"""Mirror descent: convex functions, the step, controllers, and the algorithms MD, GMD, MMD and CMD."""

from gamebench.algorithms.descent import controllers as controllers
from gamebench.algorithms.descent import convex as convex
