"""Analysis of policies: best responses, measures, exact solutions, estimates and head-to-head contests."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
