"""One entity's state with baselines (STATE-CODEC.md, "A state with baselines")."""
import math

from rotation import predict_rotation, rest_of
from tables import (
    CHANCES,
    CHANGE,
    PLACE,
    RATE,
    ROTATION,
    SMOOTH,
    STEP,
    TABLES,
    log,
    token_bits,
    token_start,
    weights_at,
    whole_log,
)


class EntityReader:
    """Reads the rows of one packet. `grids` are by kind and column; what is counted, by column."""

    def __init__(self, coder):
        self.coder = coder
        self.extremes = {}
        self.counted = 0

    def read(self, plan, baselines, tick, ticks, grids, head):
        self.plan, self.grids = plan, grids
        self.b0, self.b1, self.b2 = baselines
        self.age = tick_difference(tick, ticks[0])
        self.gap1 = 0 if self.b1 is None else tick_difference(ticks[0], ticks[1])
        self.gap2 = 0 if self.b2 is None else tick_difference(ticks[1], ticks[2])
        self.weights = weights_at(self.age, plan.tick_hz)
        seconds = self.age / plan.tick_hz
        self.fading = 1 + seconds * seconds
        self.bending = 0.4 * self.age
        self.last = self.before = 0
        self.residuals = {}
        self.row = list(head) + [0] * (len(plan.columns) - 2)
        for group in plan.groups:
            if group.role in (STEP, CHANGE):
                for column, index in zip(group.columns, group.indices):
                    self.row[index] = self._stepped(group, column, index)
            else:
                self._predicted(group)
        self.counted += 1
        return self.row

    def _predicted(self, group):
        self.surprise = None
        if group.role == ROTATION:
            self._rotation(group)
        else:
            moves = [self._move(column, index) for column, index in zip(group.columns, group.indices)]
            read = {RATE: self._rate, PLACE: self._place, SMOOTH: self._smooth}[group.role]
            read(group, moves)
        self.before, self.last = self.last, self.surprise

    def _move(self, column, index):
        """`change` and `bend` of a column."""
        if self.b1 is None:
            return 0.0, 0.0
        change = column.short(self.b0[index] - self.b1[index]) / self.gap1
        if self.b2 is None:
            return change, change
        return change, change - column.short(self.b1[index] - self.b2[index]) / self.gap2

    def _keep(self, change, bend):
        size = change * change + 1
        return size / (self.fading * size + self.bending * bend * bend)

    def _code(self, role, features, w):
        """The residual under the scale that the features give; the group's surprise goes along."""
        start = 16 * w[5] if self.surprise is None else w[6] * self.surprise
        scale = (16 * w[0] + features + start) >> 6
        residual = read_residual(self.coder, role, scale)
        surprise = whole_log(abs(residual)) - scale
        self.surprise = surprise if self.surprise is None else (self.surprise + surprise) >> 1
        return residual

    def _rate(self, group, moves):
        w = self.weights[RATE]
        widest = max(log(bend) for _, bend in moves)
        turned = [change for change, _ in moves]
        if self.plan.definition.motion == "turn" and self.b1 is not None:
            turned = self._turned([self.b0[index] for index in group.indices], turned)
        for (change, bend), onward, column, index in zip(moves, turned, group.columns, group.indices):
            predicted = self.b0[index]
            if self.plan.definition.motion != "velocity":
                size = change * change + 1
                going = (self.age * size) / (self.fading * size + self.bending * bend * bend)
                predicted = within(column, math.floor(self.b0[index] + going * onward + 0.5))
            features = w[2] * widest + w[1] * log(bend) + w[3] * log(change) + w[4] * whole_log(abs(self.b0[index]))
            self.residuals[index] = self._code(RATE, features, w)
            self.row[index] = predicted + self.residuals[index]

    def _turned(self, place, change):
        x, y, z = (*place, 0)[:3]
        dx, dy, dz = (*change, 0)[:3]
        k = (0.25 * self.age * (1 / self.fading)) / (x * x + y * y + z * z + 400)
        ux, uy, uz = (y * dz - z * dy) * k, (z * dx - x * dz) * k, (x * dy - y * dx) * k
        tx, ty, tz = dx + uy * dz - uz * dy, dy + uz * dx - ux * dz, dz + ux * dy - uy * dx
        f = 2 / (1 + ux * ux + uy * uy + uz * uz)
        turned = dx + f * (uy * tz - uz * ty), dy + f * (uz * tx - ux * tz), dz + f * (ux * ty - uy * tx)
        return turned[: len(place)]

    def _place(self, group, moves):
        w, scale = self.weights[PLACE], self.plan.rate_scale
        rates = self.plan.rate.indices
        misses = [0.0 for _ in moves]
        if self.b1 is not None:
            half = (scale * self.gap1) / 2
            misses = [
                (self.b0[i] - self.b1[i]) - (self.b0[r] + self.b1[r]) * half for i, r in zip(group.indices, rates)
            ]
        widest = max(log(miss) for miss in misses)
        for number, (index, r, miss) in enumerate(zip(group.indices, rates, misses)):
            column, (change, bend) = group.columns[number], moves[number]
            grid = self.grids.get(index, 1)
            if abs(miss) > 2 and (grid > 4 or abs(miss) > 2 + abs(bend * self.gap1)):
                self._alone(column, index, change, bend)
                continue
            was = 0 if self.b1 is None else (self.b0[r] - self.b1[r]) / self.gap1
            moved = (self.b0[r] + self.row[r]) * (self.age / 2) + (
                was - (self.row[r] - self.b0[r]) / self.age
            ) * ((self.age * self.age) / 24)
            features = w[2] * widest + w[7] * self.last
            features += w[1] * whole_log(abs(self.residuals[r])) + w[3] * log(miss)
            expected = self.b0[index] + scale * moved + 0.5
            self.row[index] = self._on_grid(PLACE, column, grid, expected, features, w)

    def _alone(self, column, index, change, bend):
        """A position that its velocity does not explain: as a smooth group of one."""
        outer, self.surprise = self.surprise, None
        self._smooth_column(column, index, change, bend, None)
        if outer is not None:
            self.surprise = (outer + self.surprise) >> 1

    def _smooth(self, group, moves):
        width = None if len(moves) == 1 else max(log(bend) for _, bend in moves)
        for (change, bend), column, index in zip(moves, group.columns, group.indices):
            self._smooth_column(column, index, change, bend, width)

    def _smooth_column(self, column, index, change, bend, width):
        w, grid = self.weights[SMOOTH], self.grids.get(index, 1)
        kept = self._keep(change, bend)
        bent = 0.2 * bend * self.age * (self.age + 1) * (1 if kept > 2 / 3 else 1.5 * kept)
        moved = (self.age * change + bent) * (1 if kept > 0.7 else 0.3 + kept)
        own = log(bend / grid)
        features = w[1] * own + w[2] * (own if width is None else width) + w[3] * log(change / grid)
        features += w[7] * self.last + w[8] * self.before
        expected = self.b0[index] + moved + 0.5
        self.row[index] = self._on_grid(SMOOTH, column, grid, expected, features, w)

    def _on_grid(self, role, column, grid, expected, features, w):
        if column.turn:
            predicted = math.floor(expected) % column.turn
            return (predicted + self._code(role, features, w)) % column.turn
        nearest = within(column, math.floor(expected))
        return (math.floor(nearest / grid + 0.5) + self._code(role, features, w)) * grid

    def _rotation(self, group):
        w, step = self.weights[ROTATION], group.columns[1].step
        four, turning, bending = predict_rotation(self, group)
        largest = max(range(4), key=lambda i: (abs(four[i]), -i))
        left_out = largest if self.coder.flag(15900) else self.coder.bits(2)
        self.row[group.first] = left_out
        for index, part in enumerate(rest_of(four, left_out)):
            column = group.columns[1 + index]
            predicted = within(column, math.floor(part / step + 0.5))
            features = w[1] * log(bending / step) + w[3] * log(turning / step) + w[7] * self.last + w[8] * self.before
            self.row[group.first + 1 + index] = predicted + self._code(ROTATION, features, w)

    def _stepped(self, group, column, index):
        v0 = self.b0[index]
        v1 = v0 if self.b1 is None else self.b1[index]
        v2 = v1 if self.b2 is None else self.b2[index]
        value = self._step_value(group.role, column, index, (v0, v1, v2))
        self.extremes[index] = self.extremes.get(index, 0) + self._is_extreme(column, value)
        return value

    @staticmethod
    def _is_extreme(column, value):
        return value in (column.rest, column.min, column.max)

    def _step_value(self, role, column, index, was):
        v0, v1, v2 = was
        w = self.weights[CHANGE]
        scale = w[0] + (w[1] if v0 != v1 else 0) + (w[2] if v1 != v2 else 0)
        scale += w[3] if self._is_extreme(column, v0) else 0
        scale = (16 * scale + w[7] * self.last + w[8] * self.before) >> 6
        if not self.coder.flag(CHANCES[min(31, max(0, (scale + 24) >> 1))]):
            return v0
        if role == CHANGE:
            return 1 - v0 if column.bits == 1 else self.coder.wide(column.bits) + column.min
        seen = self.extremes.get(index, 0) + self._is_extreme(column, v0) + self._is_extreme(column, v1) + 1
        chance = math.floor(16384 * seen / (self.counted + 4))
        if self.coder.flag(min(16320, max(64, chance))):
            return self._extreme(column, v0)
        w, grid = self.weights[STEP], self.grids.get(index, 1)
        features = w[1] * whole_log(abs(v0 - v1) // grid) + w[2] * whole_log(abs(v1 - v2) // grid)
        scale = (16 * w[0] + features + w[7] * self.last + w[8] * self.before) >> 6
        return (math.floor(v0 / grid + 0.5) + read_residual(self.coder, STEP, scale)) * grid

    def _extreme(self, column, v0):
        if v0 != column.rest and self.coder.flag(8192):
            return column.rest
        if v0 == column.min or column.rest == column.min:
            return column.max
        if v0 == column.max or column.rest == column.max:
            return column.min
        return column.max if self.coder.flag(8192) else column.min


def within(column, value):
    return min(column.max, max(column.min, value))


def tick_difference(newer, older):
    """`newer - older` of ticks, which count modulo 2 to the 32."""
    return (newer - older + 2**31) % 2**32 - 2**31


def read_residual(coder, role, scale):
    if scale <= 216:
        token, is_negative = _halved(coder, TABLES[role][max(0, ((scale + 4) >> 3) + 4)])
        if token > 3:
            magnitude = token_start(token)
            magnitude += coder.varuint() if token == 31 else coder.bits(token_bits(token))
        else:
            magnitude = token
        return -magnitude if is_negative else magnitude
    shift = min(-((216 - scale) // 16), 16)
    token = coder.symbol(TABLES[role][min(31, ((scale - 16 * shift + 4) >> 3) + 4)])
    high = token_start(token) + (coder.varuint() if token == 31 else coder.wide(token_bits(token)))
    magnitude = (high << shift) + coder.wide(shift)
    return -magnitude if coder.bits(1) == 1 else magnitude


def _halved(coder, table):
    """A symbol whose interval's second half means a negative residual."""
    halved = _HALVED.get(id(table))
    if halved is None:
        halved = _HALVED[id(table)] = [0] + [
            edge for start, end in zip(table[1:], table[2:]) for edge in (start, (start + end) >> 1)
        ] + [16384]
    found = coder.symbol(halved)
    return (found + 1) >> 1, found > 0 and found % 2 == 0


_HALVED = {}
