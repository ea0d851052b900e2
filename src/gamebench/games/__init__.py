"""What is played: games as arrays, where they come from, and games made from games."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
