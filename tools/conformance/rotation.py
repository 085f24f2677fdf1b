"""Where a rotation is expected (STATE-CODEC.md, "Role 3, rotation"). Quaternions are (x, y, z, w)."""
import math

from columns import quaternion


def product(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def unit(q):
    x, y, z, w = q
    length = math.sqrt(x * x + y * y + z * z + w * w)
    return x / length, y / length, z / length, w / length


def half_turn(to, start, ticks):
    x, y, z, w = product(to, (-start[0], -start[1], -start[2], start[3]))
    s = x * x + y * y + z * z
    factor = ((-1 if w < 0 else 1) * (1 + s * (1 / 6 + s * (3 / 40 + s * (15 / 336))))) / ticks
    return x * factor, y * factor, z * factor


def predict_rotation(state, group):
    """The quaternion, and how much it turns and bends."""
    q0 = quaternion(group, state.b0)
    if state.b1 is None:
        return q0, 0.0, 0.0
    q1 = quaternion(group, state.b1)
    turn, earlier, step, age = half_turn(q0, q1, state.gap1), (0.0, 0.0, 0.0), group.columns[1].step, state.age
    if state.b2 is not None:
        earlier = half_turn(q1, quaternion(group, state.b2), state.gap2)
    bends = [a - b for a, b in zip(turn, earlier)]
    change = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]
    bend = bends[0] * bends[0] + bends[1] * bends[1] + bends[2] * bends[2]
    kept = state._keep((2 * math.sqrt(change)) / step, (2 * math.sqrt(bend)) / step)
    bent = 0 if state.b2 is None else 0.2 * age * (age + 1) * (1 if kept > 2 / 3 else 1.5 * kept)
    share = 1 if kept > 0.7 else 0.3 + kept
    onward = [(a * age + b * bent) * share for a, b in zip(turn, bends)]
    four = turned_on(q0, onward)
    return four, 2 * max(map(abs, turn)), 2 * max(map(abs, bends))


def turned_on(q0, onward):
    x, y, z = (part / 16 for part in onward)
    s = x * x + y * y + z * z
    sine = 1 - (s / 6) * (1 - s / 20)
    turn = unit((x * sine, y * sine, z * sine, 1 - (s / 2) * (1 - s / 12)))
    for _ in range(4):
        turn = product(turn, turn)
    return unit(product(turn, q0))


def rest_of(four, left_out):
    sign = -1 if four[left_out] < 0 else 1
    return [sign * part for index, part in enumerate(four) if index != left_out]
