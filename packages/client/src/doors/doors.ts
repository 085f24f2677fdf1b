import { doorsTo } from "../browser/door.js";

/**
 * All code of ours that a page fetches on demand: the only dynamic imports of the client. Each door leads to one
 * chunk. The file that it imports lists what the chunk exports, and holds no code.
 */
export const doors = /* @__PURE__ */ doorsTo({
  /** A join, and the common part of rooms. */
  room: () => import("./room.js"),
  /** Requests for seats and lists by HTTP, for those that the upgrade of a link cannot carry. */
  seats: () => import("./seats.js"),
  /** Rooms without an authority. */
  mesh: () => import("./mesh.js"),
  /** Rooms with an authority. */
  authority: () => import("./authority.js"),
  /** Sends the states of own entities. */
  sending: () => import("./sending.js"),
  /** Interest in rooms without an authority. */
  cells: () => import("./cells.js"),
  /** Moves entities between their states. */
  motion: () => import("./motion.js"),
  /** The models of motion that are not in world axes. */
  reckoners: () => import("./reckoners.js"),
  webRtc: () => import("./webrtc.js"),
  /** Describes and matches the columns of streams, for rooms with players of two builds. */
  columns: () => import("./columns.js"),
  interpolation: () => import("./interpolation.js"),
  /** Several sockets for states. */
  stripes: () => import("./stripes.js"),
  /** Writes and reads messages, instead of the small codec. */
  msgpackr: () => import("./msgpackr.js"),
  /** The texts of `room.transport.explain`. */
  words: () => import("./words.js"),
  /** The simulated network of `room.transport.simulate`. */
  simulation: () => import("./simulation.js"),
  queue: () => import("./queue.js"),
  nearest: () => import("./nearest.js"),
});
