"""Names of devices in parts: job, replica, task, kind and number."""

from __future__ import annotations

from typing import Any


class DeviceSpec:
    """The parts of a device's name; those that are None are left open.

    >>> DeviceSpec(job="ps", task=1, device_type="CPU", device_index=0).to_string()
    '/job:ps/task:1/device:CPU:0'
    >>> DeviceSpec.from_string("/job:worker/gpu:0").device_type
    'GPU'
    """

    __slots__ = ("_job", "_replica", "_task", "_device_type", "_device_index")

    def __init__(
        self, job: str | None = None, replica: int | None = None, task: int | None = None, device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self._job = None if job is None else str(job)
        self._replica = None if replica is None else int(replica)
        self._task = None if task is None else int(task)
        self._device_type = None if device_type is None else _kind(str(device_type))
        self._device_index = None if device_index is None else int(device_index)

    @property
    def job(self) -> str | None:
        """The name of the job."""
        return self._job

    @job.setter
    def job(self, job: str | None) -> None:
        self._job = None if job is None else str(job)

    @property
    def replica(self) -> int | None:
        """The number of the replica."""
        return self._replica

    @replica.setter
    def replica(self, replica: int | None) -> None:
        self._replica = None if replica is None else int(replica)

    @property
    def task(self) -> int | None:
        """The number of the task."""
        return self._task

    @task.setter
    def task(self, task: int | None) -> None:
        self._task = None if task is None else int(task)

    @property
    def device_type(self) -> str | None:
        """The kind of device, in capitals: `CPU`."""
        return self._device_type

    @device_type.setter
    def device_type(self, device_type: str | None) -> None:
        self._device_type = None if device_type is None else _kind(str(device_type))

    @property
    def device_index(self) -> int | None:
        """The number of the device."""
        return self._device_index

    @device_index.setter
    def device_index(self, device_index: int | None) -> None:
        self._device_index = None if device_index is None else int(device_index)

    @staticmethod
    def from_string(spec: str) -> DeviceSpec:
        """The parts of a name; ValueError if it is none."""
        return DeviceSpec().parse_from_string(spec)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Takes the parts of a name instead of what is there."""
        found: dict[str, Any] = {}
        for part in filter(None, spec.split("/")):
            key, *rest = part.split(":")
            if key in ("job", "replica", "task") and len(rest) == 1:
                _once(found, key, rest[0] if key == "job" else _number(rest[0], spec), spec)
            elif key == "device" and 1 <= len(rest) <= 2:
                _once(found, "device_type", rest[0], spec)
                found["device_index"] = _number(rest[1], spec) if len(rest) == 2 else None
            elif key.upper() in ("CPU", "GPU", "TPU") and len(rest) == 1:
                _once(found, "device_type", key, spec)
                found["device_index"] = _number(rest[0], spec)
            else:
                raise ValueError(f"Unknown attribute: '{key}' in the device name '{spec}'")
        if found.get("device_type") == "*":
            found["device_type"] = None
        DeviceSpec.__init__(self, **found)
        return self

    def to_string(self) -> str:
        """The name."""
        parts = []
        for key, value in (("job", self._job), ("replica", self._replica), ("task", self._task)):
            if value is not None:
                parts.append(f"/{key}:{value}")
        if self._device_type is not None:
            parts.append(f"/device:{self._device_type}:{'*' if self._device_index is None else self._device_index}")
        return "".join(parts)

    def merge_from(self, dev: DeviceSpec) -> None:
        """Takes the parts that another has."""
        for part in DeviceSpec.__slots__:
            value = getattr(dev, part)
            if value is not None:
                setattr(self, part, value)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """The parts of both; those of the other go first."""
        merged = self.replace()
        merged.merge_from(dev)
        return merged

    def replace(self, **parts: Any) -> DeviceSpec:
        """The same but for some parts."""
        kept = {part[1:]: getattr(self, part) for part in DeviceSpec.__slots__}
        return DeviceSpec(**{**kept, **parts})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"DeviceSpec({self.to_string()!r})"


def _kind(name: str) -> str:
    return name.upper() if name.lower() in ("cpu", "gpu", "tpu") else name


def _number(text: str, spec: str) -> int | None:
    if text == "*":
        return None
    if not text.isdigit():
        raise ValueError(f"'{text}' is no number, in the device name '{spec}'")
    return int(text)


def _once(found: dict[str, Any], key: str, value: Any, spec: str) -> None:
    if key in found:
        raise ValueError(f"Cannot specify multiple {key.replace('_', ' ')}s in '{spec}'")
    found[key] = value
