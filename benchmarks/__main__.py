"""``python -m benchmarks``."""

import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported: every engine has one thread

from benchmarks.commands import main

if __name__ == "__main__":
    sys.exit(main())
