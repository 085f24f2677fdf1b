"""The numbers of STATE-CODEC.md: the roles of columns, and the lengths of the prefix codes by table and symbol."""
import math

RATE, PLACE, SMOOTH, ROTATION, STEP, CHANGE = range(6)

CODE_LENGTHS = (
    "1445465645674766000000000",
    "2254546553756576000000000",
    "3423464455457755000000000",
    "3332555455547675000000000",
    "3445244456773555000000000",
    "3354334364766574000000000",
    "4534352367675645000000000",
    "4443333376766554000000000",
    "3546466624453545000000000",
    "3355657632546474000000000",
    "3434665634345644000000000",
    "4342666544436664000000000",
    "4556355535562444000000000",
    "4366437543763354000000000",
    "4545454536363534000000000",
    "5554554355544442000000000",
    "3223355777788999999999999",
    "3343333555666778888889999",
    "3333333567677778899999999",
    "4344333345576778899999999",
    "4444333335666678899999999",
    "5455443332576778899999999",
    "4444343434466667677788899",
    "5456664433235768899999999",
    "5455554433343567777889999",
    "5455555544333356677889999",
    "5455454543344545566778888",
    "5566666654333334577889999",
    "5666565655333434456777899",
    "0144455656566666676777788",
    "0124455777788999999999999",
    "0124455777788999999999999",
    "0223344566677789999999999",
    "0124888893999999988888888",
    "0134488883884888888999988",
    "0223899834844888888888888",
    "0135489935884888888888888",
    "0124699746795699999999988",
    "0457797866665162999999999",
    "0234555666787273899999999",
)

MASKS, SIZES, MOVES, STEPS = 0, 16, 29, 39
ESCAPE = 24
WIDEST_SIZE = 2**20


def rounded(x):
    return math.floor(x + 0.5)


def token_bits(token):
    return 0 if token < 4 else (token - 2) >> 1


def token_start(token):
    return token if token < 4 else (2 + (token & 1)) << token_bits(token)


def token_of(size):
    if size < 4:
        return size
    top = size.bit_length() - 1
    return 2 * top + ((size >> (top - 1)) & 1)


def class_of(x):
    return token_of(min(rounded(abs(x)), WIDEST_SIZE))


def _codes(digits):
    """Returns the symbol of each code, by its length and its bits."""
    codes, code, last = {}, 0, 0
    for length, symbol in sorted((int(digit), symbol) for symbol, digit in enumerate(digits) if digit != "0"):
        code <<= length - last
        codes[length, code] = symbol
        code, last = code + 1, length
    return codes


CODES = [_codes(digits) for digits in CODE_LENGTHS]
