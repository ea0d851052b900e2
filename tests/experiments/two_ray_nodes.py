"""A Ray cluster of two nodes on this machine: prints its address, and kills the second node when told to.

``python -m tests.experiments.two_ray_nodes FOLDER``; a line on stdin kills the second node, the end of stdin
ends everything.
"""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil  # it comes with Ray
from ray._private import services
from ray.cluster_utils import Cluster

from tests.patience import HANG


def has_raylet(folder):
    """Whether a raylet, one of Ray's processes, runs as a child of this process with its files in this folder."""
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # it has ended
            program, *arguments = child.cmdline() or [""]
            if Path(program).name == "raylet" and any(folder in argument for argument in arguments):
                return True
    return False


def main():
    folder = Path(sys.argv[1])
    # Ray writes the address of a cluster to a fixed folder, and not to the cluster's own.
    os.environ["RAY_TMPDIR"] = str(folder.parent)
    (folder.parent / "ray").mkdir(exist_ok=True)
    look_up, limit = services.get_node, time.monotonic() + HANG

    def look_up_patiently(*args):
        """Ray gives up after thirty seconds, which cannot be configured and is too short on a busy machine."""
        while True:
            try:
                return look_up(*args)
            except RuntimeError:
                if time.monotonic() > limit or not has_raylet(str(folder)):
                    raise
                time.sleep(0.1)

    services.get_node = look_up_patiently
    node = {"node_ip_address": "127.0.0.1", "num_cpus": 1, "include_dashboard": False}
    node["object_store_memory"] = 10**8
    cluster = Cluster(initialize_head=True, head_node_args={**node, "temp_dir": str(folder)})
    second = cluster.add_node(**node)
    print(cluster.address, flush=True)
    for _ in sys.stdin:
        [raylet] = second.all_processes["raylet"]
        workers = psutil.Process(raylet.process.pid).children(recursive=True)
        cluster.remove_node(second, allow_graceful=False)
        for worker in workers:  # they would go on for a while, unlike on a machine that fails
            with suppress(psutil.NoSuchProcess):
                worker.kill()
        print("killed", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()
