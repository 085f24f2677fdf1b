import { LazyModule } from "../../browser/lazy-module.js";

/** What only rooms with an authority need. */
export const authorityModule = /* @__PURE__ */ new LazyModule(
  "AuthoritativeMode",
  () => import("./authoritative-mode.js"),
);
