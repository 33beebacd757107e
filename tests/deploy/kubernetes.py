"""The manifests of deploy/: they have the published schemas, and their containers do what a kubelet asks.

    python kubernetes.py PATH-OF-THE-BINARY PATH-OF-THE-EXAMPLE-TRAINER

Plays the kubelet on this machine: fills in the environment, starts the containers' commands as processes on loopback, probes them,
and ends them with SIGTERM. Exits with 1 and what is wrong.
"""

import copy
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import kubernetes_validate
import yaml

from launchers import LIMIT, ROOT, check, finish, free_ports, page, wait_for

BINARY, TRAINER = (os.path.abspath(path) for path in sys.argv[1:3])
FOLDER = ROOT / "deploy"
TOKEN = "a token that only this test knows"


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
            check("key of the secret", source["secretKeyRef"], {"name": "tensorfleet", "key": "token"})
            own[variable["name"]] = TOKEN
        elif "configMapKeyRef" in source:
            own[variable["name"]] = config["data"][source["configMapKeyRef"]["key"]]
        else:
            own[variable["name"]] = expanded(variable["value"], own)
    return made | own


def expanded(text, variables):
    return re.sub(r"\$\((\w+)\)", lambda found: variables.get(found[1], found[0]), text)


def merged(base, patch):
    """What Kustomize makes of a manifest and a patch: lists whose items have a name are merged by it, the patch's first."""
    if isinstance(base, dict) and isinstance(patch, dict):
        return base | {key: merged(base[key], value) if key in base else value for key, value in patch.items()}
    if isinstance(base, list) and all(isinstance(item, dict) and "name" in item for item in base + patch):
        key = "mountPath" if any("mountPath" in item for item in base) else "name"
        old, new = ({item[key]: item for item in items} for items in (base, patch))
        both = {name: merged(old[name], item) if name in old else item for name, item in new.items()} | {name: item for name, item in old.items() if name not in new}
        return [item for item in both.values() if item.get("$patch") != "delete"]
    return patch


