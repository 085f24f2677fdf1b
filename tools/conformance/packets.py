"""Packets, envelopes, payloads and control messages (docs/WIRE-FORMAT.md), each decoded into a dict."""
import re

from bit_reader import BitReader
from byte_reader import ByteReader, Drop, value_of

MAX_PACKET = 16384
CLASSES = ("state", "reference", "event", "command", "input", "bulk")
KINDS = {
    1: "state", 2: "reliable", 3: "event", 4: "input", 5: "bulk", 6: "ping", 7: "pong", 8: "close", 9: "report"
}


def envelope_of(data):
    """WF21: returns the class, the key, the receivers, and the packet to forward."""
    reader = ByteReader(data, "too-short")
    first = reader.u8()
    if not first & 1:
        raise Drop("flags")
    more = reader.u8() if first & 128 else None
    traffic_class, is_broadcast = first >> 1 & 7, first & 16
    said = more or 0
    envelope = {"key": reader.u16() if said & 8 else 0}
    if said & 16:
        # WF23: an update of one entity
        envelope["subject"] = {"entity": reader.u32(), "sequence": reader.u16()}
    if traffic_class >= len(CLASSES) or is_broadcast and (CLASSES[traffic_class] != "command" or said & 16):
        raise Drop("unknown-kind")
    # WF53: the cell in which the entities are, and the one that they have left
    cells = [_cell(reader) if said & flag else None for flag in (32, 64)]
    envelope["trafficClass"] = CLASSES[traffic_class]
    if said & 7:
        # WF43: the epoch of the pair's session
        envelope["epoch"] = said & 7
    count = reader.u8() if first & 32 else 1
    if more == 0 or said > 127 or said & 8 and envelope["key"] == 0 or first & 32 and not 2 <= count <= 64:
        raise Drop("length")
    if said & 96 and (None in (cells[0],) or -1 in cells or cells[0] == cells[1]):
        raise Drop("length")
    if said & 96 and (traffic_class != 0 or said & 7):
        raise Drop("unknown-kind")
    envelope.update({name: cell for name, cell in zip(("cell", "left"), cells) if cell is not None})
    if first & 64:
        # WF24: the server must not delay it
        envelope["isPrompt"] = True
    if is_broadcast:
        envelope["firstIds"] = []
        peers = _numbered(reader, count, envelope["firstIds"])
    else:
        peers = [_number(reader) for _ in range(count)]
    packet = reader.rest()
    if not packet:
        raise Drop("too-short")
    if len(packet) > MAX_PACKET:
        raise Drop("too-long")
    return {**envelope, "peers": peers, "packet": packet}


def _cell(reader):
    """WF53: returns the number of a cell, row by row; -1 if there is none."""
    column, row = reader.varint(), reader.varint()
    if column > 32767 or row > 32767:
        return -1
    return (_signed(row) + 16384) * 32768 + _signed(column) + 16384


def _signed(number):
    return -(number + 1) // 2 if number % 2 else number // 2


def view_of(data):
    """WF53: returns the cells that a participant sees, ascending."""
    reader, cells = ByteReader(data, "bad-message"), []
    while reader.left:
        first, length = _cell(reader), reader.varint()
        is_later = not cells or first > cells[-1]
        if first < 0 or length == 0 or not is_later or len(cells) + length > 512 or first % 32768 + length > 32768:
            raise Drop("bad-message")
        cells.extend(range(first, first + length))
    return cells


def _number(reader):
    try:
        number = reader.varint()
    except Drop:
        raise Drop("length") from None
    if number > 65535:
        raise Drop("length")
    return number


def _numbered(reader, count, first_ids):
    """WF25: returns the receivers in ascending order, each with its own number of the first message."""
    peers = []
    for _ in range(count):
        try:
            ahead = reader.varint()
        except Drop:
            raise Drop("length") from None
        peer = (peers[-1] if peers else 0) + ahead
        if ahead == 0 or peer > 65535:
            raise Drop("length")
        peers.append(peer)
        first_ids.append(reader.u16())
    return peers


