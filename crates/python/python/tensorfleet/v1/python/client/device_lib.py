"""`tensorflow.python.client.device_lib`: the devices of this machine."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.messages import DeviceAttributes


def list_local_devices(session_config: Any = None) -> list[Any]:
    """The devices of this machine: its CPU, as messages.

    >>> [device.name for device in list_local_devices()]
    ['/device:CPU:0']
    """
    count = 1
    if session_config is not None and "CPU" in session_config.device_count:
        count = session_config.device_count["CPU"]
    return [DeviceAttributes(name=f"/device:CPU:{number}", device_type="CPU", memory_limit=268435456) for number in range(count)]