def answer(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""
    except OSError:
        return None, ""


class Pod:
    """A container's command as a process of this machine: names and ports of the cluster become addresses of loopback."""

    def __init__(self, name, template, config, labels, places, volumes, program, more=()):
        spec = template["spec"]
        (container,) = spec["containers"]
        self.name, self.grace = name, spec["terminationGracePeriodSeconds"]
        self.probes = [container[kind]["httpGet"]["path"] for kind in ("readinessProbe", "livenessProbe") if kind in container]
        ports = {port["name"] for port in container["ports"]}
        check(f"ports of {name}'s probes", {container[kind]["httpGet"]["port"] for kind in ("readinessProbe", "livenessProbe") if kind in container} <= ports, True)
        variables = environment(container, config, labels) | dict(more)
        here = lambda text: re.sub(r"([a-z][\w-]*(?:\.[a-z]+)+:2222)", lambda found: places[found[1]], text)  # noqa: E731
        (self.metrics,) = free_ports(1)
        own = next(place for address, place in places.items() if address.split(".")[0] == name)
        swaps = {"--bind=0.0.0.0:2222": f"--bind={own}", "--metrics_port=9090": f"--metrics_port={self.metrics}"}
        arguments = [here(expanded(argument, variables)) for argument in container.get("args", [])]
        arguments = [swaps.get(argument, argument) for argument in arguments]
        for mount in container.get("volumeMounts", []):
            # Those of a claim of all are one folder, those of a pod its own.
            path = volumes.get(mount["name"]) or volumes["own"] / f"{name}-{mount['name']}"
            path.mkdir(exist_ok=True, parents=True)
            arguments = [argument.replace(f"={mount['mountPath']}", f"={path}") for argument in arguments]
            variables = {key: value.replace(f"{mount['mountPath']}/", f"{path}/") if key.startswith("TENSORFLEET_TLS") else value for key, value in variables.items()}
        self.variables = {key: here(value) for key, value in variables.items()}
        self.process = subprocess.Popen(program(arguments), env={"PATH": os.environ["PATH"]} | self.variables)

    def probe(self):
        for path in self.probes:
            wait_for(f"{path} of {self.name}", lambda path=path: answer(self.metrics, path)[0] == 200)

    def stop(self, expected=0):
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        check(f"exit code of {self.name} after SIGTERM", self.process.wait(LIMIT), expected)
        check(f"{self.name} ends within its {self.grace} s", time.monotonic() - begin < self.grace, True)


def ended(pods):
    for pod in pods.values():
        if pod.process.poll() is None:
            pod.stop()


def ask(command, target, secrets):
    return subprocess.run([BINARY, command, "--target", target, "--json"], capture_output=True, text=True, env=secrets, timeout=LIMIT)


def read(folder):
    documents = {}
    for path in sorted((FOLDER / folder).glob("*.yaml")):
        if path.name != "kustomization.yaml":
            documents.update({(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(path.read_text())})
    listed = yaml.safe_load((FOLDER / folder / "kustomization.yaml").read_text())
    files = [*listed["resources"], *(patch["path"] for patch in listed.get("patches", []))]
    check(f"files of {folder}", sorted(file for file in files if file.endswith(".yaml")), sorted(p.name for p in (FOLDER / folder).glob("*.yaml") if p.name != "kustomization.yaml"))
    return documents


def valid(documents):
    for document in documents.values():
        kubernetes_validate.validate(document, "1.37", strict=True)
    config, ps, workers = documents["ConfigMap", "cluster"], documents["StatefulSet", "ps"], documents["Job", "worker"]
    for job, count in (("ps", ps["spec"]["replicas"]), ("worker", workers["spec"]["completions"])):
        names = [f"{job}-{task}.{job}:2222" for task in range(count)]
        check(f"addresses of {job}", config["data"][f"{job.upper()}_HOSTS"].split(","), names)
        check(f"cluster of {job}", json.loads(config["data"]["CLUSTER"])[job], names)
        selector = documents["Service", job]["spec"]["selector"]
        labels = (ps if job == "ps" else workers)["spec"]["template"]["metadata"]["labels"]
        check(f"the service finds the pods of {job}", selector.items() <= labels.items(), True)
    # The schemas do not say it, but limits by index and rules about failures need it.
    check("restart policy of the job", workers["spec"]["template"]["spec"]["restartPolicy"], "Never")
    return config, ps, workers


def pod_of(job, task, manifest, config, places, volumes, program):
    label = "apps.kubernetes.io/pod-index" if job == "ps" else "batch.kubernetes.io/job-completion-index"
    return Pod(f"{job}-{task}", manifest["spec"]["template"], config, {label: str(task)}, places, volumes, program)


def with_token(config, ps, workers, folder):
    """Parameter servers with probes, a chief that trains and writes a checkpoint when it is told to stop, a worker by TF_CONFIG."""
    places = placed(config)
    volumes = {"checkpoints": folder / "checkpoints", "own": folder}
    pods = {}
    try:
        for task in range(ps["spec"]["replicas"]):
            pods[f"ps-{task}"] = pod_of("ps", task, ps, config, places, volumes, lambda a: [BINARY, *a])
        for pod in pods.values():
            pod.probe()
        chief = pods["worker-0"] = pod_of("worker", 0, workers, config, places, volumes, lambda a: [TRAINER, *a])
        # A program that reads TF_CONFIG and nothing else: a server of ours.
        pods["worker-1"] = pod_of("worker", 1, workers, config, places, volumes, lambda a: [BINARY, "serve"])
        task = json.loads(pods["worker-1"].variables["TF_CONFIG"])["task"]
        check("the worker's task", task, {"type": "worker", "index": "1"})
        target, secrets = places["worker-1.worker:2222"], {"TENSORFLEET_TOKEN": TOKEN}
        wait_for("the status of all tasks", lambda: "ps" in ask("status", target, secrets).stdout)
        check("a stranger is refused", ask("status", target, {}).returncode, 1)
        looked_in(folder, places["ps-0.ps:2222"])
        begun = lambda: re.search(r"^tensorfleet_parts_begun_total (\d+)", answer(pods["ps-0"].metrics, "/metrics")[1], re.M)  # noqa: E731
        wait_for("training", lambda: int((found := begun()) and found[1] or 0) > 100)
        state = volumes["checkpoints"] / "run1" / "checkpoint"
        check("no checkpoint yet but that of the beginning", "model.ckpt-0" in state.read_text() if state.exists() else True, True)
        # Not 0, which would say that its index is complete.
        chief.stop(143)
        newest = re.search(r'model_checkpoint_path: "(?:.*/)?model\.ckpt-(\d+)"', state.read_text() if state.exists() else "")
        check("a checkpoint of the step that the chief was at", newest is not None and int(newest[1]) > 0, True)
        # Another pod in its place goes on from there.
        first = int(newest[1]) if newest else 0
        again = pods["worker-0"] = pod_of("worker", 0, workers, config, places, volumes, lambda a: [TRAINER, *a, f"--train_steps={first + 50}"])
        check("the chief's end", again.process.wait(LIMIT), 0)
        # A pod that is told to leave says so to whoever asks whether it is ready.
        drained = subprocess.run([BINARY, "drain", "ps:1", "--target", places["ps-1.ps:2222"]], capture_output=True, text=True, env=secrets, timeout=LIMIT)
        check(f"drain: {drained.stderr}", drained.returncode, 0)
        check("a drained server ends well", pods["ps-1"].process.wait(LIMIT), 0)
    finally:
        ended(pods)
    return len(pods)


def looked_in(folder, ps):
    """The page's commands, with a kubectl that says what a cluster's would: the port is forwarded already."""
    (block,) = page("kubernetes.md", "Looking in")
    (folder / "bin").mkdir()
    known = {"port-forward pod/ps-0 2222": "true", "get secret tensorfleet -o jsonpath={.data.token}": f"printf %s '{TOKEN}' | base64 -w0"}
    cases = "".join(f"'{asked}') {does};;\n" for asked, does in known.items())
    (folder / "bin" / "kubectl").write_text(f'#!/bin/sh\ncase "$*" in\n{cases}*) echo "unknown: $*" >&2; exit 1;;\nesac\n')
    (folder / "bin" / "kubectl").chmod(0o755)
    environment = {"PATH": f"{folder}/bin:{os.path.dirname(BINARY)}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-ec", block.replace("localhost:2222", ps)], env=environment, capture_output=True, text=True, timeout=LIMIT)
    # Not all workers are started here, so it does not end with 0.
    check(f"looking in: {done.stdout}{done.stderr}", re.search(r"^/job:ps/task:0 .* up ", done.stdout, re.M) is not None, True)


def secrets_of_page(section, folder):
    """The secrets that the page's commands of a section make, as the real kubectl describes them without a cluster."""
    text = (ROOT / "docs" / "kubernetes.md").read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    made = {}
    for line in re.findall(r"^\$ (kubectl create secret .*)$", text, re.M):
        done = subprocess.run(["bash", "-ec", f"{line} --dry-run=client -o yaml"], cwd=folder, env={"PATH": os.environ["PATH"], "KUBECONFIG": os.devnull}, capture_output=True, text=True, timeout=LIMIT)
        check(f"{line}: {done.stderr}", done.returncode, 0)
        secret = yaml.safe_load(done.stdout) or {}
        made[secret["metadata"]["name"]] = secret["data"]
    return made


def placed(config):
    names = [name for tasks in json.loads(config["data"]["CLUSTER"]).values() for name in tasks]
    return {name: f"127.0.0.1:{port}" for name, port in zip(names, free_ports(len(names)))}


def with_certificates(config, ps, workers, folder):
    """The page's command makes certificates, which the pods use."""
    (block,) = page("kubernetes.md", "With certificates")
    environment = {"PATH": f"{os.path.dirname(BINARY)}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-ec", block], cwd=folder, env=environment, check=True, timeout=LIMIT)
    if shutil.which("kubectl"):
        named = {path.name for path in (folder / "certs").iterdir() if path.name.startswith(("ps-", "worker-"))} | {"ca.pem"}
        check("files of the secret", set(secrets_of_page("With certificates", folder)["tensorfleet-tls"]), named)
    places, volumes, pods = placed(config), {"checkpoints": folder / "checkpoints", "tls": folder / "certs", "own": folder}, {}
    try:
        pods["ps-0"] = pod_of("ps", 0, ps, config, places, volumes, lambda a: [BINARY, *a])
        pods["worker-0"] = pod_of("worker", 0, workers, config, places, volumes, lambda a: [BINARY, "serve"])
        pods["ps-0"].probe()
        tls = {f"TENSORFLEET_TLS_{name}": str(folder / "certs" / file) for name, file in (("CERT", "operator.pem"), ("KEY", "operator.key"), ("CA", "ca.pem"))}
        target = places["worker-0.worker:2222"]
        wait_for("the status of all tasks", lambda: "ps" in ask("status", target, tls).stdout)
        check("a stranger is refused", ask("status", target, {"TENSORFLEET_TOKEN": TOKEN}).returncode, 1)
    finally:
        ended(pods)
    return len(pods)


