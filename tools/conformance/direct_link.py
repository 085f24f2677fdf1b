"""A direct link to another participant: five data channels of WebRTC (WIRE-FORMAT.md, "Carriers"). Needs the package aiortc."""
import asyncio

from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.sdp import candidate_from_sdp

# Id, order, and the limit after which a message is given up.
CHANNELS = {
    "command": (0, True, {}),
    "state": (1, False, {"maxRetransmits": 0}),
    "event": (2, False, {"maxPacketLifeTime": 1500}),
    "reference": (3, False, {}),
    "bulk": (4, True, {}),
}
# Classes without a channel of their own, and the class whose channel they use.
SAME_AS = {"input": "state"}


class DirectLink:
    """`signal(data)` sends to the other side through the server; `hear(packet)` gets each received packet."""

    def __init__(self, signal, hear):
        self.signal, self.hear = signal, hear
        self.is_proven = False
        self.connection = RTCPeerConnection()
        self.channels = {}
        for name, (number, ordered, more) in CHANNELS.items():
            channel = self.connection.createDataChannel(name, negotiated=True, id=number, ordered=ordered, **more)
            channel.on("message", self.hear)
            self.channels[name] = channel

    async def offer(self):
        await self.connection.setLocalDescription(await self.connection.createOffer())
        # The description contains the candidates: aiortc gathers them before it returns.
        self.signal({"type": "offer", "sdp": self.connection.localDescription.sdp})

    def take(self, data):
        asyncio.get_running_loop().create_task(self._take(data))

    async def _take(self, data):
        if data["type"] == "answer":
            await self.connection.setRemoteDescription(RTCSessionDescription(data["sdp"], "answer"))
        elif data["type"] == "candidate" and data["candidate"]["candidate"]:
            said = data["candidate"]
            candidate = candidate_from_sdp(said["candidate"].partition(":")[2])
            candidate.sdpMid, candidate.sdpMLineIndex = said["sdpMid"], said["sdpMLineIndex"]
            await self.connection.addIceCandidate(candidate)

    @property
    def is_open(self):
        return all(channel.readyState == "open" for channel in self.channels.values())

    def send(self, traffic_class, data):
        self.channels[SAME_AS.get(traffic_class, traffic_class)].send(data)
