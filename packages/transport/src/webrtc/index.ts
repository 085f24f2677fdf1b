// A subpath of the package, so that a game that uses only WebSockets never downloads it. Import it
// dynamically.
export * from "./webrtc-link.js";
