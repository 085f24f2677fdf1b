"""Checks the vectors: `python3 golden.py DIRECTORY` prints one JSON line for each failed vector."""
import json
import pathlib
import sys

from byte_reader import ByteReader, Drop, value_of
from definitions import Definition
from columns import Plan
from match import credential_of, match_request_of
from packets import control_of, envelope_of, feedback_of, inputs_of, message_of, packet_of, payload_of, view_of
from packets import forwarded, slot_of
from sessions import Session, ahead
from states import StateReader


def _whole(read):
    """Wraps `read`, which must then consume all bytes."""

    def run(data):
        reader = ByteReader(data)
        value = read(reader)
        if reader.left:
            raise Drop("bad-message")
        return value

    return run


def _plain(value):
    """Returns the value with bytes as hex, like in the vectors."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def _reference_as_in_vectors(payload):
    """Puts the tick before the states, like in the vectors."""
    if payload["kind"] == "reference":
        payload["states"] = payload.pop("tick").to_bytes(4, "little") + payload["states"]
    return payload


def _slot_as_in_vectors(start, whole):
    return {"start": start, **({"states": _reference_as_in_vectors(whole)["states"]} if whole else {})}


READERS = {
    "varints": _whole(ByteReader.varint),
    "texts": _whole(ByteReader.text),
    "packets": packet_of,
    "envelopes": envelope_of,
    "values": value_of,
    "payloads": lambda data: _reference_as_in_vectors(payload_of(data)),
    "authority": lambda data: payload_of(data, is_with_authority=True)["message"],
    "feedbacks": _whole(feedback_of),
    "views": view_of,
    "slots": lambda data: _slot_as_in_vectors(*slot_of(data)),
    "controls of the server": lambda data: control_of(data, "server"),
    "controls of a participant": lambda data: control_of(data, "participant"),
}
MALFORMED = {
    "packet": packet_of,
    "messages": packet_of,
    "envelope": envelope_of,
    "payload": payload_of,
    "value": value_of,
    "control from the server": READERS["controls of the server"],
    "control from a participant": READERS["controls of a participant"],
    "slot": slot_of,
    "view": view_of,
}


def same(a, b):
    """Compares JSON values: 1 equals 1.0, but not true."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return isinstance(a, bool) == isinstance(b, bool) and a == b


def _definition(vector):
    found = Definition(vector["name"], vector["motion"], vector["fields"])
    said = {name: getattr(found, name) for name in ("hashed", "schemaHash")}
    said["components"] = [component[0] for component in found.components]
    return said, {name: vector[name] for name in said}


def _circular(vector):
    distance = ahead(vector["a"], vector["b"])
    return [distance, distance > 0], [vector["ahead"], vector["isNewer"]]


def _match(vector):
    try:
        return match_request_of(vector["body"]), vector.get("decoded")
    except Drop as drop:
        return drop.reason, vector.get("refusal")


def _forwarding(vector):
    passed, refused = forwarded(bytes.fromhex(vector["hex"]), vector["from"], vector["room"])
    found = [{"to": peer, "hex": data.hex()} for peer, data in passed]
    return [found, refused], [vector["decoded"], vector["notRoutable"]]


def _session(vector):
    """Returns what a session delivers of packets, and how many parts it drops for which reason."""
    session, delivered, drops = Session(None, {}), [], {}
    for text in vector["packets"]:
        try:
            messages = session.read(bytes.fromhex(text))["messages"]
        except Drop as drop:
            messages = [{"drop": drop.reason}]
        for message in messages:
            if "drop" in message:
                drops[message["drop"]] = drops.get(message["drop"], 0) + 1
            else:
                delivered.append(message.get("payload", message))
    return {"delivered": delivered, "drops": drops}, vector["decoded"]


def _uploads(vector):
    """WF36: returns the states of a participant's own entities, of several kinds."""
    plans = [Plan(Definition(**kind), vector["tickHz"]) for kind in vector["kinds"]]
    readers = [StateReader([plan], 128) for plan in plans]
    found = []
    for body in vector["packets"]:
        data = bytes.fromhex(body["hex"])
        states = readers[data[0]].read(data[1:], body["tick"])["states"]
        rows = [[one["entity"], one["owner"], one["teleports"], *one["columns"]] for one in states]
        texts = [[one["values"][leaf.path] for leaf in plans[data[0]].texts] for one in states]
        found.append({"kind": data[0], "rows": rows, "texts": texts})
    return found, [body["decoded"] for body in vector["packets"]]


def _bodies(vector):
    """Returns the states of bodies of the state codec, each read with those before it."""
    plans = [Plan(Definition(**kind), vector["tickHz"], not vector["isFieldsOnly"]) for kind in vector["kinds"]]
    reader = StateReader(plans)
    found = []
    for body in vector["bodies"]:
        states = reader.read(bytes.fromhex(body["hex"]), body["tick"])["states"]
        rows = [[one["entity"], one["owner"], one["teleports"], *one["columns"]] for one in states]
        texts = [[one["values"][leaf.path] for leaf in plans[0].texts] for one in states]
        found.append({"rows": rows, "texts": texts})
    return found, [body["decoded"] for body in vector["bodies"]]


# Vectors of more than one reader's bytes: each gives what was found, and what is expected.
WHOLE_VECTORS = {
    "definitions": _definition,
    "circular": _circular,
    "match": _match,
    "forwarding": _forwarding,
    "sessions": _session,
    "subprotocols": lambda vector: (credential_of(vector["text"]), vector["decoded"]),
    "uploads": _uploads,
    "bodies": _bodies,
}


def check_vector(kind, vector):
    """Returns the fault of a vector, or None."""
    if kind in WHOLE_VECTORS:
        found, expected = WHOLE_VECTORS[kind](vector)
        return None if same(found, expected) else found
    data = bytes.fromhex(vector["hex"]) + bytes(vector.get("zeros", 0))
    if kind == "malformed":
        try:
            MALFORMED[vector["reader"]](data)
        except Drop as drop:
            return None if drop.reason == vector["drop"] else drop.reason
        return "was taken"
    if kind == "messages":
        return check_vector_with(lambda data: message_of(vector["kind"], data), data, vector["decoded"], is_cut=False)
    if kind == "inputs":
        plan = Plan(Definition("input", "hold", vector["fields"]), 60)
        return check_vector_with(lambda data: inputs_of(plan, data), data, vector["decoded"])
    if kind == "controls":
        kind = "controls of the server" if vector["from"] == "server" else "controls of a participant"
    return check_vector_with(READERS[kind], data, vector["decoded"])


def check_vector_with(read, data, expected, is_cut=True):
    try:
        decoded = _plain(read(data))
    except Drop as drop:
        return drop.reason
    if not same(decoded, expected):
        return decoded
    for length in range(len(data) if is_cut else 0):
        try:
            read(data[:length])
        except Drop:
            continue
    return None


def main(folder):
    checked, wrong = {}, 0
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        vectors = json.loads(path.read_text(encoding="utf-8"))
        checked[path.stem] = len(vectors)
        for vector in vectors:
            fault = check_vector(path.stem, vector)
            if fault is not None:
                wrong += 1
                print(json.dumps({"file": path.name, "name": vector["name"], "found": fault}))
    print(json.dumps({"checked": checked, "wrong": wrong}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
