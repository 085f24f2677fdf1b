"""Predicts rotations (STATE-CODEC.md, "Rotations"). Quaternions are (x, y, z, w)."""
import math

from columns import quaternion
from tables import rounded

MOST_STEPS = 64


def cosine(a, b):
    product = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    return product if product < 1 else 1


def aligned(q, to):
    """Returns the one of the two quaternions of a rotation that is nearer to `to`."""
    product = q[0] * to[0] + q[1] * to[1] + q[2] * to[2] + q[3] * to[3]
    return list(q) if product >= 0 else [-part for part in q]


def unit(q):
    x, y, z, w = q
    length = math.sqrt(x * x + y * y + z * z + w * w)
    return [x / length, y / length, z / length, w / length]


def predict_rotation(group, state):
    """Returns the predicted columns, and the change of the turn rate in steps."""
    if state.b1 is None:
        return [state.b0[index] for index in group.indices], 0.0
    q0 = list(quaternion(group, state.b0))
    q1 = aligned(quaternion(group, state.b1), q0)
    bend = 0.0
    if state.b2 is not None:
        q2 = aligned(quaternion(group, state.b2), q1)
        twice = 2 * cosine(q1, q2)
        bend = max(abs(a - (twice * b - c)) for a, b, c in zip(q0, q1, q2))
    if state.gap1 > 1:
        q1 = unit([a - (a - b) / state.gap1 for a, b in zip(q0, q1)])
    twice = 2 * cosine(q0, q1)
    for _ in range(min(state.age, MOST_STEPS)):
        q0, q1 = [twice * a - b for a, b in zip(q0, q1)], q0
    return packed(group, q0), bend / group.columns[1].step


def packed(group, q):
    """Returns the columns of a quaternion of any length, without its largest component."""
    largest = max(range(4), key=lambda index: abs(q[index]))
    x, y, z, w = q
    scale = (-1 if q[largest] < 0 else 1) / math.sqrt(x * x + y * y + z * z + w * w)
    parts = [part for index, part in enumerate(q) if index != largest]
    return [largest] + [rounded((part * scale) / column.step) for part, column in zip(parts, group.columns[1:])]


def without(group, q, left_out):
    """Returns the other three components as columns, with the sign that makes the omitted one positive."""
    sign = -1 if q[left_out] < 0 else 1
    parts = [sign * part for index, part in enumerate(q) if index != left_out]
    return [
        min(max(rounded(part / column.step), column.min), column.max)
        for part, column in zip(parts, group.columns[1:])
    ]