def as_tfjob(folder):
    """What Kubeflow's operator makes of the TFJob: pods that are told by TF_CONFIG."""
    job = yaml.safe_load((FOLDER / "kubeflow" / "tfjob.yaml").read_text())
    check("kind", (job["apiVersion"], job["kind"]), ("kubeflow.org/v1", "TFJob"))
    name, specs = job["metadata"]["name"], job["spec"]["tfReplicaSpecs"]
    cluster = {kind.lower(): [f"{name}-{kind.lower()}-{task}.default.svc:2222" for task in range(spec["replicas"])] for kind, spec in specs.items()}
    addresses = [address for tasks in cluster.values() for address in tasks]
    places = {address: f"127.0.0.1:{port}" for address, port in zip(addresses, free_ports(len(addresses)))}
    pods = {}
    for kind, spec in specs.items():
        template = copy.deepcopy(spec["template"])
        kubernetes_validate.validate({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, **template}, "1.37", strict=True)
        (container,) = template["spec"]["containers"]
        check(f"what the operator looks for in {kind}", (container["name"], container["ports"][0]), ("tensorflow", {"name": "tfjob-port", "containerPort": 2222}))
    try:
        for kind in ("PS", "Worker"):
            told = json.dumps({"cluster": cluster, "task": {"type": kind.lower(), "index": 0}, "environment": "cloud"})
            program = (lambda a: [BINARY, *a]) if kind == "PS" else (lambda a: [BINARY, "serve"])
            pods[kind] = Pod(f"{name}-{kind.lower()}-0", specs[kind]["template"], None, {}, places, {"own": folder}, program, {"TF_CONFIG": told}.items())
        pods["PS"].probe()
        target = places[cluster["worker"][0]]
        wait_for("the status of both", lambda: "/job:ps/task:0" in ask("status", target, {"TENSORFLEET_TOKEN": TOKEN}).stdout)
    finally:
        ended(pods)
    return len(pods)


