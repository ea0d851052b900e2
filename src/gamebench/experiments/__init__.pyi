from .spec import RunSpec as RunSpec
from .spec import SweepSpec as SweepSpec
from .store import Store as Store
from .store import StoredRun as StoredRun
from .sweeps import Outcome as Outcome
from .tuning import Trial as Trial
from .tuning import Tuning as Tuning
