"""The numbers of STATE-CODEC.md: the roles of columns, and the lengths of the prefix codes by table and symbol."""
import math

RATE, PLACE, SMOOTH, ROTATION, STEP, CHANGE = range(6)

CODE_LENGTHS = (
    "1445465645674766000000000",
    "2254547553656576000000000",
    "3423564455447755000000000",
    "3332655454548875000000000",
    "3545244456773554000000000",
    "3354334365766474000000000",
    "4444352367675644000000000",
    "4443433287877664000000000",
    "3556466624453544000000000",
    "4355657632546473000000000",
    "4444565535345633000000000",
    "4442666544436663000000000",
    "4455455535552444000000000",
    "4366437544763353000000000",
    "4545454435453534000000000",
    "5554554355544442000000000",
    "3224345667687889999999999",
    "3333334555566789999999999",
    "3333343556566778788999999",
    "4344333345576778899999999",
    "4444333335666678899999999",
    "4444443333566667888999999",
    "4444343434466667677788899",
    "5456664433235768899999999",
    "4455443434444656676878899",
    "5455555544333356677889999",
    "5555454543344445566778888",
    "5566665654333335566889999",
    "5666565655333434456777899",
    "0234454545555656666666677",
    "0124455777788999999999999",
    "0133445667677999999999999",
    "0223344566677789999999999",
    "0124888893999999988888888",
    "0134488883884888888999988",
    "0224899833844888888888888",
    "0135489935884888888888888",
    "0133688745685588888888888",
    "0458797766665162999999999",
    "0235555656686273899999999",
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