base, patches = read("kubernetes"), read("kubernetes-tls")
secured = base | {name: merged(base[name], patch) for name, patch in patches.items()}
for folder, documents in (("kubernetes", base), ("kubernetes-tls", secured)):
    if shutil.which("kubectl"):
        made = subprocess.run(["kubectl", "kustomize", FOLDER / folder], capture_output=True, text=True, env={"PATH": os.environ["PATH"], "KUBECONFIG": os.devnull}, timeout=LIMIT)
        check(f"kubectl kustomize {folder}: {made.stderr}", {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(made.stdout)}, documents)
# What the page tells kubectl to use is there.
text = (ROOT / "docs" / "kubernetes.md").read_text()
for path in re.findall(r"kubectl \w+ -[kf] (\S+)", text):
    check(f"{path} of the page", (ROOT / path).exists(), True)
manifests = "".join(path.read_text() for path in FOLDER.rglob("*.yaml"))
for name in re.findall(r"secret generic (\S+)", text):
    check(f"the secret {name} of the page is used", re.search(rf"(name|secretName): {name}$", manifests, re.M) is not None, True)
if shutil.which("kubectl"):
    for section in ("With a token", "Kubeflow"):
        check(f"the secret of {section}", {name: list(data) for name, data in secrets_of_page(section, ROOT).items()}, {"tensorfleet": ["token"]})
count = 0
with tempfile.TemporaryDirectory(prefix="tensorfleet-kubernetes-") as folder:
    for number, (part, documents) in enumerate(((with_token, base), (with_certificates, secured))):
        home = pathlib.Path(folder, str(number))
        (home / "checkpoints").mkdir(parents=True)
        count += part(*valid(documents), home)
    count += as_tfjob(pathlib.Path(folder))
finish(f"{len(base)} manifests with a token and with certificates, and a TFJob; {count} pods: all as a kubelet expects")
