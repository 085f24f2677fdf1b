#!/usr/bin/env python3
"""A participant in Python, from the documents alone: joins a room, drives, hears others, and resumes after a cut.

  python3 player.py http://HOST:PORT ROOM [--webrtc] < lines

It needs only the standard library; with --webrtc also the package aiortc, to open direct links to participants with
lower numbers.

It reads lines of JSON from stdin. First {"definition": {...}} as for decode.py, of the entity that it drives. Then
orders: {"send": [type, message]} sends a command to all; {"cut": true} cuts its socket, and a new one resumes the
session; {"leave": true} leaves. It prints a line for each event: joined, resumed, left, direct (a link is proven), states
and commands of others, and drops.
"""
import asyncio
import json
import math
import sys
import urllib.request

from byte_writer import envelope, packed, packet, stream_payload, u16, u32, whole_state
from columns import Plan
from definitions import Definition
from sessions import Link, ahead
from websocket import Closed, WebSocket

HAS_WEBRTC = "--webrtc" in sys.argv
if HAS_WEBRTC:
    from direct_link import DirectLink

TICK_HZ = 20
STEP_S = 1 / TICK_HZ
RESEND_S = 1.5
CLASS_OF = {"state": "state", "ping": "event", "pong": "event"}


class Outgoing:
    """Sending state towards one other side; the server has the number None."""

    def __init__(self, number):
        self.number, self.sequence, self.next_id = number, 0, 0
        self.kept, self.kept_s = {}, 0
        self.owes_receipt, self.owes_acks = False, 0
        self.direct = None


