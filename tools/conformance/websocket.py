"""A WebSocket over asyncio, with the standard library alone: binary messages, no extensions (RFC 6455)."""
import asyncio
import base64
import os
import struct
from urllib.parse import urlsplit


class Closed(Exception):
    """The other side ended the connection; `code` is its close code, 1006 if it sent none."""

    def __init__(self, code):
        super().__init__(f"closed with {code}")
        self.code = code


class WebSocket:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    @classmethod
    async def connect(cls, url, protocols):
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {parts.path} HTTP/1.1",
            f"Host: {parts.netloc}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Protocol: {', '.join(protocols)}",
        ]
        writer.write("".join(f"{line}\r\n" for line in [*lines, ""]).encode())
        answer = (await reader.readuntil(b"\r\n\r\n")).decode()
        if " 101 " not in answer.split("\r\n", 1)[0]:
            raise ConnectionError(answer)
        return cls(reader, writer)

    def send(self, data, opcode=2):
        mask = os.urandom(4)
        length = len(data)
        if length < 126:
            head = struct.pack(">BB", 0x80 | opcode, 0x80 | length)
        else:
            head = struct.pack(">BBH", 0x80 | opcode, 0x80 | 126, length)
        self.writer.write(head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(data)))

    async def receive(self):
        """Returns the next binary message; ignores text."""
        while True:
            opcode, data = await self._frame()
            if opcode == 2:
                return data
            if opcode == 8:
                raise Closed(int.from_bytes(data[:2], "big") if len(data) > 1 else 1005)
            if opcode == 9:
                self.send(data, 10)

    async def _frame(self):
        try:
            first, second = await self.reader.readexactly(2)
            length = second & 127
            if length > 125:
                length = int.from_bytes(await self.reader.readexactly(2 if length == 126 else 8), "big")
            return first & 15, await self.reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise Closed(1006) from None

    def cut(self):
        """Aborts the connection without a close, like a lost network."""
        self.writer.transport.abort()
