"""Many light workers against several ps on this machine: the time of a step by the number of workers, and what a worker costs.

usage: scale.py PATH_OF_TENSORFLEET PATH_OF_TENSORFLEET_BENCH
"""

import os
import subprocess
import sys

from cluster import free_addresses, ours, processor

TICKS = os.sysconf("SC_CLK_TCK")


def seconds(cluster):
    """The processor time that all ps have used."""
    total = 0
    for process in cluster.processes.values():
        with open(f"/proc/{process.pid}/stat") as stat:
            user, system = stat.read().rpartition(")")[2].split()[11:13]
        total += (int(user) + int(system)) / TICKS
    return total


def megabytes(cluster):
    return sum(cluster.resident_megabytes(*task) for task in cluster.processes)


def measure(binary, bench, model, ps, workers):
    spec = free_addresses({"ps": ps, "worker": workers})
    with ours(binary, spec=spec, jobs={"ps": spec["ps"]}) as cluster:
        before = seconds(cluster), megabytes(cluster)
        command = [bench, "scale", ",".join(spec["ps"]), ",".join(spec["worker"]), model]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=120).stdout
        used, grown = seconds(cluster) - before[0], megabytes(cluster) - before[1]
    median, late, steps = map(float, output.split())
    # Four seconds of steps, of which three are counted, and the set-up before them.
    cost = used / (steps * 4) * 1e6
    print(f"{model:<8}{ps:>4}{workers:>9}{median:>11.2f}{late:>11.2f}{steps:>11.0f}{cost:>15.0f}{grown / workers / ps * 1000:>20.0f}", flush=True)


def main(binary, bench):
    print(processor())
    print(f"{'model':<8}{'ps':>4}{'workers':>9}{'median ms':>11}{'90 % ms':>11}{'steps/s':>11}{'us of ps/step':>15}{'KB a worker and ps':>20}")
    for model in ("empty", "sparse"):
        for ps in (1, 4, 16):
            for workers in (1, 2, 4, 8, 16, 32, 64):
                measure(binary, bench, model, ps, workers)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
    os._exit(0)
