"""TensorFlow's own servers for all tasks of a cluster, or of some of its jobs, in one process that ends with its input.

usage: reference_servers.py CLUSTER_AS_JSON [JOB..]
"""

import json
import os
import sys

from server import tf


def main(cluster, jobs):
    servers = [
        tf.distribute.Server(cluster, job_name=job, task_index=task)
        for job in jobs or cluster
        for task in range(len(cluster[job]))
    ]
    print("serving", flush=True)
    sys.stdin.read()
    del servers
    # TensorFlow's servers cannot be stopped, so the interpreter would not end by itself.
    os._exit(0)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2:])