class Player:
    def __init__(self, endpoint, definition, has_webrtc=False):
        self.endpoint, self.definition, self.has_webrtc = endpoint, definition, has_webrtc
        self.plan = Plan(definition, TICK_HZ)
        self.link = Link({definition.name: definition})
        self.sides = {None: Outgoing(None)}
        self.socket = self.welcome = self.token = None
        self.loop = asyncio.get_running_loop()
        self.started_s = self.loop.time()

    # Sending

    def tick(self):
        return int((self.loop.time() - self.started_s) * TICK_HZ)

    def state(self, tick):
        """Returns a state on a circle, with its derivatives."""
        way, radius = tick / TICK_HZ, 20
        x, y = radius * math.cos(way), radius * math.sin(way)
        values = {"position": (x, y), "velocity": (-y, x), "acceleration": (-x, -y), "turnRate": 1}
        values.update(heading=way + math.pi / 2, throttle=0.5, isBraking=tick % 20 < 10)
        return whole_state(self.plan, 0, values)

    def send(self, side, kind, body=b"", tick=None, direct=None):
        """Sends over the given direct link, or over the best link."""
        direct = direct or (side.direct if side.direct and side.direct.is_proven else None)
        if self.socket is None and direct is None:
            return
        heard = self.link.sessions.get(("server", side.number))
        acks = None
        if side.owes_acks and heard is not None and heard.seen.newest is not None:
            side.owes_acks -= 1
            newest = heard.seen.newest
            acks = newest, sum(1 << bit for bit in range(32) if (newest - 1 - bit) % 65536 in heard.seen.before)
        receipt = heard.expected if side.owes_receipt else None
        side.owes_receipt = False
        data = packet(side.sequence, kind, body, tick, acks, receipt)
        side.sequence = (side.sequence + 1) % 65536
        traffic_class = CLASS_OF.get(kind, "command")
        if direct:
            # WF41: pings and pongs use the unreliable channel, so that they measure losses.
            direct.send("state" if kind in ("ping", "pong") else traffic_class, data)
        elif side.number is None:
            self.socket.send(data)
        else:
            self.socket.send(envelope(traffic_class, side.number, data))

    def send_reliable(self, side, payload):
        if not side.kept:
            side.kept_s = self.loop.time()
        side.kept[side.next_id] = u16(side.next_id) + payload
        self.send(side, "reliable", side.kept[side.next_id])
        side.next_id = (side.next_id + 1) % 65536

    def control(self, message):
        self.send_reliable(self.sides[None], b"\x01" + packed(message))

    def meet(self, number):
        side = self.sides[number] = Outgoing(number)
        tick = self.tick()
        self.send_reliable(side, stream_payload(0, self.definition, TICK_HZ))
        self.send_reliable(side, bytes([8, 0]) + u32(tick) + self.state(tick))

    def send_again(self, side):
        side.kept_s = self.loop.time()
        for body in side.kept.values():
            self.send(side, "reliable", body)

    # Receiving

    def hear(self, data):
        for said in self.link.read("server", data):
            if said["peer"] in self.sides:
                self.hear_packet(self.sides[said["peer"]], said)

    def hear_packet(self, side, read, direct=None):
        if "drop" in read:
            tell(drop=read["drop"], peer=side.number)
            return
        said = read["packet"]
        if said.get("receipt") is not None:
            side.kept = {number: body for number, body in side.kept.items() if ahead(number, said["receipt"]) >= 0}
        kinds = {message["kind"] for message in said["messages"]}
        if not said.get("published") and kinds - {"ping", "pong", "report"}:
            side.owes_acks = 3
        for message in said["messages"]:
            if "drop" in message:
                side.owes_receipt |= message["kind"] == "reliable"
                tell(drop=message["drop"], peer=side.number, message=message["kind"])
            elif message["kind"] == "ping":
                micros = int(self.loop.time() * 1e6)
                self.send(side, "pong", u16(message["number"]) + u32(micros) + u16(micros >> 32), direct=direct)
            elif message["kind"] == "pong" and direct and not direct.is_proven:
                direct.is_proven = True
                tell(direct=side.number)
                self.send_again(side)
            elif message["kind"] == "state":
                self.tell_states(side, message, direct is not None)
            elif message["kind"] == "reliable":
                side.owes_receipt = True
                self.hear_payload(side, message["payload"])

    def hear_payload(self, side, payload):
        if payload["kind"] == "control":
            self.hear_control(payload)
        elif payload["kind"] == "reference":
            self.tell_states(side, payload)
        elif payload["kind"] == "command":
            tell(command=[payload["type"], payload["message"]], peer=side.number)

    def hear_control(self, message):
        kind = message["type"]
        if kind == "welcome":
            self.welcome, self.token = message, message["resumeToken"]
            tell(joined=message["number"])
            for peer in message["peers"]:
                self.meet(peer["number"])
                if self.has_webrtc and peer["webrtc"]:
                    self.open_direct(self.sides[peer["number"]])
        elif kind == "resumed":
            self.token = message["resumeToken"]
            tell(resumed=True)
        elif kind == "joined":
            self.meet(message["peer"]["number"])
        elif kind == "capabilities" and self.has_webrtc and message["webrtc"] and message["number"] in self.sides:
            self.open_direct(self.sides[message["number"]])
        elif kind == "signal" and message["from"] in self.sides and self.sides[message["from"]].direct:
            self.sides[message["from"]].direct.take(message["data"])
        elif kind == "left":
            self.sides.pop(message["number"], None)

    def open_direct(self, side):
        """WF27: in a pair, the participant with the greater number makes the offer."""
        if side.direct is None and side.number < self.welcome["number"]:
            signal = lambda data: self.control({"type": "signal", "to": side.number, "attempt": 1, "data": data})
            side.direct = DirectLink(signal, lambda data: self.hear_direct(side, data))
            self.loop.create_task(side.direct.offer())

    def hear_direct(self, side, data):
        self.hear_packet(side, self.link.read_direct("server", side.number, data), side.direct)

    def tell_states(self, side, said, is_direct=False):
        checksum = said.get("checksum")
        for state in said.get("states", []):
            values, is_whole = state["values"], state["baselines"] is None
            tell(peer=side.number, tick=said["tick"], isWhole=is_whole, isDirect=is_direct, values=values)
        if checksum is not None and not checksum["agrees"]:
            tell(desync=checksum["entity"], peer=side.number)

    # Joining and leaving

    def match(self, room):
        body = json.dumps({"version": 5, "options": {}, "webrtc": self.has_webrtc}).encode()
        request = urllib.request.Request(f"{self.endpoint}/match/joinOrCreate/{room}", body, method="POST")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    async def connect(self, path, credential):
        url = self.endpoint.replace("http", "ws") + path
        self.socket = await WebSocket.connect(url, ["paceline.5", credential])

    async def play(self, room):
        seat = await asyncio.to_thread(self.match, room)
        await self.connect(seat["linkPath"], f"ticket.{seat['ticket']}")
        driving = asyncio.create_task(self.drive())
        while True:
            try:
                self.hear(await self.socket.receive())
            except Closed as closed:
                self.socket = None
                if closed.code != 1006:
                    driving.cancel()
                    tell(left=closed.code)
                    return
                # WF45, WF46: the session continues; messages without a receipt are sent again, in order.
                await self.connect(seat["linkPath"], f"resume.{self.welcome['sessionId']}.{self.token}")
                for side in self.sides.values():
                    self.send_again(side)

    async def drive(self):
        while True:
            await asyncio.sleep(STEP_S)
            for side in list(self.sides.values()):
                if side.direct and side.direct.is_open and not side.direct.is_proven:
                    self.send(side, "ping", u16(0), direct=side.direct)
                if side.number is not None:
                    tick = self.tick()
                    self.send(side, "state", b"\x00" + self.state(tick), tick)
                elif side.owes_receipt or side.owes_acks:
                    self.send(side, None)
                if side.kept and self.loop.time() - side.kept_s > RESEND_S:
                    self.send_again(side)

    def obey(self, said):
        if "send" in said:
            for side in self.sides.values():
                if side.number is not None:
                    self.send_reliable(side, b"\x02" + packed(said["send"]))
        elif "cut" in said:
            self.socket.cut()
        elif "leave" in said:
            self.control({"type": "leave"})


def tell(**said):
    print(json.dumps(said), flush=True)


async def main():
    endpoint, room = sys.argv[1:3]
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    said = json.loads(await lines.readline())
    player = Player(endpoint, Definition(**said["definition"]), HAS_WEBRTC)
    obeying = asyncio.create_task(obey(player, lines))
    await player.play(room)
    obeying.cancel()


async def obey(player, lines):
    while line := await lines.readline():
        player.obey(json.loads(line))


if __name__ == "__main__":
    asyncio.run(main())
