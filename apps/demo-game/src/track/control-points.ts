/**
 * A circuit's line as data: control points of the closed centre-line spline, in driving order.
 * World axes: x points east, y points south (as on a screen), metres; headings grow clockwise.
 */
export interface ControlPoint {
  readonly x: number;
  readonly y: number;
  readonly halfWidthM: number;
}

export const point = (x: number, y: number, halfWidthM: number): ControlPoint => ({ x, y, halfWidthM });
