"""The commands of docs/slurm.md on a real Slurm of three nodes, all of them on loopback.

    python slurm.py FOLDER-OF-THE-BINARIES

Debian's slurmctld, slurmd and munged are configured in a temporary folder, started as root, and ended in the end; the machine's
own Slurm, if it has one, is not touched. Exits with 1 and what is wrong.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

from launchers import LIMIT, Process, check, finish, free_ports, needs, page, processes, run_block, wait_for

BINARIES = pathlib.Path(sys.argv[1]).resolve()
needs(("slurmctld", "slurmd", "srun", "sbatch", "munged"), ("slurmctld", "slurmd", "slurm-client", "munge"))
if os.geteuid() != 0:
    print("SKIPPED: slurmd starts jobs only as root")
    sys.exit(0)


def configuration(folder):
    host = socket.gethostname()
    ctld, *nodes = free_ports(4)
    # Addresses of nodes are their names, so that they are found without asking anybody.
    lines = [f"NodeName=127.0.0.{n} NodeHostname={host} NodeAddr=127.0.0.{n} Port={port} CPUs=4" for n, port in enumerate(nodes, 1)]
    return f"""
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
MpiDefault=none
FirstJobId={1 + os.getpid() % 300}
KillWait=10
SlurmdParameters=config_overrides
{chr(10).join(lines)}
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def tests(folder, environment):
    call = lambda *command: subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT)  # noqa: E731

    # The token, of which the page's shell tells where it is.
    (block,) = page("slurm.md", None)
    environment["HOME"] = str(folder)
    told = subprocess.run(["bash", "-ec", f'{block}printf %s "$TENSORFLEET_TOKEN_FILE"'], env=environment, capture_output=True, text=True, timeout=LIMIT)
    check(f"the token: {told.stderr}", (told.returncode, len((folder / ".tensorfleet-token").read_text().strip())), (0, 64))
    environment["TENSORFLEET_TOKEN_FILE"] = told.stdout

    # Nothing but the binary in a batch script.
    script, submit = page("slurm.md", "A batch job")
    # Shorter, since `sbatch --wait` looks ever more seldom whether a job is done.
    run_block(script.replace("--train_steps=500", "--train_steps=50"), folder, environment)
    run_block(submit, folder, environment)
    log = (folder / "train.log").read_text()
    check(f"both workers of the batch job are done: {log}", [f"worker {n} | Worker {n}: done" in log for n in (0, 1)], [True, True])
    check("a checkpoint of the batch job", (folder / "run1" / "checkpoint").exists(), True)

    # Servers, one a task of srun.
    (block,) = page("slurm.md", "Servers, and who uses them")
    block = block.replace("node1:2222", f"127.0.0.1:{PORT}").replace("2222", str(PORT))
    (servers,) = run_block(block, folder, environment)
    with servers:
        # The page's doctor has waited for all of them.
        check("servers", servers.text.count("Server started"), 4)
        without = {name: value for name, value in environment.items() if name != "TENSORFLEET_TOKEN_FILE"}
        stranger = subprocess.run(["tensorfleet", "status", "--target", f"127.0.0.1:{PORT}"], env=without, capture_output=True, text=True, timeout=LIMIT)
        check(f"a stranger: {stranger.stderr}", (stranger.returncode, "UNAUTHENTICATED" in stranger.stderr), (1, True))
        status = json.loads(call("tensorfleet", "status", "--target", f"127.0.0.1:{PORT}", "--json").stdout)
        check("tasks", sorted(task["task"] for task in status["tasks"]), ["/job:ps/task:0", *(f"/job:worker/task:{n}" for n in range(3))])
        check("addresses", sorted(task["address"] for task in status["tasks"]), sorted([f"127.0.0.1:{PORT}", f"127.0.0.1:{PORT + 1}", f"127.0.0.2:{PORT}", f"127.0.0.3:{PORT}"]))

    # By turns instead of node after node.
    told = call("srun", "--nodes=3", "--ntasks=4", "--distribution=cyclic", "tensorfleet", "run", "--ps=1", "--base_port=4000", "--", "echo").stdout
    check("cyclic", "--ps_hosts=127.0.0.1:4000 --worker_hosts=127.0.0.2:4000,127.0.0.3:4000,127.0.0.1:4001 --job_name=worker --task_index=2" in told, True)

    # What fails in an allocation fails the job, and nothing is left.
    (folder / "fails").write_text("#!/bin/sh\ncase \"$*\" in *task_index=1*) exit 3;; esac; sleep 1000\n")
    (folder / "fails").chmod(0o755)
    failed = call("sbatch", "--wait", "--ntasks=3", "--output=fails.log", "--wrap", f"tensorfleet run --ps 1 --grace_secs=5 -- {folder}/fails")
    log = (folder / "fails.log").read_text()
    check(f"exit code of a job that fails: {log}", (failed.returncode, "worker 1 ended with exit code 3; stopping the others" in log), (3, True))
    wait_for("the end of all tasks", lambda: not processes(f"{folder}/fails"))
    # So does what is cancelled.
    (folder / "long").write_text("#!/bin/sh\ntouch $SLURM_SUBMIT_DIR/begun; exec sleep 1001\n")
    (folder / "long").chmod(0o755)
    job = call("sbatch", "--parsable", "--ntasks=2", "--output=long.log", "--wrap", f"tensorfleet run --ps 0 --grace_secs=5 -- {folder}/long").stdout.strip()
    wait_for("the job", (folder / "begun").exists, lambda: (folder / "long.log").read_text())
    call("scancel", job)
    wait_for("the end of what was cancelled", lambda: not processes(f"{folder}/long") and not processes("sleep\x001001"))

    # What is refused.
    refused = lambda *command: (lambda done: (done.returncode, done.stderr))(call(*command))  # noqa: E731
    code, said = refused("tensorfleet", "serve", "--cluster_from", "slurm")
    check(said, (code, "not in an allocation of Slurm" in said), (1, True))
    code, said = refused("srun", "--ntasks=2", "tensorfleet", "serve", "--cluster_from", "slurm", "--ps=2")
    check(said, (code, "srun has started 2 tasks, which are not 2 ps and some workers" in said), (1, True))
    call("sbatch", "--wait", "--ntasks=2", "--output=many.log", "--wrap", "tensorfleet run --ps 2 -- true")
    check("more ps than tasks", "Slurm has given room for 2 tasks, not for 2 ps and 1 workers" in (folder / "many.log").read_text(), True)
    call("sbatch", "--wait", "--ntasks=2", "--output=no.log", "--wrap", "tensorfleet serve --cluster_from slurm")
    check("a server in the batch script", "not one of its tasks: start it with srun" in (folder / "no.log").read_text(), True)


