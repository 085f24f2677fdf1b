"""Reads the states of a packet that have baselines, in two passes (STATE-CODEC.md, "A packet's body")."""
import math

from rotation import predict_rotation, without
from columns import quaternion
from tables import CHANGE, MASKS, MOVES, PLACE, ROTATION, SIZES, STEP, STEPS, class_of, rounded

NARROW_BITS = 4
UNKNOWN = 8


class Expected:
    """Prediction of one column, and its expected residual. `group` and `index` name the column; a text has neither."""

    def __init__(self, group=None, column=None, index=None, predicted=0, off=0, has_stood=False):
        self.group, self.column, self.index = group, column, index
        self.predicted, self.off, self.has_stood = predicted, off, has_stood
        self.has_changed = None

    @property
    def is_masked(self):
        if self.column is None or self.group.role in (STEP, CHANGE):
            return True
        return self.off < 4 or self.column.bits <= NARROW_BITS

    @property
    def has_moved(self):
        if self.column is None or self.group.role in (STEP, CHANGE):
            return not self.has_stood
        return self.off != 0


class RowReader:
    """One entity with its baselines. Call `expect` first, and `read` after the masks of all entities."""

    def __init__(self, plan, baselines, tick, ticks):
        self.plan = plan
        self.b0, self.b1, self.b2 = baselines
        self.age = tick_difference(tick, ticks[0])
        self.gap1 = 0 if self.b1 is None else tick_difference(ticks[0], ticks[1])
        self.gap2 = 0 if self.b2 is None else tick_difference(ticks[1], ticks[2])
        self.columns = [one for group in plan.groups for one in self._expect(group)]
        self.texts = [Expected(has_stood=True) for _ in plan.texts]

    def _expect(self, group):
        if group.role == ROTATION:
            predicted, bend = predict_rotation(group, self)
            off = UNKNOWN if self.b1 is None else class_of(bend * (self.age * self.age))
            offs = [0, off, off, off]
            return [
                Expected(group, column, index, at, off)
                for column, index, at, off in zip(group.columns, group.indices, predicted, offs)
            ]
        return [self._column(group, place) for place in range(len(group.columns))]

    def _column(self, group, place):
        column, index = group.columns[place], group.first + place
        value = self.b0[index]
        if group.role in (STEP, CHANGE):
            return self._step(group, column, index)
        if self.b1 is None:
            return Expected(group, column, index, value, UNKNOWN)
        if group.role == PLACE:
            return self._place(group, column, index, self.plan.rate.first + place)
        change = column.short(value - self.b1[index])
        before = 0 if self.b2 is None else column.short(self.b1[index] - self.b2[index])
        bend, off = 0, change * ((self.age * self.age) / self.gap1)
        if self.b2 is not None:
            bend = change / self.gap1 - before / self.gap2
            off -= before * ((self.age * self.age) / self.gap2)
        onward = value + change * (self.age / self.gap1) + bend * (self.age / 2)
        predicted = rounded(onward) % column.turn if column.turn else clamped(onward, column)
        return Expected(group, column, index, predicted, class_of(abs(off) + abs(change) * self._ended()))

    def _place(self, group, column, index, rate):
        half = (self.plan.rate_scale * self.gap1) / 2
        moved = (self.b0[rate] + self.b1[rate]) * half
        missed = self.b0[index] - self.b1[index] - moved
        swerve = abs(self.b0[rate] - self.b1[rate]) * ((self.plan.rate_scale * self.age) / 4 * self._ended())
        return Expected(group, column, index, None, class_of(abs(missed) * self.age + swerve))

    def _ended(self):
        """Returns the part of the last change that may have ended since."""
        return (self.age - 1) / (2 * self.gap1)

    def _step(self, group, column, index):
        value = self.b0[index]
        if self.b1 is None or self.b1[index] == value:
            return Expected(group, column, index, value, has_stood=True)
        change = (value - self.b1[index]) / self.gap1
        if self.b2 is not None and change == (self.b1[index] - self.b2[index]) / self.gap2:
            return Expected(group, column, index, clamped(value + change * self.age, column), has_stood=True)
        return Expected(group, column, index, value, min(max(1, class_of(change)), 9))

    def read(self, coder, head):
        """Returns the row; `head` is its owner and teleports."""
        row = list(head) + [0] * (len(self.plan.columns) - 2)
        left_out = {}
        for one in self.columns:
            if one.group.role == PLACE:
                one.predicted = self._where_rates_lead(one, row)
            if one.group.role == ROTATION and one.index > one.group.first:
                one.predicted = self._around(one, row, left_out)
            row[one.index] = self._value(coder, one)
        return row

    def _where_rates_lead(self, one, row):
        rate = self.plan.rate.first + one.index - one.group.first
        scale, before = self.plan.rate_scale, self.b0[rate]
        change = row[rate] - before
        changed = 0 if self.b1 is None else (before - self.b1[rate]) * (self.age / self.gap1)
        curve = 0 if self.b1 is None else (scale * self.age) / 24
        moved = (before + before + change) * ((scale * self.age) / 2) + (changed - change) * curve
        return clamped(self.b0[one.index] + moved, one.column)

    def _around(self, one, row, left_out):
        """Handles a packet that leaves out another component than the predicted one."""
        group = one.group
        if group.first not in left_out:
            predicted = [each.predicted for each in self.columns if each.group is group]
            axis = row[group.first]
            if predicted[0] != axis:
                at = dict(zip(group.indices, predicted))
                predicted = [axis] + without(group, quaternion(group, at), axis)
            left_out[group.first] = predicted
        return left_out[group.first][one.index - group.first]

    def _value(self, coder, one):
        column = one.column
        if one.is_masked and not one.has_changed:
            return one.predicted
        if not one.is_masked:
            shift = (one.off - 15) >> 1 if one.off > 16 else 0
            return onto(column, one.predicted + coder.residual(SIZES + one.off - 4 - 2 * shift, shift))
        if column.bits <= 1:
            return column.min + column.max - one.predicted
        if column.bits <= NARROW_BITS:
            return column.min + coder.bits(column.bits)
        table = STEPS if one.has_stood else MOVES + one.off
        return onto(column, one.predicted + coder.residual(table, 0))


def read_masks(coder, rows):
    """Reads mask bits: four of them make a symbol, across entities; a single last one stands for itself."""
    masked = [one for row in rows for one in row.columns + row.texts if one.is_masked]
    for start in range(0, len(masked), 4):
        four = masked[start : start + 4]
        moved = sum(one.has_moved << place for place, one in enumerate(four))
        mask = coder.bits(1) if len(four) == 1 else coder.symbol(MASKS + moved)
        for place, one in enumerate(four):
            one.has_changed = mask >> place & 1 == 1


def onto(column, value):
    return value % column.turn if column.turn else value


def clamped(x, column):
    return min(max(math.floor(x + 0.5), column.min), column.max)


def tick_difference(newer, older):
    """Returns the signed difference of two ticks, which have 32 bits."""
    return (newer - older + 2**31) % 2**32 - 2**31
