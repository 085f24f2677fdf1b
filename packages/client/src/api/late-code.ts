import { LazyModule } from "../browser/lazy-module.js";

/*
 * Code that few rooms need, fetched when a room first does. Each file in `late/` exports the room besides: bundlers then see
 * that the room's code is there already, and do not cut what both need into chunks of its own. Few large chunks compress
 * better than many small ones: a player saves 4 kB.
 */

/** Code that only rooms with an authority need. */
export const authorityModule = /* @__PURE__ */ new LazyModule(
  "AuthoritativeMode",
  () => import("./late/authority.js"),
);

/** WebRTC. */
export const loadDirectPath = () => import("./late/direct-path.js");
/** Code that describes the columns of streams, and reads such descriptions: for rooms with players of two builds. */
export const loadColumns = () => import("./late/columns.js");
/** Code that interpolates entities between their states. */
export const loadInterpolation = () => import("./late/interpolation.js");
/** The words of `room.transport.explain`. */
export const loadExplanation = () => import("./late/explanation.js");
/** The network that `room.transport.simulate` pretends. */
export const loadSimulation = () => import("./late/simulation.js");
