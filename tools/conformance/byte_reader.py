"""Bytes as docs/WIRE-FORMAT.md defines them: numbers, varints, texts, and values in msgpack."""
import math
import struct


class Drop(Exception):
    """Raised for bytes to drop; `reason` is the document's name for the fault."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class ByteReader:
    """Reads from the front. Missing bytes are dropped under the reason that the caller names (WF1)."""

    def __init__(self, data, missing="bad-message"):
        self.data = data
        self.at = 0
        self.missing = missing
        self.items = 0

    @property
    def left(self):
        return len(self.data) - self.at

    def take(self, count):
        if count > self.left:
            raise Drop(self.missing)
        self.at += count
        return self.data[self.at - count : self.at]

    def rest(self):
        return self.take(self.left)

    def u8(self):
        return self.take(1)[0]

    def u16(self):
        return int.from_bytes(self.take(2), "little")

    def u32(self):
        return int.from_bytes(self.take(4), "little")

    def varint(self):
        value = 0
        for index in range(3):
            byte = self.u8()
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                if byte == 0 and index > 0:
                    raise Drop(self.missing)
                return value
        raise Drop(self.missing)

    def text(self):
        return utf8(self.take(self.varint()))


def utf8(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Drop("bad-message") from None


def value_of(data):
    """Returns one msgpack value, after which the bytes must end (WF18)."""
    reader = ByteReader(data)
    value = _value(reader, 0)
    if reader.left:
        raise Drop("bad-message")
    return value


def _value(reader, depth):
    first = reader.u8()
    if first < 0x80:
        return first
    if first >= 0xE0:
        return first - 256
    if first < 0x90:
        return _map(reader, first & 15, depth)
    if first < 0xA0:
        return _array(reader, first & 15, depth)
    if first < 0xC0:
        return utf8(reader.take(first & 31))
    read = FORMATS.get(first)
    if read is None:
        raise Drop("bad-message")
    return read(reader, depth)


def _array(reader, count, depth):
    _check_nesting(reader, count, count, depth)
    return [_value(reader, depth + 1) for _ in range(count)]


def _map(reader, count, depth):
    _check_nesting(reader, count, 2 * count, depth)
    entries = {}
    for _ in range(count):
        key = _value(reader, depth + 1)
        if not isinstance(key, str) or key == "__proto__":
            raise Drop("bad-message")
        entries[key] = _value(reader, depth + 1)
    return entries


def _check_nesting(reader, count, least_bytes, depth):
    """WF18: checks size, depth and the items of all arrays and maps before it allocates memory."""
    reader.items += least_bytes
    if least_bytes > reader.left or (count > 0 and depth >= 8) or reader.items > 131072:
        raise Drop("bad-message")


def _number(form):
    size = struct.calcsize(form)

    def read(reader, _depth):
        (value,) = struct.unpack(form, reader.take(size))
        if isinstance(value, float):
            if not math.isfinite(value):
                raise Drop("bad-message")
            return value
        return value if abs(value) <= 2**53 else float(value)

    return read


def _sized(size, then):
    return lambda reader, depth: then(reader, int.from_bytes(reader.take(size), "big"), depth)


def _str(reader, length, _depth):
    return utf8(reader.take(length))


def _bin(reader, length, _depth):
    return {"$hex": reader.take(length).hex()}


FORMATS = {
    0xC0: lambda reader, depth: None,
    0xC2: lambda reader, depth: False,
    0xC3: lambda reader, depth: True,
    0xCA: _number(">f"),
    0xCB: _number(">d"),
}
for _code, _form in zip(range(0xCC, 0xD4), (">B", ">H", ">I", ">Q", ">b", ">h", ">i", ">q")):
    FORMATS[_code] = _number(_form)
for _first, _then, _sizes in ((0xC4, _bin, (1, 2, 4)), (0xD9, _str, (1, 2, 4)), (0xDC, _array, (2, 4)), (0xDE, _map, (2, 4))):
    for _offset, _size in enumerate(_sizes):
        FORMATS[_first + _offset] = _sized(_size, _then)
