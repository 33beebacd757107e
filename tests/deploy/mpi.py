"""The commands of docs/slurm.md for mpirun, with Debian's Open MPI.

    python mpi.py FOLDER-OF-THE-BINARIES

Exits with 1 and what is wrong.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from launchers import LIMIT, check, finish, free_ports, needs, page, run_block

BINARIES = pathlib.Path(sys.argv[1]).resolve()
needs(("mpirun",), ("openmpi-bin",))

with tempfile.TemporaryDirectory(prefix="tensorfleet-mpi-") as folder:
    folder = pathlib.Path(folder)
    environment = os.environ | {
        "PATH": f"{BINARIES}:{os.environ['PATH']}",
        # As the test's user, on as few cores as there are.
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "TMPDIR": str(folder),
    }
    (block,) = page("slurm.md", "Under mpirun")
    run_block(block.replace("4000", str(free_ports(3, together=True)[0])), folder, environment)
    check("a checkpoint", (folder / "run2" / "checkpoint").exists(), True)

    mpirun = lambda *command: subprocess.run(["mpirun", *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT)  # noqa: E731
    said = mpirun("-n", "3", "tensorfleet", "run", "--ps=1", "--base_port=4000", "--sync", "--", "echo").stdout.splitlines()
    hosts = "--ps_hosts=127.0.0.1:4000 --worker_hosts=127.0.0.1:4001,127.0.0.1:4002"
    tasks = [("ps", 0), ("worker", 0), ("worker", 1)]
    check("ranks", sorted(said), [f"{hosts} --job_name={job} --task_index={task} --sync_replicas=True" for job, task in tasks])
    done = mpirun("-n", "2", "tensorfleet", "serve", "--cluster_from", "mpi", "--ps=2")
    check(done.stderr, (done.returncode, "mpirun has started 2 tasks, which are not 2 ps and some workers" in done.stderr), (1, True))
    done = subprocess.run(["tensorfleet", "serve", "--cluster_from", "mpi"], env=environment, capture_output=True, text=True, timeout=LIMIT)
    check(done.stderr, (done.returncode, "not started by mpirun" in done.stderr), (1, True))
finish("mpirun: ranks are tasks, as the page says")
