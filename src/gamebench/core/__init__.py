"""What every room needs: errors, settings, registries, plug-ins and the types of arrays."""

from gamebench.core import errors as errors
from gamebench.core import settings as settings
