"""Reads the bits of a body and their numbers (STATE-CODEC.md, "Bits" and "Sizes and residuals")."""
from byte_reader import Drop
from tables import CODES, ESCAPE, token_bits, token_start


class BitReader:
    def __init__(self, body):
        self.stream = int.from_bytes(body, "big")
        self.left = 8 * len(body)

    def bits(self, count):
        """Returns the next bits, the highest of each byte first; after the end they are zeros."""
        self.left -= count
        value = self.stream >> self.left if self.left >= 0 else self.stream << -self.left
        return value & ((1 << count) - 1)

    def flag(self):
        return self.bits(1) == 1

    def symbol(self, table):
        code = 0
        for length in range(1, 10):
            code = 2 * code + self.bits(1)
            if (length, code) in CODES[table]:
                return CODES[table][length, code]
        raise Drop("length")

    def residual(self, table, shift):
        token = self.symbol(table)
        if token == 0 and shift == 0:
            return 0
        if token == ESCAPE:
            over = self.bits(5)
            size = 4096 + (over if over < 2 else (1 << (over - 1)) + self.wide(over - 1))
        else:
            size = (token_start(token) << shift) + self.bits(token_bits(token) + shift)
        return -size if self.flag() else size

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

    def check_end(self):
        """Drops the body unless less than a byte of zeros is left."""
        if not 0 <= self.left < 8 or self.bits(self.left) != 0:
            raise Drop("length")

    def check_not_past(self):
        """Drops a body that ended too early, before endless zeros are read."""
        if self.left < 0:
            raise Drop("length")
