"""Receives one side's packets from another: reliable messages in order, streams and their states (WIRE-FORMAT.md)."""
from byte_reader import ByteReader, Drop
from columns import Plan
from packets import control_of, envelope_of, message_of, packet_of, payload_of, payloads_of
from states import StateReader

HISTORY_TICKS = 128


def ahead(a, b):
    """WF5: returns the signed distance of two sequences."""
    return (a - b + 32768) % 65536 - 32768


class Seen:
    """The newest sequence and the 1023 before it (WF40)."""

    def __init__(self):
        self.newest, self.before = None, set()

    def nearest(self, low):
        """WF4: returns the sequence with these low 8 bits that is nearest to the newest."""
        newest = low if self.newest is None else self.newest
        return (newest + (low - newest + 128) % 256 - 128) % 65536

    def judge(self, sequence):
        """Records a sequence; returns True if it is too old to judge. Drops a duplicate."""
        if self.newest is None:
            self.newest = sequence
        distance = ahead(sequence, self.newest)
        if sequence in self.before:
            raise Drop("duplicate")
        if distance < -1023:
            return True
        if distance > 0:
            self.newest = sequence
            self.before = {one for one in self.before if ahead(one, sequence) >= -1023}
        self.before.add(sequence)
        return False


class Stream:
    """WF14: a stream. It has no states if the game does not use the kind, or has other columns (WF17).

    This reader sends no `columns` request.
    """

    def __init__(self, said, definitions):
        self.name, self.is_replaced, self.states = said["name"], False, None
        definition = definitions.get(said["name"])
        if definition is not None and definition.schemaHash == said["schemaHash"]:
            self.states = StateReader([Plan(definition, said["tickHz"])], HISTORY_TICKS)


class Session:
    """One direction of one session."""

    def __init__(self, sender, definitions):
        self.sender, self.definitions = sender, definitions
        self.seen, self.seen_published = Seen(), Seen()
        self.expected, self.waiting = 0, {}
        self.streams, self.newest_tick = {}, None

    def _hear(self, tick):
        if self.newest_tick is None or (tick - self.newest_tick + 2**31) % 2**32 > 2**31:
            self.newest_tick = tick

    def _tick(self, stamp):
        """WF2: returns the tick with these low 16 bits that is nearest to the newest."""
        if stamp is None:
            raise Drop("bad-message")
        newest = self.newest_tick or 0
        distance = (stamp - newest + 2**15) % 2**16 - 2**15
        if abs(distance) > 2**14:
            raise Drop("outdated")
        tick = (newest + distance) % 2**32
        self._hear(tick)
        return tick

    def read(self, data):
        packet = packet_of(data)
        seen = self.seen_published if packet["published"] else self.seen
        if packet["published"] and packet["only"] == "state":
            packet["sequence"] = seen.nearest(packet["sequence"])
        is_old = seen.judge(packet["sequence"])
        said = []
        for message in packet["messages"]:
            try:
                said += self._message(packet, message["kind"], message["body"], is_old)
            except Drop as drop:
                said.append({"kind": message["kind"], "drop": drop.reason})
        return {**packet, "messages": said}

    def _message(self, packet, kind, body, is_old):
        if packet["published"] and kind not in ("state", "event"):
            raise Drop("bad-message")
        if kind == "reliable":
            return self._reliable(body)
        if kind == "input" or (kind == "state" and self.sender is not None):
            # An authority's states use other tables, and are not decoded here.
            return [{"kind": kind, "body": body.hex()}]
        if kind == "state":
            reader = ByteReader(body, "length")
            packet["tick"] = self._tick(packet["tick"])
            return [{"kind": kind, **self._states(reader.u8(), packet["tick"], reader.rest())}]
        if kind == "event" and is_old:
            raise Drop("outdated")
        return [{"kind": kind, **message_of(kind, body)}]

    def _reliable(self, body):
        reader = ByteReader(body)
        return self._numbered(reader.u16(), reader.rest())

    def broadcast(self, first_id, data):
        """WF25: returns the same as for a packet with these messages."""
        said = []
        for index, payload in enumerate(payloads_of(data)):
            try:
                said += self._numbered((first_id + index) % 65536, payload)
            except Drop as drop:
                said.append({"kind": "reliable", "drop": drop.reason})
        return {"messages": said}

    def _numbered(self, number, payload):
        """WF37: returns the message with the later ones that waited for it."""
        distance = ahead(number, self.expected)
        if distance < 0 or number in self.waiting:
            raise Drop("duplicate")
        if distance >= 16384:
            raise Drop("gap-too-large")
        self.waiting[number] = payload
        said = []
        while self.expected in self.waiting:
            payload = self.waiting.pop(self.expected)
            try:
                said.append({"kind": "reliable", "id": self.expected, "payload": self._payload(payload)})
            except Drop as drop:
                said.append({"kind": "reliable", "id": self.expected, "drop": drop.reason})
            self.expected = (self.expected + 1) % 65536
        return said

    def _payload(self, data):
        if self.sender is not None and data[:1] == b"\x01":
            return {"kind": "control", **control_of(data, self.sender)}
        if self.sender is not None:
            return payload_of(data, is_with_authority=True)
        payload = payload_of(data)
        if payload["kind"] == "stream":
            for stream in self.streams.values():
                stream.is_replaced |= stream.name == payload["name"]
            self.streams[payload["stream"]] = Stream(payload, self.definitions)
        if payload["kind"] == "reference":
            self._hear(payload["tick"])
            payload.update(self._states(payload["stream"], payload["tick"], payload.pop("states")))
        return payload

    def _states(self, number, tick, body):
        stream = self.streams.get(number)
        if stream is None:
            raise Drop("unknown-entity")
        if stream.is_replaced:
            raise Drop("outdated")
        if stream.states is None:
            return {"stream": number, "passed": stream.name}
        return {"stream": number, **stream.states.read(body, tick)}


class Link:
    """One WebSocket: packets of the server, and envelopes of the other participants."""

    def __init__(self, definitions):
        self.definitions, self.sessions = definitions, {}

    def read(self, sender, data):
        """Returns one dict for each session that the message belongs to."""
        if data and data[0] & 1:
            envelope = envelope_of(data)
            packet, routing = envelope.pop("packet"), envelope
            first_ids = routing.get("firstIds", [None] * len(routing["peers"]))
            return [
                self._packet(sender, peer, packet, routing, first_id)
                for peer, first_id in zip(routing["peers"], first_ids)
            ]
        return [self._packet(sender, None, data, None)]

    def read_direct(self, sender, peer, data):
        """Reads a packet of a direct link, which belongs to the same session as those through the server."""
        return self._packet(sender, peer, data, None)

    def _packet(self, sender, peer, data, routing, first_id=None):
        key = sender, peer
        if key not in self.sessions:
            self.sessions[key] = Session(sender if peer is None else None, self.definitions)
        said = {"from": sender, "peer": peer, "envelope": routing}
        try:
            session = self.sessions[key]
            said["packet"] = session.read(data) if first_id is None else session.broadcast(first_id, data)
        except Drop as drop:
            said["drop"] = drop.reason
        for message in said.get("packet", {}).get("messages", []):
            if peer is None and message.get("payload", {}).get("type") == "left":
                for side in ("server", "participant"):
                    self.sessions.pop((side, message["payload"]["number"]), None)
        return said
