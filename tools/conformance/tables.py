"""The numbers of STATE-CODEC.md: weights, shapes and chances, by role, and the tables that follow from the shapes."""
import math

RATE, PLACE, SMOOTH, ROTATION, STEP, CHANGE = range(6)

WEIGHTS = (
    (-108, 38, 7, 14, 6, 17, 46, 0, 0, 111, -17, -3, 7, 13, -16, -11, 0, 0, -10),
    (-79, 6, 0, 6, 0, 26, 33, 2, 0, -38, 18, 1, 6, 0, -3, -2, -1, 0, 28),
    (-86, 48, -2, 12, 0, 21, 39, 10, 80, 162, -3, -14, 15, 0, 32, -5, 8, -8, -4),
    (-75, 26, 0, 6, 0, -15, 29, -23, 33, 73, -6, 0, 15, 0, -25, -2, 18, 9, 5),
    (45, 10, 1, 0, 0, 0, 0, 8, 7, 65, -1, 6, 0, 0, 0, 0, -3, -3, -15),
    (-51, 27, 24, -13, 0, 0, 0, 2, 2, 12, 3, 2, 4, 0, 0, 0, 0, 0, 0),
)

# "shape:shift" of the bins 0 to 31
SHAPES = (
    "4:-11 4:-12 4:-10 0:-12 0:-12 0:-9 0:-8 0:-6 1:-1 1:0 1:0 1:0 1:1 2:3 2:3 2:3 2:3 3:6 3:6 3:5 3:5 3:5 3:4 3:4 3:3 3:3 3:2 3:2 3:2 3:1 3:1 3:1",
    "4:-9 12:-5 13:-2 13:-2 6:-1 5:-2 5:-2 2:2 2:2 2:2 3:5 3:5 3:5 3:5 3:5 3:5 3:5 6:2 5:0 3:4 2:2 5:0 3:5 2:3 9:1 9:1 9:1 9:1 9:1 9:1 9:1 9:1",
    "1:-4 1:-4 0:-9 4:-5 4:-5 0:-9 0:-6 0:-8 0:-7 0:-5 0:-7 0:-7 0:-4 0:-6 0:-2 0:-2 1:1 1:1 1:1 1:1 1:1 2:3 2:3 2:3 3:6 3:6 3:6 3:5 3:5 3:4 3:2 3:2",
    "4:-4 4:-4 1:-6 1:-5 1:-4 1:-3 1:-2 1:-1 1:0 1:0 1:0 1:0 2:4 2:4 2:4 3:6 3:6 3:5 3:5 3:4 7:2 3:3 3:1 3:1 3:1 3:1 3:1 3:1 3:1 3:1 3:1 3:1",
    "13:-1 13:-1 13:-1 13:-1 13:-1 13:-1 13:-1 12:-2 9:-1 9:-1 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2 1:2",
)

CHANCES = (3328, 3328, 1024, 768, 1024, 2048, 3072, 4096, 5376, 6656, 9472, 10752, 11520, 13056, 13056, 13056, 13056, 13056, 13056, 13056, 13056, 13056, 13056, 13056, 13056, 13056, 13056, 13056, 13056, 13056, 13056, 13056)

FRACTIONS = (0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 13, 14, 14, 15, 15, 15, 16)


def whole_log(number):
    """L(n): about 16 * log2(1 + n)."""
    m = number + 1
    exponent = m.bit_length() - 1
    below = m >> (exponent - 5) if exponent >= 5 else m << (5 - exponent)
    return 16 * exponent + FRACTIONS[below & 31]


def log(x):
    return whole_log(min(math.floor(abs(x) + 0.5), 1073741823))


def rounded(x):
    return math.floor(x + 0.5)


def weights_at(age, tick_hz):
    """The nine weights of each role."""
    a = min(96, max(-16, whole_log(min(math.floor(age * 960 / tick_hz), 2**24)) - 80))
    rows = []
    for n in WEIGHTS:
        w = [rounded(n[i] + (n[9 + i] * a) / 32) for i in range(9)]
        w[0] = rounded(w[0] + (n[18] * a * a) / 1024)
        rows.append(w)
    return rows


def token_start(token):
    return token if token < 4 else (2 + (token & 1)) << ((token - 2) >> 1)


def token_bits(token):
    return 0 if token < 4 else (token - 2) >> 1


ROOT_OF_TWO = 1.4142135623730951
POWERS = (lambda u: u, lambda u: u * math.sqrt(u), lambda u: u * u, lambda u: u * u * u)
SURVIVALS = (lambda y: 1 / math.sqrt(y), lambda y: 1 / y, lambda y: 1 / (y * y), lambda y: 1 / (y * y * y * y))


def _frequencies(bin_, shape, shift):
    power, survival = POWERS[shape >> 2], SURVIVALS[shape & 3]
    h = bin_ - 4 + shift
    scale = 2.0 ** (h // 2) * (1.0 if h % 2 == 0 else ROOT_OF_TWO)
    row = [0]
    for token in range(1, 32):
        y = 1 + power((token_start(token) - 0.5) / scale)
        row.append(2 * (token + math.floor(8160 * (1 - survival(y)))))
    return row + [16384]


def _tables_of(shapes):
    pairs = [tuple(map(int, item.split(":"))) for item in shapes.split()]
    return [_frequencies(bin_, shape, shift) for bin_, (shape, shift) in enumerate(pairs)]


TABLES = [_tables_of(shapes) for shapes in SHAPES]
