"""The manifests of deploy/kubernetes: they have the published schemas, and their containers do what a kubelet asks.

    python kubernetes.py PATH-OF-THE-BINARY

Plays the kubelet on this machine: fills in the environment, starts the containers' commands as processes on loopback, probes them,
and ends them with SIGTERM. Exits with 1 and what is wrong.
"""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import kubernetes_validate
import yaml

BINARY = os.path.abspath(sys.argv[1])
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "kubernetes"
TOKEN = "a token that only this test knows"
# Nothing here takes so long, even on a busy machine.
LIMIT = 120
failures = []


def check(what, got, expected):
    if got != expected:
        failures.append(f"{what}:\n  got      {str(got)[:500]}\n  expected {str(expected)[:500]}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def environment(container, config, labels):
    """The variables of a container: those of its config map first, then its own, each of which may use those before it."""
    made = {}
    for source in container.get("envFrom", []):
        check("config map", source["configMapRef"]["name"], config["metadata"]["name"])
        made.update(config["data"])
    own = {}
    for variable in container["env"]:
        source = variable.get("valueFrom", {})
        if "fieldRef" in source:
            own[variable["name"]] = labels[re.fullmatch(r"metadata\.labels\['(.*)'\]", source["fieldRef"]["fieldPath"])[1]]
        elif "secretKeyRef" in source:
            own[variable["name"]] = TOKEN
        elif "configMapKeyRef" in source:
            own[variable["name"]] = config["data"][source["configMapKeyRef"]["key"]]
        else:
            own[variable["name"]] = expanded(variable["value"], own)
    return made | own


def expanded(text, variables):
    return re.sub(r"\$\((\w+)\)", lambda found: variables.get(found[1], found[0]), text)


def answer(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as page:
            return page.status, page.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""
    except OSError:
        return None, ""


def wait_for(what, is_so):
    deadline = time.monotonic() + LIMIT
    while not is_so():
        if time.monotonic() > deadline:
            raise SystemExit(f"{what} does not come")
        time.sleep(0.05)


class Pod:
    """A container's command as a process of this machine: names and ports of the cluster become addresses of loopback."""

    def __init__(self, template, config, labels, places, folder, program):
        spec = template["spec"]
        (container,) = spec["containers"]
        self.grace = spec["terminationGracePeriodSeconds"]
        self.probes = [container[kind]["httpGet"]["path"] for kind in ("readinessProbe", "livenessProbe") if kind in container]
        variables = environment(container, config, labels)
        here = lambda text: re.sub(r"([a-z][\w-]*\.[a-z]+:2222)", lambda found: places[found[1]], text)  # noqa: E731
        arguments = [here(expanded(argument, variables)) for argument in container["args"]]
        own = places[f"{labels['name']}.{labels['name'].rsplit('-', 1)[0]}:2222"]
        self.metrics = free_port()
        swaps = {"--bind=0.0.0.0:2222": f"--bind={own}", "--metrics_port=9090": f"--metrics_port={self.metrics}"}
        arguments = [swaps.get(argument, argument) for argument in arguments]
        for mount in container["volumeMounts"]:
            path = folder / mount["name"]
            path.mkdir(exist_ok=True)
            arguments = [argument.replace(f"={mount['mountPath']}", f"={path}") for argument in arguments]
        self.variables = {name: here(value) for name, value in variables.items()}
        self.process = subprocess.Popen(program(arguments), env={"PATH": os.environ["PATH"]} | self.variables)

    def stop(self, name):
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        check(f"exit code of {name} after SIGTERM", self.process.wait(LIMIT), 0)
        check(f"{name} ends within its {self.grace} s", time.monotonic() - begin < self.grace, True)


documents = {}
for path in sorted(FOLDER.glob("*.yaml")):
    for document in yaml.safe_load_all(path.read_text()):
        if document["kind"] == "Kustomization":
            listed = document["resources"]
            continue
        kubernetes_validate.validate(document, "1.37", strict=True)
        documents[document["kind"], document["metadata"]["name"]] = document
check("files of the kustomization", sorted(listed), sorted(p.name for p in FOLDER.glob("*.yaml") if p.name != "kustomization.yaml"))

config, ps, workers = documents["ConfigMap", "cluster"], documents["StatefulSet", "ps"], documents["Job", "worker"]
for job, count in (("ps", ps["spec"]["replicas"]), ("worker", workers["spec"]["completions"])):
    names = [f"{job}-{task}.{job}:2222" for task in range(count)]
    check(f"addresses of {job}", config["data"][f"{job.upper()}_HOSTS"].split(","), names)
    check(f"cluster of {job}", json.loads(config["data"]["CLUSTER"])[job], names)
    selector = documents["Service", job]["spec"]["selector"]
    labels = (ps if job == "ps" else workers)["spec"]["template"]["metadata"]["labels"]
    check(f"the service finds the pods of {job}", selector.items() <= labels.items(), True)

places = {name: f"127.0.0.1:{free_port()}" for tasks in json.loads(config["data"]["CLUSTER"]).values() for name in tasks}
pods = {}
with tempfile.TemporaryDirectory() as folder:
    try:
        for task in range(ps["spec"]["replicas"]):
            labels = {"apps.kubernetes.io/pod-index": str(task), "name": f"ps-{task}"}
            home = pathlib.Path(folder, f"ps-{task}")
            home.mkdir()
            pods[f"ps-{task}"] = Pod(ps["spec"]["template"], config, labels, places, home, lambda a: [BINARY, *a])
        for name, pod in pods.items():
            for path in pod.probes:
                wait_for(f"{path} of {name}", lambda pod=pod, path=path: answer(pod.metrics, path)[0] == 200)
            check(f"metrics of {name}", "# HELP" in answer(pod.metrics, "/metrics")[1], True)
        # A worker's program that reads TF_CONFIG and nothing else: a server of ours.
        labels = {"batch.kubernetes.io/job-completion-index": "1", "name": "worker-1"}
        home = pathlib.Path(folder, "worker-1")
        home.mkdir()
        pods["worker-1"] = Pod(workers["spec"]["template"], config, labels, places, home, lambda a: [BINARY, "serve"])
        task = json.loads(pods["worker-1"].variables["TF_CONFIG"])["task"]
        check("the worker's task", task, {"type": "worker", "index": "1"})
        target = places["worker-1.worker:2222"]

        def status():
            command = [BINARY, "status", "--target", target, "--json"]
            done = subprocess.run(command, capture_output=True, text=True, env={"TENSORFLEET_TOKEN": TOKEN}, timeout=LIMIT)
            return done.stdout

        wait_for("the status of all tasks", lambda: "ps" in status())
        refused = subprocess.run([BINARY, "status", "--target", target], capture_output=True, env={}, timeout=LIMIT)
        check("a stranger is refused", refused.returncode, 1)
    finally:
        for name, pod in pods.items():
            pod.stop(name)

if failures:
    print("\n".join(failures))
    sys.exit(1)
print(f"{len(documents)} manifests, {len(pods)} pods: all as a kubelet expects")
