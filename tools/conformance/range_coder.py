"""The range coder's reader, and what is made of its three steps (STATE-CODEC.md, "The range coder")."""
from bisect import bisect_right

from byte_reader import Drop

TOP, LEAST = 2**31 - 1, 2**23


class RangeReader:
    def __init__(self, body):
        self.size = len(body)
        self.stream = int.from_bytes(body, "big")
        self.bits_left = 8 * len(body)
        self.code = 0
        self.taken = 4
        self.code = self._next(31)
        self.range = TOP

    def _next(self, count):
        """The next bits; behind the end are zeros."""
        self.bits_left -= count
        shift = self.bits_left
        value = self.stream >> shift if shift >= 0 else self.stream << -shift
        return value & ((1 << count) - 1)

    def _renew(self):
        while self.range < LEAST:
            self.range *= 256
            self.code = self.code * 256 + self._next(8)
            self.taken += 1

    def bits(self, count):
        part = self.range >> count
        value = min(self.code // part, (1 << count) - 1)
        self.code -= part * value
        self.range = part
        self._renew()
        return value

    def flag(self, chance):
        split = (self.range >> 14) * chance
        is_set = self.code < split
        if is_set:
            self.range = split
        else:
            self.code -= split
            self.range -= split
        self._renew()
        return is_set

    def symbol(self, frequencies):
        part = self.range >> 14
        found = bisect_right(frequencies, min(self.code // part, 16383)) - 1
        self.code -= part * frequencies[found]
        self.range = part * (frequencies[found + 1] - frequencies[found])
        self._renew()
        return found

    def wide(self, count):
        if count == 0:
            return 0
        if count <= 16:
            return self.bits(count)
        high = self.bits(count - 16)
        return high * 65536 + self.bits(16)

    def small(self):
        count = 0
        while count < 16 and self.bits(1) == 1:
            count += 1
        return (1 << count) + self.wide(count) - 1

    def varuint(self):
        count = self.bits(5)
        return 0 if count < 2 else (1 << (count - 1)) + self.wide(count - 1) - 1

    def check_end(self):
        """A sound body has between 0 and 4 bytes fewer than were taken in."""
        if not 0 <= self.taken - self.size <= 4:
            raise Drop("length")

    def check_not_past(self):
        """So that a body of zeros that goes on for ever is found early."""
        if self.taken - self.size > 4:
            raise Drop("length")
