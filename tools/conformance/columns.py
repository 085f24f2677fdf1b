"""The columns of a definition and their groups (STATE-CODEC.md, "Columns"), and their values."""
import math

from definitions import DERIVED_MOST, VECTORS
from tables import CHANGE, PLACE, RATE, ROTATION, SMOOTH, STEP, rounded

WHOLE = ("int", "uint", "enum", "flag")
CODING_ORDER = (RATE, PLACE, ROTATION, SMOOTH, STEP, CHANGE)
DERIVED_STEPS = {"velocity": 1, "acceleration": 50, "turnRate": 4}


class Column:
    def __init__(self, low, high, step, turn=0):
        self.min, self.max, self.step, self.turn = low, high, step, turn
        self.bits = (high - low).bit_length()
        self.rest = min(max(0, low), high)

    def short(self, difference):
        """Returns the shorter way around in a column that wraps."""
        if self.turn and 2 * difference >= self.turn:
            return difference - self.turn
        if self.turn and 2 * difference < -self.turn:
            return difference + self.turn
        return difference


class Group:
    def __init__(self, name, kind, role, first, columns):
        self.name, self.kind, self.role, self.first, self.columns = name, kind, role, first, columns

    @property
    def indices(self):
        return range(self.first, self.first + len(self.columns))


def columns_of(leaf):
    low, high, precision = leaf.min, leaf.max, leaf.precision
    if leaf.kind in WHOLE:
        return [Column(int(low), int(high), 1)]
    if leaf.kind == "angle":
        turn = math.ceil(2 * math.pi / precision - 0.000000001)
        return [Column(0, turn - 1, 2 * math.pi / turn, turn)]
    if leaf.kind == "quat":
        step = precision / 2 / (2 * math.sqrt(3))
        most = math.ceil(math.sqrt(1 / 2) / step)
        return [Column(0, 3, 1)] + [Column(-most, most, step) for _ in range(3)]
    count = len(VECTORS.get(leaf.kind, "x"))
    return [Column(rounded(low / precision), rounded(high / precision), precision) for _ in range(count)]


class Plan:
    """The layout of a definition's coded states."""

    def __init__(self, definition, tick_hz, has_derived=True):
        self.definition, self.tick_hz = definition, tick_hz
        leaves = definition.leaves
        self.texts = [leaf for leaf in leaves if leaf.is_text]
        self.columns = [Column(0, 65535, 1), Column(0, 255, 1)]
        self.declared, self.derived = [], []
        derived = definition.derived if has_derived else []
        velocity = self._velocity([leaf for leaf in leaves if not leaf.derived_from], derived)
        for leaf in leaves:
            if not leaf.is_text and not leaf.derived_from:
                role = self._role(leaf, velocity)
                self.declared.append(self._group(leaf.path, leaf.kind, role, columns_of(leaf)))
        for name, axes, source in derived:
            step = source.precision * DERIVED_STEPS[name]
            columns = [Column(-DERIVED_MOST, DERIVED_MOST, step) for _ in axes or "x"]
            role = RATE if name == velocity else SMOOTH
            self.derived.append(self._group(name, source.kind if axes else "scalar", role, columns))
        self.groups = sorted(self.derived + self.declared, key=lambda group: CODING_ORDER.index(group.role))
        self.rate = next((group for group in self.groups if group.role == RATE), None)
        place = next((group for group in self.groups if group.role == PLACE), None)
        if place is not None:
            self.rate_scale = self.rate.columns[0].step / (place.columns[0].step * tick_hz)

    def _group(self, name, kind, role, columns):
        group = Group(name, kind, role, len(self.columns), columns)
        self.columns += columns
        return group

    def _velocity(self, leaves, derived):
        """Returns the name of the coded velocity of the position, if there is one."""
        position = self.definition.leaf("position")
        if self.definition.motion == "hold" or position is None or position.kind not in VECTORS:
            return None
        names = [leaf.path for leaf in leaves if leaf.kind == position.kind] + [name for name, _, _ in derived]
        return "velocity" if "velocity" in names else None

    def _role(self, leaf, velocity):
        if leaf.kind == "quat":
            return ROTATION
        if leaf.kind in ("int", "uint"):
            return STEP
        if leaf.kind in ("enum", "flag"):
            return CHANGE
        if velocity and leaf.path in ("velocity", "position"):
            return RATE if leaf.path == "velocity" else PLACE
        return SMOOTH

    def values(self, row):
        """Returns the values of a row, by the names of the fields."""
        return {group.name: value_of_group(group, row) for group in self.declared + self.derived}


def value_of_group(group, row):
    numbers = [row[index] for index in group.indices]
    if group.kind == "quat":
        return list(quaternion(group, row))
    if group.kind == "angle":
        angle = numbers[0] * group.columns[0].step
        return angle - 2 * math.pi if angle >= math.pi else angle
    values = [number * column.step for number, column in zip(numbers, group.columns)]
    return values if group.kind in VECTORS else values[0]


def quaternion(group, row):
    """Returns x, y, z, w: three are coded, the fourth follows from them."""
    left_out = row[group.first]
    a, b, c = (row[group.first + 1 + i] * group.columns[1 + i].step for i in range(3))
    square = 1 - a * a - b * b - c * c
    if square < 0:
        length = math.sqrt(a * a + b * b + c * c)
        a, b, c, square = a / length, b / length, c / length, 0
    four = [a, b, c]
    four.insert(left_out, math.sqrt(square))
    return tuple(four)
