export { FramedLink } from "./framed-link.js";
export { frameHeadBytes, writeFrameHead } from "./framed-socket.js";
export * from "./websockets.js";
export * from "./native-webrtc.js";
export * from "./node-webrtc-link.js";
