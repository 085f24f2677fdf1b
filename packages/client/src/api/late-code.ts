import { LazyModule } from "../browser/lazy-module.js";
import { motionCode, takeMotion } from "../entities/motion.js";

// Code that few rooms need, fetched at its first use. Each file in `late/` also exports the room. Bundlers
// then put shared code into the room's chunk instead of small chunks of its own. Few large chunks compress
// better than many small ones: a player downloads 4 kB less.

/** Code that only rooms with an authority need. */
export const authorityModule = /* @__PURE__ */ new LazyModule(
  "AuthoritativeMode",
  () => import("./late/authority.js"),
);

const motion = /* @__PURE__ */ new LazyModule("RemoteBody", () => import("./late/motion.js"));
const references = /* @__PURE__ */ new LazyModule("ReferenceCycle", () => import("./late/references.js"));
const columns = /* @__PURE__ */ new LazyModule("matchColumns", () => import("./late/columns.js"));
const stripes = /* @__PURE__ */ new LazyModule("StripeFilter", () => import("./late/stripes.js"));

/** Loads the code of motion, if it is not loaded yet. */
export async function loadMotion(): Promise<void> {
  if (!motionCode()) takeMotion(await motion.fetch());
}

/** Loads the code for states that differ from references. */
export const loadReferences = () => references.fetch();
/** Loads the code for several sockets. */
export const loadStripes = () => stripes.fetch();
/** Loads WebRTC. */
export const loadDirectPath = () => import("./late/direct-path.js");
/** Loads the code that describes and matches the columns of streams, for rooms with players of two builds. */
export const loadColumns = () => columns.fetch();
export const loadInterpolation = () => import("./late/interpolation.js");
/** Loads the text of `room.transport.explain`. */
export const loadExplanation = () => import("./late/explanation.js");
/** Loads the simulated network of `room.transport.simulate`. */
export const loadSimulation = () => import("./late/simulation.js");
