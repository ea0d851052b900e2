"""The command ``python -m tools.attack``."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from tools.attack.attack import Attack, Tally, say, table

ATTACKS = {"cache": ("Cache", 40), "kills": ("Kills", 100), "damage": ("Damage", 200), "inputs": ("Inputs", 2000)}
"""Classes and default numbers of attacks. The cache comes first, because it needs a process without kernels."""
IN_MEMORY = Path("/dev/shm")
"""A folder in memory, where writing is fast, if it exists."""


def main() -> int:
    """Attack; return 0 if everything held, 1 if something did not, 130 after an interruption."""
    options = _parse()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that nothing is left in memory then, either
    tallies, code = [], 0
    scratch = Path(tempfile.mkdtemp(prefix="gamebench-attack-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None))
    owner = os.getpid()
    try:
        for name in options.attacks or ATTACKS:
            folder = scratch / name
            folder.mkdir()
            tally = Tally(_attack(name, options.seed, folder))
            tallies.append(tally)
            say(f"{name}: preparing")
            tally.attack.prepare()
            tally.run(options.count or ATTACKS[name][1], options.skip, options.only, options.first)
    except KeyboardInterrupt:
        say("Interrupted; this is what was done so far.")
        code = 130
    finally:
        if os.getpid() == owner:
            shutil.rmtree(scratch, ignore_errors=True)
    for tally in tallies:
        if tally.failures:
            print(tally.report())
    rows = [row for tally in tallies for row in tally.rows()]
    print(table([["attack", "what was attacked", "attacks", "held"], *rows]))
    if options.record and code == 0 and options.only is None:
        from tools.attack.recording import record

        record(tallies, options.count)
    return code or int(any(tally.failures for tally in tallies))


def _attack(name: str, seed: int, folder: Path) -> Attack:
    made: Attack = getattr(import_module(f"tools.attack.{name}"), ATTACKS[name][0])(seed, folder)
    return made


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.attack", description="Attack what GameBench promises.")
    parser.add_argument(
        "attacks", nargs="*", choices=[[], *ATTACKS], metavar="ATTACK", help=f"{', '.join(ATTACKS)}; all unless given"
    )
    parser.add_argument("--count", type=int, metavar="N", help="number of attacks of each kind")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="decides all cases (default: 0)")
    parser.add_argument("--skip", type=int, default=0, metavar="K", help="leave out the first K cases")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="repeat one case")
    parser.add_argument("--first", action="store_true", help="stop at the first case that does not hold")
    parser.add_argument("--record", action="store_true", help="write the figures into docs/reliability.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
