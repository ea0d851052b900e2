"""What every layer needs: errors, settings, registries, plug-ins and array types."""

from gamebench.core import errors as errors
from gamebench.core import settings as settings
