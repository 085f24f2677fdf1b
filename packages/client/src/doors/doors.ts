import { Door } from "../browser/door.js";

/**
 * All code of ours that a page fetches on demand: the only dynamic imports of the client. Each door leads to one
 * chunk. The file that it imports lists what the chunk exports, and holds no code.
 */
export const doors = {
  /** A join, and the common part of rooms. */
  room: /* @__PURE__ */ new Door("RoomJoin", "rooms", () => import("./room.js")),
  mesh: /* @__PURE__ */ new Door("Mode", "rooms without an authority", () => import("./mesh.js")),
  authority: /* @__PURE__ */ new Door("Mode", "rooms with an authority", () => import("./authority.js")),
  /** Moves entities between their states. */
  motion: /* @__PURE__ */ new Door("RemoteBody", "motion", () => import("./motion.js")),
  webRtc: /* @__PURE__ */ new Door("DirectPath", "WebRTC", () => import("./webrtc.js")),
  /** States that differ from references. */
  references: /* @__PURE__ */ new Door("ReferenceCycle", "references", () => import("./references.js")),
  /** Describes and matches the columns of streams, for rooms with players of two builds. */
  columns: /* @__PURE__ */ new Door("matchColumns", "columns", () => import("./columns.js")),
  interpolation: /* @__PURE__ */ new Door("DelayedBody", "interpolation", () => import("./interpolation.js")),
  /** Several sockets for states. */
  stripes: /* @__PURE__ */ new Door("StripeFilter", "several sockets", () => import("./stripes.js")),
  /** The texts of `room.transport.explain`. */
  words: /* @__PURE__ */ new Door("explainRoom", "explanations", () => import("./words.js")),
  /** The simulated network of `room.transport.simulate`. */
  simulation: /* @__PURE__ */ new Door("SimulatedLine", "simulated networks", () => import("./simulation.js")),
  queue: /* @__PURE__ */ new Door("beginQueueing", "queues", () => import("./queue.js")),
  nearest: /* @__PURE__ */ new Door("nearestRelay", "latency tests", () => import("./nearest.js")),
};
