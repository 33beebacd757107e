"""Writes event files by hand: scalars, histograms and graphs, as small or as large as a test wants them."""

import struct
import time


def _table():
    rows = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        rows.append(byte)
    return rows


TABLE = _table()


def masked(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(number):
    out = bytearray()
    number &= (1 << 64) - 1
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def field(number, payload):
    """A field with bytes, text or another message in it."""
    payload = payload.encode() if isinstance(payload, str) else payload
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def double(number, value):
    return varint(number << 3 | 1) + struct.pack("<d", value)


def record(payload):
    length = struct.pack("<Q", len(payload))
    return length + struct.pack("<I", masked(length)) + payload + struct.pack("<I", masked(payload))


def event(step=0, more=b"", wall=None):
    return record(double(1, wall or time.time()) + varint(2 << 3) + varint(step) + more)


def version():
    return event(more=field(3, "brain.Event:2"))


def scalar(step, tag, value):
    return event(step, field(5, field(1, field(1, tag) + varint(2 << 3 | 5) + struct.pack("<f", value))))


def histogram(step, tag, limits, counts):
    packed = lambda values: b"".join(struct.pack("<d", value) for value in values)
    inside = double(1, limits[0] - 1) + double(2, limits[-1]) + double(3, sum(counts)) + field(6, packed(limits)) + field(7, packed(counts))
    return event(step, field(5, field(1, field(1, tag) + field(5, inside))))


def node(name, op, inputs=(), device=""):
    return field(1, field(1, name) + field(2, op) + b"".join(field(3, one) for one in inputs) + (field(4, device) if device else b""))


def graph(nodes):
    return event(more=field(4, b"".join(nodes)))
