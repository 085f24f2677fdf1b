// A subpath of the package, so that a game on WebSockets alone never downloads it: import it dynamically.
export * from "./channels.js";
export * from "./webrtc-link.js";
