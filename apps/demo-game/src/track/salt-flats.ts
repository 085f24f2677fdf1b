import { buildCircuit } from "./circuit.js";
import { addCircuit } from "./circuits.js";
import { point } from "./spline.js";

/**
 * A fast, wide loop in the desert, driven anticlockwise. It lies far east of the ring in the same world, so
 * that a position tells its circuit.
 */
addCircuit(
  buildCircuit({
    name: "Salt Flats",
    points: [
      // Start/finish straight, eastwards.
      point(900, 110, 9),
      point(980, 110, 9),
      point(1060, 110, 9),
      point(1140, 110, 9),
      point(1220, 110, 9),
      // A long left sweeper that opens.
      point(1296, 98, 9),
      point(1352, 48, 9),
      point(1360, -24, 9),
      point(1316, -84, 9),
      // The back straight, westwards, with an S at full speed.
      point(1244, -108, 8.5),
      point(1168, -96, 8),
      point(1096, -62, 8),
      point(1020, -66, 8),
      point(948, -104, 8.5),
      point(876, -116, 8.5),
      // The only corner that needs the brakes, a left that tightens, and the last sweeper onto the straight.
      point(808, -104, 8.5),
      point(772, -60, 8.5),
      point(790, -12, 8.5),
      point(776, 40, 8.5),
      point(792, 86, 9),
      point(838, 110, 9),
    ],
    startLineM: 190,
    gravelBeds: [
      { fromM: 170, toM: 330, side: 1 },
      { fromM: 860, toM: 940, side: 1 },
      { fromM: 1030, toM: 1090, side: 1 },
    ],
    wallDistanceM: 28,
    scenery: {
      thinned: 0.86,
      stand: { x: 1100, y: 148, widthM: 128, depthM: 12 },
      lake: { x: 1140, y: 22, radiusX: 110, radiusY: 34 },
      boards: [
        [40, -25.5],
        [140, -25.5],
        [470, 25.5],
        [700, 25.5],
        [1090, 25.5],
      ],
      signs: [
        [780, 13, "100"],
        [830, 13, "50"],
      ],
    },
    look: {
      lawn: "#e0c48d",
      lawnStripe: "#dabd84",
      undergrowth: "#d1b278",
      undergrowthEdge: "#d9bb82",
      wallShadow: "#b99a63",
      trees: ["#8c9a4f", "#7d9152", "#a2a35a"],
      treeLights: ["#a3b062", "#93a866", "#b8b870"],
    },
  }),
);
