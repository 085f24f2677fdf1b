export { FramedLink } from "./framed-link.js";
export { frameHeadBytes, writeFrameHead } from "./framed-socket.js";
export { endNativeWebRtc, loadNativeWebRtc, type NativeWebRtc } from "./native-webrtc.js";
export { NodeWebRtcLink } from "./node-webrtc-link.js";
export { NodeWebSocket, WebSocketListener } from "./websockets.js";
