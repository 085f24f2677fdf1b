import { Door } from "../browser/door.js";

/**
 * All code of ours that a page fetches on demand: the only dynamic imports of the client. Each door leads to one
 * chunk. The file that it imports lists what the chunk exports, and holds no code.
 */
export const doors = {
  /** A join, and the common part of rooms. */
  room: /* @__PURE__ */ new Door("RoomJoin", () => import("./room.js")),
  /** Rooms without an authority. */
  mesh: /* @__PURE__ */ new Door("Mode", () => import("./mesh.js")),
  /** Rooms with an authority. */
  authority: /* @__PURE__ */ new Door("Mode", () => import("./authority.js")),
  /** Moves entities between their states. */
  motion: /* @__PURE__ */ new Door("RemoteBody", () => import("./motion.js")),
  webRtc: /* @__PURE__ */ new Door("DirectPath", () => import("./webrtc.js")),
  /** States that differ from references. */
  references: /* @__PURE__ */ new Door("ReferenceCycle", () => import("./references.js")),
  /** Describes and matches the columns of streams, for rooms with players of two builds. */
  columns: /* @__PURE__ */ new Door("matchColumns", () => import("./columns.js")),
  interpolation: /* @__PURE__ */ new Door("DelayedBody", () => import("./interpolation.js")),
  /** Several sockets for states. */
  stripes: /* @__PURE__ */ new Door("StripeFilter", () => import("./stripes.js")),
  /** Writes and reads messages, instead of the small codec. */
  msgpackr: /* @__PURE__ */ new Door("useMsgpackr", () => import("./msgpackr.js")),
  /** The texts of `room.transport.explain`. */
  words: /* @__PURE__ */ new Door("explainRoom", () => import("./words.js")),
  /** The simulated network of `room.transport.simulate`. */
  simulation: /* @__PURE__ */ new Door("SimulatedLine", () => import("./simulation.js")),
  queue: /* @__PURE__ */ new Door("beginQueueing", () => import("./queue.js")),
  nearest: /* @__PURE__ */ new Door("nearestRelay", () => import("./nearest.js")),
};
