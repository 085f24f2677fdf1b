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
