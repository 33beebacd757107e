"""The devices of a session."""

from __future__ import annotations

from typing import Any

from tensorfleet import _core
from tensorfleet._framework.device_spec import DeviceSpec


class DeviceAttributes:
    """A device: its name, kind and memory."""

    def __init__(self, name: str, device_type: str, memory_limit_bytes: int, incarnation: int) -> None:
        self._name, self._device_type = DeviceSpec.from_string(name).to_string(), device_type
        self._memory_limit_bytes, self._incarnation = memory_limit_bytes, incarnation

    @property
    def name(self) -> str:
        """The full name."""
        return self._name

    @property
    def device_type(self) -> str:
        """The kind: `CPU`."""
        return self._device_type

    @property
    def memory_limit_bytes(self) -> int:
        """How much memory it has, as far as that is known."""
        return self._memory_limit_bytes

    @property
    def incarnation(self) -> int:
        """A number that changes when its task is started anew."""
        return self._incarnation

    def __repr__(self) -> str:
        return f"_DeviceAttributes({self._name}, {self._device_type}, {self._memory_limit_bytes}, {self._incarnation})"


def list_devices(session: Any) -> list[DeviceAttributes]:
    """The devices of a session: those of this process, or of all tasks that its server knows."""
    target = session._target
    if target and target != "local":
        names = _core.list_devices(target)
    else:
        count = 1
        if session._config is not None and "CPU" in session._config.device_count:
            count = session._config.device_count["CPU"]
        names = [f"/job:localhost/replica:0/task:0/device:CPU:{number}" for number in range(count)]
    return [DeviceAttributes(name, DeviceSpec.from_string(name).device_type or "CPU", 268435456, 0) for name in names]
