"""A cable between two network namespaces that delays, loses and throttles what goes over it.

  wire.py NAMESPACE_A INTERFACE_A NAMESPACE_B INTERFACE_B SEED

Makes a TAP device at either end and carries every Ethernet frame from one to the other. Each line on the standard
input is a JSON object with settings to change, for both directions alike; each is answered by a line. The process, and
with it the cable, ends with its standard input, so that no devices stay behind.

Settings: delayMs (one way), lossPercent, rateKbps (0: no limit), queueBytes (drop-tail, where there is a rate),
isCut (nothing passes), isUdpCut (no UDP passes). Frames that are not IPv4 (ARP) are delayed but never lost at random.
"""
import ctypes
import fcntl
import heapq
import json
import os
import random
import select
import struct
import sys
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
REAL_TIME_PRIORITY = 30
FRAME_BYTES = 2048

settings = dict(delayMs=0, lossPercent=0, rateKbps=0, queueBytes=65536, isCut=False, isUdpCut=False)
libc = ctypes.CDLL(None, use_errno=True)


def enter(path):
    handle = os.open(path, os.O_RDONLY)
    if libc.setns(handle, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), f"setns {path}")
    os.close(handle)


def open_tap(namespace, interface):
    """A TAP device belongs to the namespace in which its process was when it asked for it."""
    enter(f"/run/netns/{namespace}")
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", interface.encode(), IFF_TAP | IFF_NO_PI))
    return tap


class Direction:
    def __init__(self, source, target, chance):
        self.source, self.target, self.chance = source, target, chance
        self.free_at = 0.0

    def due(self, frame, now):
        """When the frame arrives; None where it does not."""
        is_ip = frame[12:14] == b"\x08\x00"
        if settings["isCut"] or (settings["isUdpCut"] and is_ip and frame[23] == 17):
            return None
        if is_ip and self.chance.random() * 100 < settings["lossPercent"]:
            return None
        leaves = now
        if settings["rateKbps"]:
            bytes_per_second = settings["rateKbps"] * 125
            if (self.free_at - now) * bytes_per_second > settings["queueBytes"]:
                return None
            self.free_at = leaves = max(now, self.free_at) + len(frame) / bytes_per_second
        return leaves + settings["delayMs"] / 1000


def run(directions):
    """Ends when the standard input does."""
    on_the_way, order = [], 0
    by_source = {direction.source: direction for direction in directions}
    commands = b""
    while True:
        now = time.monotonic()
        while on_the_way and on_the_way[0][0] <= now:
            _, _, target, frame = heapq.heappop(on_the_way)
            try:
                os.write(target, frame)
            except OSError:
                pass  # A device that is not up yet takes nothing.
        wait = max(0.0, on_the_way[0][0] - time.monotonic()) if on_the_way else None
        readable, _, _ = select.select([0, *by_source], [], [], wait)
        for source in readable:
            if source == 0:
                chunk = os.read(0, 4096)
                if not chunk:
                    return
                *lines, commands = (commands + chunk).split(b"\n")
                for line in lines:
                    settings.update(json.loads(line))
                    print("ok", flush=True)
                continue
            direction = by_source[source]
            for _ in range(64):
                try:
                    frame = os.read(source, FRAME_BYTES)
                except OSError:
                    break
                due = direction.due(frame, time.monotonic())
                if due is not None:
                    order += 1
                    heapq.heappush(on_the_way, (due, order, direction.target, frame))


def main():
    namespace_a, interface_a, namespace_b, interface_b, seed = sys.argv[1:]
    tap_a = open_tap(namespace_a, interface_a)
    tap_b = open_tap(namespace_b, interface_b)
    try:
        # On a busy machine an ordinary process would be late by tens of milliseconds.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(REAL_TIME_PRIORITY))
    except OSError as error:
        print(f"wire: not in real time: {error}", file=sys.stderr)
    print("ok", flush=True)
    a_to_b = Direction(tap_a, tap_b, random.Random(int(seed) * 2))
    b_to_a = Direction(tap_b, tap_a, random.Random(int(seed) * 2 + 1))
    run([a_to_b, b_to_a])


main()
