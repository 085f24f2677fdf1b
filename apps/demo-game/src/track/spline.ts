/**
 * A control point of the closed spline that is the centre line; they follow each other in driving order.
 * World axes: x points east, y points south (as on a screen), metres; headings grow clockwise.
 */
export interface ControlPoint {
  readonly x: number;
  readonly y: number;
  readonly halfWidthM: number;
}

export const point = (x: number, y: number, halfWidthM: number): ControlPoint => ({ x, y, halfWidthM });

/** Uniform cubic B-spline: its curvature is continuous, so the wheel needs no sudden turn. */
function bSpline(p0: number, p1: number, p2: number, p3: number, t: number): number {
  const t2 = t * t;
  const t3 = t2 * t;
  const b0 = 1 - 3 * t + 3 * t2 - t3;
  const b1 = 4 - 6 * t2 + 3 * t3;
  const b2 = 1 + 3 * t + 3 * t2 - 3 * t3;
  return (b0 * p0 + b1 * p1 + b2 * p2 + t3 * p3) / 6;
}

export interface CurvePoint {
  x: number;
  y: number;
  halfWidthM: number;
}

function curvePoint(points: readonly ControlPoint[], segment: number, t: number): CurvePoint {
  const at = (offset: number): ControlPoint => points[(segment + offset) % points.length] as ControlPoint;
  const [a, b, c, d] = [at(0), at(1), at(2), at(3)];
  return {
    x: bSpline(a.x, b.x, c.x, d.x, t),
    y: bSpline(a.y, b.y, c.y, d.y, t),
    halfWidthM: bSpline(a.halfWidthM, b.halfWidthM, c.halfWidthM, d.halfWidthM, t),
  };
}

/** Equally spaced points along the closed curve, as near to `spacingM` as a whole number of them allows. */
export function sampleClosedCurve(points: readonly ControlPoint[], spacingM: number): CurvePoint[] {
  const fine: CurvePoint[] = [];
  const stepsPerSegment = 64;
  for (let segment = 0; segment < points.length; segment++) {
    for (let step = 0; step < stepsPerSegment; step++) {
      fine.push(curvePoint(points, segment, step / stepsPerSegment));
    }
  }
  return resample(fine, spacingM);
}

function resample(fine: readonly CurvePoint[], spacingM: number): CurvePoint[] {
  const lengths = fine.map((point, index) => {
    const next = fine[(index + 1) % fine.length] as CurvePoint;
    return Math.hypot(next.x - point.x, next.y - point.y);
  });
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const count = Math.round(total / spacingM);
  const result: CurvePoint[] = [];
  let index = 0;
  let walked = 0;
  for (let sample = 0; sample < count; sample++) {
    const target = (sample * total) / count;
    while (walked + (lengths[index] as number) < target) walked += lengths[index++] as number;
    const from = fine[index] as CurvePoint;
    const to = fine[(index + 1) % fine.length] as CurvePoint;
    const t = (target - walked) / (lengths[index] as number);
    result.push({
      x: from.x + (to.x - from.x) * t,
      y: from.y + (to.y - from.y) * t,
      halfWidthM: from.halfWidthM + (to.halfWidthM - from.halfWidthM) * t,
    });
  }
  return result;
}
