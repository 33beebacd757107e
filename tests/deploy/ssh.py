"""`tensorfleet run --hosts` over a real sshd on loopback.

    python ssh.py FOLDER-OF-THE-BINARIES

Debian's sshd listens on two addresses of loopback with keys of its own in a temporary folder, and ends with the test. Exits with 1
and what is wrong.
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from launchers import LIMIT, Process, check, finish, free_ports, needs, processes, wait_for

BINARIES = pathlib.Path(sys.argv[1]).resolve()
needs(("sshd", "ssh", "ssh-keygen"), ("openssh-server", "openssh-client"))
if os.geteuid() != 0:
    print("SKIPPED: sshd lets others in only as root")
    sys.exit(0)

with tempfile.TemporaryDirectory(prefix="tensorfleet-ssh-") as folder:
    folder = pathlib.Path(folder)
    (port,) = free_ports(1)
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
    # sshd wants this folder for whoever is not let in yet.
    os.makedirs("/run/sshd", exist_ok=True)
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nListenAddress 127.0.0.2\nHostKey {folder}/host\nPidFile none\nUsePAM no\nStrictModes no\n"
        f"AuthorizedKeysFile {folder}/user.pub\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n"
    )
    ssh = folder / "ssh"
    ssh.write_text(f'#!/bin/sh\nexec ssh -q -F none -p {port} -i {folder}/user -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "$@"\n')
    ssh.chmod(0o755)
    run = [BINARIES / "tensorfleet", "run", "--hosts=127.0.0.1,127.0.0.2", f"--ssh={ssh}", "--grace_secs=5"]
    with Process([subprocess.run(["which", "sshd"], capture_output=True, text=True).stdout.strip(), "-D", "-e", "-f", folder / "sshd_config"]) as server:
        wait_for("sshd", lambda: server.text.count("Server listening") == 2, lambda: server.text)
        command = "case \"$1\" in \\'*) exit 9;; esac; echo \"$SSH_CONNECTION\" | cut -d' ' -f3; echo \"$TF_CONFIG\"; pwd; echo to the side >&2; case \"$*\" in *job_name=ps*) exec sleep 1003;; esac"
        done = subprocess.run([*run, "--ps=1", "--workers=2", "--", "sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=LIMIT)
        check(f"exit code: {done.stdout}{done.stderr}", done.returncode, 0)
        lines = done.stdout.splitlines()
        check("machines of workers", [f"worker {n} | 127.0.0.{(1 + n) % 2 + 1}" in lines for n in (0, 1)], [True, True])
        check("folders", [f"worker {n} | {folder}" in lines for n in (0, 1)], [True, True])
        check("the ps is ended with the workers", processes("sleep\x001003"), [])

        # A task that fails there fails the job, and one that is killed is started again.
        done = subprocess.run([*run, "--ps=0", "--workers=2", "--", "sh", "-c", "case \"$*\" in *task_index=1*) exit 3;; esac; exec sleep 1003"], cwd=folder, capture_output=True, text=True, timeout=LIMIT)
        check(done.stderr, (done.returncode, "worker 1 ended with exit code 3; stopping the others" in done.stderr), (3, True))
        wait_for("the end of the other", lambda: not processes("sleep\x001003"))

        # Whoever is killed leaves nothing behind, there either.
        job = Process([*run, "--ps=0", "--workers=2", "--", "sh", "-c", "echo begun; exec sleep 1003"], cwd=folder)
        wait_for("both tasks", lambda: job.text.count("begun") == 2, lambda: job.text)
        os.kill(job.process.pid, signal.SIGKILL)
        wait_for("the end of what it had started", lambda: not processes("sleep\x001003"))
        job.stop()

        # A machine that cannot be reached.
        done = subprocess.run([*run[:2], "--hosts=127.0.0.3", *run[3:], "--ps=0", "--workers=1", "--", "true"], cwd=folder, capture_output=True, text=True, timeout=LIMIT)
        check(done.stderr, (done.returncode, "worker 0 ended with exit code 255" in done.stderr), (255, True))
finish("ssh: tasks on two machines, failures, and nothing left behind")
