/**
 * The circuit as data: control points of the closed centre-line spline, in driving order.
 * World axes: x points east, y points south (as on a screen), metres; headings grow clockwise.
 */
export interface ControlPoint {
  readonly x: number;
  readonly y: number;
  readonly halfWidthM: number;
}

const point = (x: number, y: number, halfWidthM: number): ControlPoint => ({ x, y, halfWidthM });

export const controlPoints: readonly ControlPoint[] = [
  // Start/finish straight, eastwards.
  point(-118, -92, 7.5),
  point(-70, -92, 7.5),
  point(-20, -92, 7.5),
  point(30, -92, 7.5),
  point(80, -91, 7.5),
  // Turn 1: a fast right-hand sweeper that tightens.
  point(126, -82, 7.5),
  point(152, -48, 7),
  point(150, -4, 6.5),
  point(120, 22, 6.5),
  // Esses into the infield.
  point(80, 14, 6.5),
  point(48, -14, 6.5),
  point(14, -34, 7),
  // The hairpin, left.
  point(-20, -44, 8),
  point(-48, -28, 8.5),
  point(-38, 2, 7.5),
  // Down the hill to the long right-hander.
  point(-4, 24, 6.5),
  point(26, 48, 6.5),
  point(32, 84, 7),
  point(2, 106, 7),
  // Back straight, westwards, and the chicane: right, then left.
  point(-34, 107, 6.5),
  point(-62, 107, 6.5),
  point(-77, 90, 6.5),
  point(-94, 74, 6.5),
  point(-118, 75, 6.5),
  point(-146, 76, 6.5),
  // A quick right, a flat-out kink, and the last corner onto the straight.
  point(-174, 58, 7),
  point(-182, 22, 7),
  point(-170, -10, 7),
  point(-180, -44, 7),
  point(-172, -76, 7.5),
  point(-148, -92, 7.5),
];
