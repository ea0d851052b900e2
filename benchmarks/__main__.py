"""``python -m benchmarks``."""

import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported: one thread per engine

from benchmarks.commands import main

if __name__ == "__main__":
    sys.exit(main())