PORT = free_ports(2, together=True)[0]
with tempfile.TemporaryDirectory(prefix="tensorfleet-slurm-", ignore_cleanup_errors=True) as folder:
    folder = pathlib.Path(folder)
    folder.chmod(0o755)
    (folder / "key").write_bytes(os.urandom(1024))
    (folder / "key").chmod(0o400)
    (folder / "slurm.conf").write_text(configuration(folder))
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "TENSORFLEET_", "TF_CONFIG"))}
    environment = keep | {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": f"{BINARIES}:{os.environ['PATH']}"}
    munge = ["munged", "--foreground", "--force", f"--socket={folder}/munge", f"--key-file={folder}/key", f"--pid-file={folder}/munge.pid",
             f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed"]
    commands = [munge, ["slurmctld", "-D"], *(["slurmd", "-D", "-N", f"127.0.0.{n}"] for n in (1, 2, 3))]
    running = []
    try:
        for command in commands:
            running.append(Process(command, env=environment))
            wait_for("munged", (folder / "munge").exists, lambda: running[0].text)
        idle = lambda: subprocess.run(["sinfo", "-h", "-o", "%T %D"], env=environment, capture_output=True, text=True).stdout  # noqa: E731
        wait_for("three nodes", lambda: "idle 3" in idle(), lambda: idle() + "".join(process.text[-1000:] for process in running))
        tests(folder, environment)
    finally:
        for process in reversed(running):
            process.stop()
finish("Slurm: a batch job, servers of srun, failures, refusals: all as the page says")
