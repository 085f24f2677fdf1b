"""Writes a participant's values in msgpack, whole states, packets and envelopes (WIRE-FORMAT.md, STATE-CODEC.md)."""
import math
import struct

from columns import VECTORS
from packets import CLASSES, KINDS

KIND_NUMBERS = {name: number for number, name in KINDS.items()}


def u16(value):
    return (value % 2**16).to_bytes(2, "little")


def u32(value):
    return (value % 2**32).to_bytes(4, "little")


def varint(value):
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def text(value):
    return varint(len(value.encode())) + value.encode()


def packed(value):
    """WF18: returns one of the valid encodings of a value."""
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return bytes([value]) if 0 <= value < 128 else struct.pack(">Bq", 0xD3, value)
    if isinstance(value, float):
        return struct.pack(">Bd", 0xCB, value)
    if isinstance(value, str):
        data = value.encode()
        return struct.pack(">BH", 0xDA, len(data)) + data
    if isinstance(value, (list, tuple)):
        return struct.pack(">BH", 0xDC, len(value)) + b"".join(packed(item) for item in value)
    pairs = b"".join(packed(key) + packed(item) for key, item in value.items())
    return struct.pack(">BH", 0xDE, len(value)) + pairs


class BitWriter:
    def __init__(self):
        self.digits = []

    def bits(self, value, count):
        if count:
            self.digits.append(format(value, f"0{count}b"))

    def small(self, value):
        count = (value + 1).bit_length() - 1
        self.digits.append("1" * count + "0" * (count < 16))
        self.bits(value + 1 - 2**count, count)

    def body(self):
        digits = "".join(self.digits)
        padded = digits.ljust(math.ceil(len(digits) / 8) * 8, "0")
        return int(padded, 2).to_bytes(len(padded) // 8, "big")


def whole_state(plan, number, values):
    """Returns a body with one entity, without baselines. `values` has the names of the plan's fields."""
    writer = BitWriter()
    writer.bits(0, 2)  # no plain packet, no short one
    writer.small(1)
    writer.bits(0, 3)  # no baselines, no removals, no checksum
    if number:
        writer.bits(0, 1)
        writer.small(number - 1)
    else:
        writer.bits(1, 1)
    writer.bits(1, 1)  # of the first kind
    writer.bits(0, 1)  # no owner, no teleports
    for group in plan.groups:
        for column, value in zip(group.columns, _numbers(group, values[group.name])):
            steps = math.floor(value / column.step + 0.5)
            steps = steps % column.turn if column.turn else min(max(steps, column.min), column.max)
            writer.bits(steps - column.min, column.bits)
    return writer.body()


def _numbers(group, value):
    return value if group.kind in VECTORS else [float(value)]


def stream_payload(number, definition, tick_hz):
    """WF14: returns the payload that announces a stream."""
    return bytes([7, number]) + text(definition.name) + bytes([tick_hz]) + u32(definition.schemaHash)


def packet(sequence, kind=None, body=b"", tick=None, acks=None, receipt=None):
    """WF2 to WF3: returns a packet with at most one message. `acks`: the newest sequence, and the bits before it."""
    flags = KIND_NUMBERS.get(kind, 0) if KIND_NUMBERS.get(kind, 0) < 8 else 0
    head = bytes([flags << 5 | (tick is not None) << 4 | (receipt is not None) << 2 | (acks is not None) << 1])
    head += u16(sequence)
    if tick is not None:
        head += u16(tick)
    if acks is not None:
        said = [(index, byte) for index, byte in enumerate(u32(acks[1])) if byte != 255]
        head += u16(acks[0]) + bytes([sum(1 << index for index, _ in said)]) + bytes(byte for _, byte in said)
    if receipt is not None:
        head += u16(receipt)
    if kind is not None and flags == 0:
        return head + bytes([KIND_NUMBERS[kind]]) + varint(len(body)) + body
    return head + body


def envelope(traffic_class, number, data):
    """WF21: returns an envelope to one receiver."""
    return bytes([CLASSES.index(traffic_class) << 1 | 1]) + varint(number) + data
