"""The numbers of STATE-CODEC.md: the roles of columns, and the lengths of the prefix codes by table and symbol."""
import math

RATE, PLACE, SMOOTH, ROTATION, STEP, CHANGE = range(6)

CODE_LENGTHS = (
    "1444465645675766000000000",
    "2254447544865585000000000",
    "2423574556468865000000000",
    "3332555455547675000000000",
    "2555244558783655000000000",
    "3365325365876485000000000",
    "3535352368676845000000000",
    "4444333287877664000000000",
    "2556476724553655000000000",
    "4265657632656474000000000",
    "4535685735245834000000000",
    "4443767544326564000000000",
    "3667266636672545000000000",
    "4365537553764264000000000",
    "4646464637363725000000000",
    "5454545354545452000000000",
    "2224455777788999999999999",
    "3233344566677789999999999",
    "3233344557687889999999999",
    "4333333456676778899999999",
    "4334333446566768899999999",
    "4444333344566667799999999",
    "3444333445466667888999999",
    "4444443434445656778999999",
    "3444443444454666677889999",
    "4455454434344456677889999",
    "4455443434444656676788899",
    "3555554544443445566777899",
    "3556565444443445555777899",
    "0145555656555656666777777",
    "0124455678888999999999999",
    "0124455678888999999999999",
    "0223344556777999999999999",
    "0557545433433445899999988",
    "0566635334333567899999988",
    "0557585443333345899999999",
    "0676654343333446899999988",
    "0556655534333345899888888",
    "0676665443333344899999988",
    "0345555555454253899888888",
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
