import { buildCircuit, type Circuit } from "./circuit.js";
import { point } from "./spline.js";

/** A forest circuit with many different corners. */
export const pacelineRing: Circuit = buildCircuit({
  name: "Paceline Ring",
  points: [
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
  ],
  startLineM: 52,
  gravelBeds: [
    { fromM: 190, toM: 292, side: -1 },
    { fromM: 402, toM: 466, side: 1 },
    { fromM: 556, toM: 634, side: -1 },
    { fromM: 664, toM: 692, side: -1 },
    { fromM: 704, toM: 738, side: 1 },
    { fromM: 772, toM: 830, side: -1 },
    { fromM: 918, toM: 976, side: -1 },
  ],
  wallDistanceM: 30,
  scenery: {
    thinned: 0.12,
    stand: { x: -46, y: -131, widthM: 128, depthM: 12 },
    lake: { x: -119, y: -8, radiusX: 19, radiusY: 32 },
    boards: [
      [24, 27.5],
      [84, 27.5],
      [352, -27.5],
      [506, 27.5],
      [640, -27.5],
      [870, -27.5],
    ],
    signs: [
      [20, -12, "100"],
      [70, -12, "50"],
      [318, 11.5, "100"],
      [362, 11.5, "50"],
    ],
  },
  look: {
    lawn: "#6fae57",
    lawnStripe: "#69a752",
    undergrowth: "#3f7a41",
    undergrowthEdge: "#559248",
    wallShadow: "#55904a",
    trees: ["#3d8046", "#4b9150", "#5a9d49"],
    treeLights: ["#4d9455", "#5fa85f", "#70b35a"],
  },
});
