"""Clusters and their servers."""

from __future__ import annotations

from typing import Any

from tensorfleet import _core
from tensorfleet._framework.messages import ClusterDef, ServerDef
from tensorfleet._framework.session import watch_signals


class ClusterSpec:
    """The addresses of all tasks, by job: lists, or dicts of the numbers of tasks.

    >>> cluster = ClusterSpec({"ps": ["a:2222"], "worker": {1: "b:2222"}})
    >>> cluster.jobs, cluster.task_address("worker", 1), cluster.as_dict()["worker"]
    (['ps', 'worker'], 'b:2222', {1: 'b:2222'})
    """

    def __init__(self, cluster: Any) -> None:
        self._tasks: dict[str, dict[int, str]] = {}
        if isinstance(cluster, ClusterSpec):
            self._tasks = {job: dict(tasks) for job, tasks in cluster._tasks.items()}
        elif isinstance(cluster, dict):
            for job, tasks in cluster.items():
                self._tasks[_text(job)] = _tasks_of(job, tasks)
        elif hasattr(cluster, "job") and hasattr(cluster, "SerializeToString"):
            for one in cluster.job:
                self._tasks[one.name] = {int(number): address for number, address in one.tasks.items()}
        else:
            raise TypeError(
                f"`cluster` is {type(cluster).__name__}; give a dict of jobs with the addresses of their tasks, or a "
                "ClusterDef"
            )
        self._tasks = dict(sorted(self._tasks.items()))

    def as_dict(self) -> dict[str, Any]:
        """The addresses by job: a list if tasks are numbered from 0 without a gap, else a dict."""
        made: dict[str, Any] = {}
        for job, tasks in self._tasks.items():
            numbers = sorted(tasks)
            made[job] = [tasks[n] for n in numbers] if numbers == list(range(len(numbers))) else dict(tasks)
        return made

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._tasks)

    def _job(self, job_name: str) -> dict[int, str]:
        if job_name not in self._tasks:
            raise ValueError(
                f"the cluster has no job {job_name!r}; there are {', '.join(map(repr, self._tasks)) or 'none'}"
            )
        return self._tasks[job_name]

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of a job's tasks."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task."""
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"job {job_name!r} has no task {task_index!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job's tasks in their order, None where a number is missing."""
        tasks = self._job(job_name)
        return [tasks.get(number) for number in range(max(tasks, default=-1) + 1)]

    def as_cluster_def(self) -> Any:
        """The cluster as a message."""
        made = ClusterDef()
        for job, tasks in self._tasks.items():
            one = made.job.add()
            one.name = job
            for number in sorted(tasks):
                one.tasks[number] = tasks[number]
        return made

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._tasks == other._tasks

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"ClusterSpec({self.as_dict()!r})"


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"A job's name and a task's address are strings, not {value!r}")
    return value


def _tasks_of(job: Any, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, dict):
        for number in tasks:
            if isinstance(number, bool) or not isinstance(number, int):
                raise TypeError(f"The numbers of the tasks of job {job!r} are integers, not {number!r}")
        return {number: _text(address) for number, address in tasks.items()}
    if isinstance(tasks, (list, tuple)):
        return {number: _text(address) for number, address in enumerate(tasks)}
    raise TypeError(f"The tasks of job {job!r} are a list of addresses or a dict of them by number, not {tasks!r}")


# Servers serve until the process ends, also where a program keeps no hold of them.
_serving: list[tuple[_core.Server, ServerDef]] = []


def jobs_of(cluster: ClusterDef) -> dict[str, dict[int, str]]:
    """The addresses of a cluster's tasks by job and number."""
    return {job.name: {int(number): address for number, address in job.tasks.items()} for job in cluster.job}


def own_task() -> tuple[dict[str, dict[int, str]], str, int] | None:
    """The cluster, job and task of the server in this process, if there is one in a cluster of several tasks."""
    for _, server_def in _serving:
        jobs = jobs_of(server_def.cluster)
        if sum(map(len, jobs.values())) > 1:
            return jobs, server_def.job_name, server_def.task_index
    return None


class Server:
    """The server of a task, in this process. Sessions are opened with its `target`, and other tasks reach it by its address.

    >>> server = Server.create_local_server()
    >>> server.target.startswith("grpc://localhost:")
    True
    """

    def __init__(
        self, server_or_cluster_def: Any, job_name: str | None = None, task_index: int | None = None,
        protocol: str | None = None, config: Any = None, start: bool = True,
    ) -> None:
        self._server_def = _server_def(server_or_cluster_def, job_name, task_index, protocol, config)
        self._core: _core.Server | None = None
        if start:
            self.start()

    @classmethod
    def create_local_server(cls, config: Any = None, start: bool = True) -> Server:
        """A server of a cluster of one task, at a free port of this machine."""
        return cls({"local": ["localhost:0"]}, "local", 0, "grpc", config, start)

    def start(self) -> None:
        """Starts to serve. To start twice does no harm."""
        if self._core is not None:
            return
        watch_signals()
        wanted = self._server_def
        config = wanted.default_session_config
        cpus = config.device_count["CPU"] if "CPU" in config.device_count else 1
        self._core = _core.Server(jobs_of(wanted.cluster), wanted.job_name, wanted.task_index, cpus)
        _serving.append((self._core, wanted))

    def join(self) -> None:
        """Serves until the process ends; Ctrl-C ends it."""
        self.start()
        assert self._core is not None
        self._core.join()

    @property
    def server_def(self) -> Any:
        """What the server is told, as a message."""
        return self._server_def

    @property
    def target(self) -> str:
        """The address for sessions: `grpc://host:port`."""
        if self._core is not None:
            return self._core.target
        tasks = ClusterSpec(self._server_def.cluster)
        return "grpc://" + tasks.task_address(self._server_def.job_name, self._server_def.task_index)


def _server_def(given: Any, job: str | None, task: int | None, protocol: str | None, config: Any) -> Any:
    made = ServerDef()
    if hasattr(given, "job_name") and hasattr(given, "SerializeToString"):
        made = ServerDef.FromString(given.SerializeToString())
    else:
        made.cluster.CopyFrom(ClusterSpec(given).as_cluster_def())
    if job is not None:
        made.job_name = job
    if task is not None:
        made.task_index = task
    cluster = ClusterSpec(made.cluster)
    if not made.job_name:
        if len(cluster.jobs) != 1:
            raise ValueError(f"give a `job_name`: the cluster has {len(cluster.jobs)} jobs, "
                             f"{', '.join(map(repr, cluster.jobs))}")
        made.job_name = cluster.jobs[0]
    if task is None and not hasattr(given, "job_name") and cluster.num_tasks(made.job_name) != 1:
        raise ValueError(f"give a `task_index`: job {made.job_name!r} has "
                         f"{cluster.num_tasks(made.job_name)} tasks")
    cluster.task_address(made.job_name, made.task_index)
    if protocol is not None:
        made.protocol = protocol
    made.protocol = made.protocol or "grpc"
    if made.protocol != "grpc":
        raise NotImplementedError(f"servers speak 'grpc'; the protocol {made.protocol!r} is not offered")
    if config is not None:
        made.default_session_config.CopyFrom(type(made.default_session_config).FromString(config.SerializeToString()))
    return made
