"""A Ray cluster of two nodes on this machine: prints its address, and kills the second node when told to.

``python -m tests.experiments.two_ray_nodes FOLDER``; a line on stdin kills the second node, the end of stdin
ends everything.
"""

import sys

from gamebench.experiments.executors.ray import import_ray, patience


def main():
    import_ray()
    from ray.cluster_utils import Cluster  # after the settings of Ray are made

    node = {"node_ip_address": "127.0.0.1", "num_cpus": 1, "include_dashboard": False, "object_store_memory": 10**8}
    with patience(sys.argv[1]):
        cluster = Cluster(initialize_head=True, head_node_args={**node, "temp_dir": sys.argv[1]})
        second = cluster.add_node(**node)
    print(cluster.address, flush=True)
    for _ in sys.stdin:
        cluster.remove_node(second, allow_graceful=False)
        print("killed", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()
