"""The command ``python -m tools.attack``."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from tools.attack.attack import Attack, Tally, say
from tools.attack.damage import Damage
from tools.attack.kills import Kills

ATTACKS: dict[str, tuple[type[Attack], int]] = {"kills": (Kills, 100), "damage": (Damage, 200)}
"""Classes and default numbers of attacks."""
IN_MEMORY = Path("/dev/shm")
"""A folder in memory, where writing is fast, if there is one."""


def main() -> int:
    """Attack; return 0 if everything held, 1 if something did not, 130 after an interruption."""
    options = _parse()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # leave nothing in memory then either
    tallies, code = [], 0
    scratch = Path(tempfile.mkdtemp(prefix="gamebench-attack-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None))
    owner = os.getpid()
    try:
        for name in options.attacks or ATTACKS:
            kind, usual = ATTACKS[name]
            folder = scratch / name
            folder.mkdir()
            tally = Tally(kind(options.seed, folder))
            tallies.append(tally)
            say(f"{name}: preparing")
            tally.attack.prepare()
            tally.run(options.count or usual, options.skip, options.only)
    except KeyboardInterrupt:
        say("Interrupted. Results so far:")
        code = 130
    finally:
        if os.getpid() == owner:
            shutil.rmtree(scratch, ignore_errors=True)
    print(f"{'attack':8}{'target':32}{'attacks':>8}{'held':>8}")
    for tally in tallies:
        for target, count in sorted(tally.attacked.items()):
            print(f"{tally.attack.name:8}{target:32}{count:8}{tally.held[target]:8}")
    return code or int(any(tally.attacked != tally.held for tally in tallies))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.attack", description="Attack what GameBench promises.")
    parser.add_argument(
        "attacks", nargs="*", choices=[[], *ATTACKS], metavar="ATTACK", help=f"{', '.join(ATTACKS)}; default: all"
    )
    parser.add_argument("--count", type=int, metavar="N", help="number of attacks of each kind")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="decides all cases (default: 0)")
    parser.add_argument("--skip", type=int, default=0, metavar="K", help="skip the first K cases")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="repeat one case")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