def forwarded(data, sender, room):
    """WF22: returns what the server passes on, as (receiver, envelope), and the number of targets that get nothing."""
    envelope = envelope_of(data)
    head = 1 | CLASSES.index(envelope["trafficClass"]) << 1 | ("firstIds" in envelope) << 4
    epoch = envelope.get("epoch", 0)
    more = bytes([head | 128, epoch]) if epoch else bytes([head])
    passed, refused = {}, 0
    for index, peer in enumerate(envelope["peers"]):
        if peer == sender or peer not in room or peer in passed:
            refused += 1
            continue
        own = envelope["firstIds"][index].to_bytes(2, "little") if "firstIds" in envelope else b""
        passed[peer] = more + _varint_of(sender) + own + envelope["packet"]
    return list(passed.items()), refused


def _varint_of(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + _varint_of(number >> 7)


def payloads_of(data):
    """WF25: returns the payloads of a broadcast, each of which follows its length."""
    reader = ByteReader(data, "length")
    payloads = []
    while reader.left:
        payloads.append(reader.take(reader.varint()))
    if not payloads:
        raise Drop("length")
    return payloads


def _acks_of(reader):
    """WF3: returns the acks. An omitted byte of the bitmap is all ones. A receipt of bulk may follow."""
    ack, said, bits, is_canonical = reader.u16(), reader.u8(), 0, True
    for index in range(4):
        byte = reader.u8() if said >> index & 1 else 255
        is_canonical &= byte != 255 or not said >> index & 1
        bits |= byte << 8 * index
    acks = {"ack": ack, "ackBits": bits}
    if said & 16:
        acks["bulkReceipt"] = reader.u16()
    return acks if is_canonical and said < 32 else None


def header_of(data):
    """WF2: returns the header, and the position of the messages."""
    if len(data) > MAX_PACKET:
        raise Drop("too-long")
    reader = ByteReader(data, "too-short")
    flags = reader.u8()
    if flags & 1 or (flags & 8 and flags & 6):
        raise Drop("flags")
    header = {"only": KINDS[flags >> 5] if flags >> 5 else None, "published": bool(flags & 8)}
    header["sequence"] = reader.u8() if flags & 8 and header["only"] == "state" else reader.u16()
    header["tick"] = reader.u16() if flags & 16 else None
    header["acks"] = _acks_of(reader) if flags & 2 else None
    header["receipt"] = reader.u16() if flags & 4 else None
    if flags & 2 and header["acks"] is None:
        raise Drop("length")
    return header, reader.at


def packet_of(data):
    """WF6: returns the header with all messages of known kinds."""
    header, at = header_of(data)
    reader = ByteReader(data, "length")
    reader.at = at
    messages, unknown = [], 0
    if header["only"]:
        messages.append({"kind": header["only"], "body": reader.rest()})
    while reader.left:
        kind = KINDS.get(reader.u8())
        body = reader.take(reader.varint())
        if kind is None:
            unknown += 1
        else:
            messages.append({"kind": kind, "body": body})
    return {**header, "messages": messages, "unknownMessages": unknown}


def message_of(kind, body):
    """Returns the content of a message without states (WF10 to WF12, WF39)."""
    reader = ByteReader(body)
    if kind == "event":
        value = value_of(body)
        _check(isinstance(value, list) and len(value) == 2 and _is_type(value[0]))
        return {"type": value[0], "message": value[1]}
    if kind == "ping":
        _check(len(body) == 2)
        return {"number": reader.u16()}
    if kind == "reliable":
        return {"id": reader.u16(), "payload": reader.rest()}
    if kind == "bulk":
        number, flags = reader.u16(), reader.u8()
        _check(flags < 2)
        return {"id": number, "isLast": flags == 1, "fragment": reader.rest()}
    if kind == "pong":
        _check(len(body) == 8)
        return {"number": reader.u16(), "clockMicros": reader.u32() + reader.u16() * 2**32}
    if kind == "report":
        _check(len(body) == 6)
        return {"number": reader.u16(), "received": reader.u16(), "sent": reader.u16()}
    _check(len(body) >= 2)
    code, reason = reader.u16(), reader.rest()
    try:
        return {"code": code, "reason": reason.decode("utf-8")}
    except UnicodeDecodeError:
        return {"code": code, "reason": ""}


def feedback_of(reader):
    """WF31: returns the feedback before the states of an authority."""
    first = reader.u8()
    _check(first < 2)
    if first == 0:
        return None
    return {"processed": reader.u16(), "quarters": (reader.u8() + 128) % 256 - 128}


def inputs_of(plan, body):
    """WF32: returns the number of the newest input, and the columns of each, the oldest first."""
    newest, coder = ByteReader(body, "length").u16(), BitReader(body[2:])
    rows, columns = [], plan.columns[2:]
    for _ in range(coder.bits(5) + 1):
        before = rows[-1] if rows else None
        if before is not None and coder.flag():
            rows.append(before)
            continue
        row = []
        for index, column in enumerate(columns):
            is_same = before is not None and coder.flag()
            row.append(before[index] if is_same else coder.wide(column.bits) + column.min)
            coder.check_not_past()
            if row[-1] > column.max:
                raise Drop("out-of-range")
        rows.append(row)
    coder.check_end()
    return {"newest": newest, "columns": rows}


def payload_of(data, is_with_authority=False):
    """WF13 to WF17, WF52: returns the payload of a reliable message between participants, or with an authority."""
    reader = ByteReader(data)
    read = (WITH_AUTHORITY if is_with_authority else PAYLOADS).get(reader.u8())
    _check(read is not None)
    return read(reader)


def _items(reader, count):
    value = value_of(reader.rest())
    _check(isinstance(value, list) and len(value) == count)
    return value


def _is_type(value):
    return isinstance(value, str) and 1 <= len(value.encode()) <= 64


def _whole(value, most):
    """Returns a whole number. Writers of msgpack may also encode it as a float."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    _check(is_number and value == int(value) and 0 <= value <= most)
    return int(value)


def _check(is_fine):
    if not is_fine:
        raise Drop("bad-message")


def _command(reader):
    name, message = _items(reader, 2)
    _check(_is_type(name))
    return {"kind": "command", "type": name, "message": message}


def _request(reader):
    number, name, message = _items(reader, 3)
    _check(_is_type(name))
    return {"kind": "request", "id": _whole(number, 2**32 - 1), "type": name, "message": message}


def _reply(reader):
    number, is_ok, message = _items(reader, 3)
    _check(isinstance(is_ok, bool))
    return {"kind": "reply", "id": _whole(number, 2**32 - 1), "ok": is_ok, "message": message}


def _stream(reader):
    stream = {"kind": "stream", "stream": reader.u8(), "name": reader.text(), "tickHz": reader.u8()}
    _check(1 <= len(stream["name"].encode()) <= 64 and stream["tickHz"] > 0)
    stream["schemaHash"] = reader.u32()
    if reader.left:
        _check(reader.left % 2 == 0)
        stream["entities"] = [reader.u16() for _ in range(reader.left // 2)]
    return stream


def _reference(reader):
    reference = {"kind": "reference", "stream": reader.u8(), "tick": reader.u32(), "states": reader.rest()}
    _check(reference["states"])
    return reference


def _resync(reader):
    stream = reader.u8()
    _check(reader.left % 2 == 0 and reader.left <= 128)
    return {"kind": "resync", "stream": stream, "entities": [reader.u16() for _ in range(reader.left // 2)]}


def _columns(reader):
    return {"kind": "columns", "stream": reader.u8(), "columns": reader.rest()}


def _changes(reader):
    return {"kind": "changes", "stream": reader.u8(), "changes": reader.rest()}


def _authority(reader):
    value = value_of(reader.rest())
    _check(isinstance(value, dict))
    return {"kind": "authority", "message": value}


PAYLOADS = {
    2: _command,
    3: _request,
    4: _reply,
    7: _stream,
    8: _reference,
    9: _resync,
    10: _columns,
    13: _changes,
}
WITH_AUTHORITY = {2: _command, 3: _request, 4: _reply, 11: _authority, 13: _changes}


def slot_of(data):
    """WF28: returns the announcement and the whole states (None: no entities) that a participant has at the server."""
    reader = ByteReader(data)
    start = payload_of(reader.take(reader.varint()))
    _check(start.pop("kind") == "stream" and "entities" not in start)
    if not reader.left:
        return start, None
    whole = payload_of(reader.rest())
    _check(whole["kind"] == "reference" and whole["stream"] == start["stream"])
    return start, whole


def control_of(data, sender):
    """WF26, WF27: returns a control message of `server` or `participant`, without unlisted fields."""
    reader = ByteReader(data)
    _check(reader.u8() == 1)
    value = value_of(reader.rest())
    _check(isinstance(value, dict))
    kind = value.get("type")
    fields = CONTROLS[sender].get(kind) if isinstance(kind, str) else None
    _check(fields is not None)
    found = {"type": kind, **_fields_of(value, fields)}
    if kind == "welcome" and "authority" in value:
        found["authority"] = _authority_of(value["authority"])
    may_have_tick = "authority" in found or kind == "resumed"
    for name, (is_fine, kinds) in OPTIONAL.items():
        if kind in kinds and (name != "tick" or may_have_tick) and is_fine(value.get(name)):
            found[name] = value[name]
    return found


def _is_whole(most):
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def is_build(value):
    """M7"""
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9.+_-]{1,64}", value) is not None


def _fields_of(value, fields):
    _check(isinstance(value, dict))
    found = {}
    for name, check in fields.items():
        _check(name in value)
        found[name] = check(value[name])
    return found


def _text(value):
    _check(isinstance(value, str) and 1 <= len(value.encode("utf-16-le")) // 2 <= 1024)
    return value


def _boolean(value):
    _check(isinstance(value, bool))
    return value


def _u16(value):
    return _whole(value, 65535)


def _peer(value):
    peer = _fields_of(value, PEER)
    if "seat" in value:
        peer["seat"] = _u16(value["seat"])
    if value.get("away") is True:
        peer["away"] = True
    return peer


def _list_of(check):
    def read(value):
        _check(isinstance(value, list))
        return [check(item) for item in value]

    return read


def _ice_server(value):
    server = _fields_of(value, {"urls": _text})
    if "username" in value and "credential" in value:
        server.update(username=_text(value["username"]), credential=_text(value["credential"]))
    return server


def _options(value):
    _check(isinstance(value, dict))
    _check(all(isinstance(item, (str, int, float, bool)) for item in value.values()))
    return value


def _authority_of(value):
    """WF30: returns the authority part of a welcome."""
    found = _fields_of(value, {"tickHz": _u16, "kinds": _list_of(_authority_kind), "inputHash": _u32})
    _check(1 <= found["tickHz"] <= 255 and len(found["kinds"]) <= 64)
    return found


def _authority_kind(value):
    return _fields_of(value, {"name": _text, "schemaHash": _u32})


def _slot(value):
    _check(isinstance(value, dict) and value.keys() == {"$hex"} and len(value["$hex"]) <= 2 * 4096)
    return value


def _view(value):
    _check(isinstance(value, dict) and value.keys() == {"$hex"} and len(value["$hex"]) <= 2 * 3584)
    return value


def _u32(value):
    return _whole(value, 2**32 - 1)


# Fields that a message may have; a reader ignores a wrong one.
OPTIONAL = {
    "seat": (_is_whole(65535), ("welcome",)),
    "tick": (_is_whole(2**32 - 1), ("welcome", "resumed")),
    "spectator": (lambda value: value is True, ("welcome",)),
    "fullRooms": (_is_whole(2**32 - 1), ("welcome",)),
    "build": (is_build, ("welcome", "resumed")),
    "restored": (_is_whole(65535), ("welcome",)),
    "again": (lambda value: value is True, ("view",)),
    "last": (lambda value: value is True, ("visibility",)),
}
PEER = {"number": _u16, "id": _text, "webrtc": _boolean}
_SIGNAL = {"attempt": _u16, "data": lambda value: value}
CONTROLS = {
    "server": {
        "welcome": {
            **{name: _text for name in ("sessionId", "token", "resumeToken", "roomId", "roomName")},
            "options": _options,
            "number": _u16,
            "peers": _list_of(_peer),
            "iceServers": _list_of(_ice_server),
        },
        "resumed": {"resumeToken": _text},
        "stripe": {"ticket": _text},
        "moving": {"endpoint": _text},
        "draining": {"timeoutMs": _u32},
        "iceServers": {"iceServers": _list_of(_ice_server)},
        "joined": {"peer": _peer},
        "left": {"number": _u16},
        "back": {"number": _u16},
        "away": {"number": _u16, "closed": _boolean},
        "capabilities": {"number": _u16, "webrtc": _boolean},
        "signal": {"from": _u16, **_SIGNAL},
        "slot": {"number": _u16, "ageMs": _u32, "state": _slot},
    },
    "participant": {
        "capabilities": {"webrtc": _boolean},
        "signal": {"to": _u16, **_SIGNAL},
        "stripe": {},
        "visibility": {"hidden": _boolean},
        "slot": {"stream": lambda value: _whole(value, 255), "state": _slot},
        "view": {"cells": _view},
        "leave": {},
    },
}
