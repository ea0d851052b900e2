"""A Ray cluster of two nodes on this machine: prints its address, and kills the second node when told to.

``python -m tests.experiments.two_ray_nodes FOLDER``; a line on stdin kills the second node, the end of stdin
ends everything.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

import psutil  # it comes with Ray

from gamebench.cluster import import_ray, patience


def main():
    folder = Path(sys.argv[1])
    # Ray notes the address of a cluster in a folder that it takes for granted, and not in that of the cluster.
    os.environ["RAY_TMPDIR"] = str(folder.parent)
    (folder.parent / "ray").mkdir(exist_ok=True)
    import_ray()
    from ray.cluster_utils import Cluster  # after the settings of Ray are made

    node = {"node_ip_address": "127.0.0.1", "num_cpus": 1, "include_dashboard": False}
    node["object_store_memory"] = 10**8
    with patience(sys.argv[1]):
        cluster = Cluster(initialize_head=True, head_node_args={**node, "temp_dir": sys.argv[1]})
        second = cluster.add_node(**node)
    print(cluster.address, flush=True)
    for _ in sys.stdin:
        [raylet] = second.all_processes["raylet"]
        workers = psutil.Process(raylet.process.pid).children(recursive=True)
        cluster.remove_node(second, allow_graceful=False)
        for worker in workers:  # which would go on for a while, as they cannot when a machine fails
            with suppress(psutil.NoSuchProcess):
                worker.kill()
        print("killed", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()
