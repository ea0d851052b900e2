"""Many runs on disk: sweeps that can be killed at any moment and resumed, a store of plain files, tuning."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
